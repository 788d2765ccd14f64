import type { TopicMessage } from '@headrace/components/kafka';
import type { ChunkOutcome } from '@headrace/engine';

/** A message as a reader of a topic receives it. */
export function message({
  partition = 0,
  offset = 0,
  key,
  value,
  headers = {},
}: {
  partition?: number;
  offset?: number;
  key?: string;
  value?: string;
  headers?: Readonly<Record<string, string>>;
}): TopicMessage {
  return {
    partition,
    offset: BigInt(offset),
    leaderEpoch: 0,
    key: key === undefined ? undefined : Buffer.from(key),
    value: value === undefined ? undefined : Buffer.from(value),
    headers: Object.entries(headers).map(([name, text]) => [Buffer.from(name), Buffer.from(text)]),
  };
}

/** How the documents of a chunk have finished. */
export function outcome(some: Partial<ChunkOutcome>): ChunkOutcome {
  const none = { published: 0, created: 0, succeeded: 0, failed: 0, dropped: 0, undelivered: 0 };
  return { ...none, failures: [], createdIds: [], droppedIds: [], sentIds: [], ...some };
}
