import type { TopicMessage } from '@headrace/components/kafka';
import {
  type ChunkOutcome,
  type Document,
  type DocumentTable,
  type FailedInChunk,
  type Logger,
  type RecordSink,
  writeDocument,
} from '@headrace/engine';
import type { KafkaSettings } from '../settings/kafka-settings.ts';
import { failTopic } from '../settings/topics.ts';
import { BatchDecoder } from '../wire/batch-decoder.ts';
import { placeOf } from '../wire/document-decoder.ts';
import type { DocumentSources } from './document-sources.ts';
import type { BatchHeader } from './headers.ts';
import { explainWrite, isTooLarge, type PartitionWriter } from './partition-writer.ts';
import { shortReason } from './short-reason.ts';

/** The headers of a dead letter. All values are texts. */
export const LETTER_HEADERS = {
  reason: 'headrace-reason',
  place: 'headrace-place',
  run: 'headrace-run',
  time: 'headrace-time',
  /** The header of a message with a batch, so that the message can be sent again. */
  batch: 'headrace-batch',
  /** The number of bytes of a message that is too large for the dead-letter topic. The letter has no value then. */
  omitted: 'headrace-omitted-bytes',
} as const;

/** Writes documents that cannot be processed to the dead-letter topic of a pipeline. */
export class DeadLetters {
  readonly #writer: PartitionWriter;
  readonly #settings: KafkaSettings;
  readonly #topic: string;
  readonly #source: string;
  readonly #log: Logger;

  /** @param source the topic that the documents come from */
  constructor(writer: PartitionWriter, settings: KafkaSettings, pipeline: string, source: string, log: Logger) {
    this.#writer = writer;
    this.#settings = settings;
    this.#topic = failTopic(settings, pipeline);
    this.#source = source;
    this.#log = log;
  }

  /** Writes the messages that could not be decoded, each once. Returns the other messages. */
  async undecodable(
    messages: readonly TopicMessage[],
    header: BatchHeader | undefined,
    { failures }: ChunkOutcome,
  ): Promise<readonly TopicMessage[]> {
    const reasons = failures.filter(({ at }) => at === 'connector').map(({ message }) => message);
    const others: TopicMessage[] = [];
    const writes = messages.map((message) => {
      const place = placeOf(this.#source, message.partition, message.offset);
      const reason = reasons.find((text) => text.startsWith(`${place}:`) || text.startsWith(`${place},`));
      if (reason !== undefined) return this.#write(message, message.value, message.key, reason, header?.run, header);
      others.push(message);
      return undefined;
    });
    await Promise.all(writes);
    return others;
  }

  /**
   * Writes the messages whose documents failed, if no run counts these documents: they could not be run again otherwise.
   * Such messages come from other programs, from a replay, or from a run with `kafka.events: false`.
   * @param messages those that could be decoded
   * @param documents the documents of messages without a header
   */
  async uncounted(
    messages: readonly TopicMessage[],
    header: BatchHeader | undefined,
    documents: DocumentSources | undefined,
    { failed, failures }: ChunkOutcome,
  ): Promise<void> {
    if (header?.events !== undefined) return;
    // Lucille's runs count documents by their `run_id`.
    if (header === undefined && this.#settings.format === 'lucille' && documents?.runId !== undefined) return;
    // The others have a letter already.
    const alone = failures.filter(({ at }) => at !== 'connector' && at !== 'worker');
    const unlisted = failed - failures.length;
    if (alone.length === 0 && unlisted <= 0) return;
    const reasons = new Map(alone.map(({ id, message }) => [documents?.message(id), `${id}: ${message}`]));
    // The message of a child is not known, so all messages are written. A batch is written as a whole.
    const other = reasons.get(undefined) ?? (unlisted > 0 ? `${unlisted} documents failed` : undefined);
    const writes = messages.map((message) => {
      const reason = reasons.get(message) ?? other;
      return reason === undefined
        ? undefined
        : this.#write(message, message.value, message.key, reason, header?.run, header);
    });
    await Promise.all(writes);
  }

  /** Writes the documents of a message that kill their worker. Returns their failures. */
  async killers(
    message: TopicMessage,
    header: BatchHeader | undefined,
    numbers: readonly number[],
  ): Promise<FailedInChunk[]> {
    const tries = this.#settings.maxRetries;
    const reason = `the document ended its worker each time (tries: ${tries}, worker.maxRetries)`;
    const documents = header === undefined ? [message.value ?? Buffer.alloc(0)] : documentsOf(message, header, numbers);
    const failures: FailedInChunk[] = [];
    for (const value of documents) {
      const id = idOf(value) ?? placeOf(this.#source, message.partition, message.offset);
      await this.#write(message, value, Buffer.from(id), reason, header?.run);
      failures.push({ id, at: 'worker', code: 'HR_PIPELINE_THREAD_LOST', message: `SENT_TO_DLQ: ${reason}` });
    }
    return failures;
  }

  async #write(
    { partition, offset }: TopicMessage,
    value: Buffer = Buffer.alloc(0),
    key: Buffer | undefined,
    reason: string,
    run: string | undefined,
    batch?: BatchHeader,
  ): Promise<void> {
    const place = placeOf(this.#source, partition, offset);
    const headers = new Map<string, string>([
      [LETTER_HEADERS.reason, shortReason(reason)],
      [LETTER_HEADERS.place, place],
      [LETTER_HEADERS.run, run ?? ''],
      [LETTER_HEADERS.time, new Date().toISOString()],
    ]);
    if (batch !== undefined) headers.set(LETTER_HEADERS.batch, JSON.stringify(batch));
    const letter = { topic: this.#topic, partition: 0 };
    const bytes = () => new Map(Array.from(headers, ([name, text]) => [Buffer.from(name), Buffer.from(text)]));
    try {
      await this.#writer.write({ ...letter, value, ...(key === undefined ? {} : { key }), headers: bytes() });
    } catch (error) {
      if (!isTooLarge(error)) throw new Error(explainWrite(this.#settings, this.#topic, error));
      // A compressed message may be longer here. Without a letter, its partition could never be read any further.
      headers.set(LETTER_HEADERS.omitted, String(value.length));
      await this.#writer.write({ ...letter, value: Buffer.alloc(0), headers: bytes() });
      this.#log.error(
        `The dead-letter topic ${this.#topic} does not accept a message of ${value.length} bytes, so its letter has only the reason and the place. Raise max.message.bytes of the topic`,
        { place },
      );
    }
    this.#log.error(`A message was sent to the dead-letter topic ${this.#topic}: ${reason}`, { place });
  }
}

/** Some documents of a batch, as JSON. */
function documentsOf({ value }: TopicMessage, { pieces }: BatchHeader, numbers: readonly number[]): Buffer[] {
  const found: Buffer[] = [];
  let number = 0;
  const add = (document: Document) => {
    if (numbers.includes(number++)) found.push(Buffer.from(writeDocument(document)));
  };
  const sink: RecordSink = {
    document: add,
    table: (table: DocumentTable) => {
      for (let row = 0; row < table.count; row++) add(table.document(row));
    },
    reject: () => undefined,
    warn: () => undefined,
    notice: () => undefined,
  };
  new BatchDecoder().decode(value ?? new Uint8Array(), { place: '', pieces }, sink);
  return found;
}

function idOf(json: Buffer): string | undefined {
  try {
    return (JSON.parse(json.toString()) as { id?: string }).id;
  } catch {
    return undefined;
  }
}
