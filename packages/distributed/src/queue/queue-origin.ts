import { randomUUID } from 'node:crypto';
import type { TopicMessage } from '@headrace/components/kafka';
import { DocumentSources } from './document-sources.ts';
import type { BatchHeader } from './headers.ts';

/** The origin of a chunk. The indexer of the same process receives it; see `EncodedBatch.origins`. */
export interface QueueOrigin {
  /** The header of the message. Absent for documents in Lucille's format. */
  readonly header?: BatchHeader;
  readonly attempt: string;
  /** The number of messages that the indexer has sent on for this chunk. */
  parts: number;
  /** The messages of a chunk in Lucille's format. */
  readonly documents?: DocumentSources;
}

/** The origin of a message with a batch, or of messages in Lucille's format. */
export function queueOrigin(
  topic: string,
  header: BatchHeader | undefined,
  messages: readonly TopicMessage[] = [],
): QueueOrigin {
  const attempt = header?.attempt ?? randomUUID().slice(0, 8);
  if (header !== undefined) return { header, attempt, parts: 0 };
  return { attempt, parts: 0, documents: new DocumentSources(topic, messages) };
}
