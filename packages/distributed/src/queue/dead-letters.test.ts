import { describe, expect, it } from 'vitest';
import { rootOf } from '../settings/config-root.test.lib.ts';
import { readKafkaSettings } from '../settings/kafka-settings.ts';
import { DeadLetters } from './dead-letters.ts';
import { DocumentSources } from './document-sources.ts';
import type { BatchHeader } from './headers.ts';
import { message, outcome } from './message.test.lib.ts';
import type { OutgoingMessage, PartitionWriter } from './partition-writer.ts';

const failure = (id: string, at = 'stage_1') => ({ id, at, code: 'HR_STAGE_FAILED' as const, message: 'no' });

/** Returns the values of the letters that are written after these failures. */
async function lettersOf(
  ids: readonly string[],
  failed: Parameters<typeof outcome>[0],
  { header, format = 'headrace', run }: { header?: BatchHeader; format?: string; run?: string } = {},
): Promise<string[]> {
  const needed = { maxPollIntervalSecs: 1, maxRequestSize: 1000 };
  const kafka = { ...needed, bootstrapServers: 'b:1', consumerGroupId: 'g', documentFormat: format };
  const { settings } = readKafkaSettings(rootOf({ kafka }));
  if (settings === undefined) throw new Error('the settings are not valid');
  const written: OutgoingMessage[] = [];
  const writer = { write: async (one: OutgoingMessage) => void written.push(one) } as unknown as PartitionWriter;
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const letters = new DeadLetters(writer, settings, 'p', 't', log);
  const messages = ids.map((id, offset) =>
    message({ offset, value: JSON.stringify({ id, ...(run === undefined ? {} : { run_id: run }) }) }),
  );
  const documents = header === undefined ? new DocumentSources('t', messages) : undefined;
  await letters.uncounted(messages, header, documents, outcome(failed));
  return written.map(({ value }) => String(value));
}

describe('documents that failed and that no run counts', () => {
  it('are in the dead-letter topic, each in its message', async () => {
    const failed = { failed: 2, failures: [failure('b'), failure('c', 'indexer')] };
    expect(await lettersOf(['a', 'b', 'c'], failed)).toEqual(['{"id":"b"}', '{"id":"c"}']);
  });

  it('are there with all messages of their chunk if a child failed, or not all failures are known', async () => {
    expect(await lettersOf(['a', 'b'], { failed: 1, failures: [failure('child-of-a')] })).toHaveLength(2);
    expect(await lettersOf(['a', 'b'], { failed: 3, failures: [failure('a')] })).toHaveLength(2);
  });

  it('are there with their whole batch', async () => {
    const header = { run: 'r', batch: 0, count: 3, bytes: 10 };
    expect(await lettersOf(['x'], { failed: 2, failures: [failure('a')] }, { header })).toHaveLength(1);
  });

  it('are not there if all succeeded, or if they have a letter already', async () => {
    expect(await lettersOf(['a'], {})).toEqual([]);
    const failures = [failure('a', 'connector'), failure('b', 'worker')];
    expect(await lettersOf(['a', 'b'], { failed: 2, failures })).toEqual([]);
  });

  it('are not there if a run counts them', async () => {
    const failed = { failed: 1, failures: [failure('a')] };
    const header = { run: 'r', batch: 0, count: 1, bytes: 10, events: 'e' };
    expect(await lettersOf(['a'], failed, { header })).toEqual([]);
    expect(await lettersOf(['a'], failed, { format: 'lucille', run: 'r' })).toEqual([]);
    expect(await lettersOf(['a'], failed, { format: 'lucille' })).toHaveLength(1);
  });
});
