import { hasKafkaError } from '@headrace/components/kafka';
import { type ChunkOutcome, type Logger, messageOf } from '@headrace/engine';
import type { KafkaSettings } from '../settings/kafka-settings.ts';
import { eventTopic } from '../settings/topics.ts';
import { eventJson, eventsOf } from './document-events.ts';
import type { DocumentSources } from './document-sources.ts';
import { type BatchHeader, toHeaders } from './headers.ts';
import type { PartitionWriter } from './partition-writer.ts';
import type { QueueOrigin } from './queue-reader.ts';
import { reportOf } from './reports.ts';

/** Reports the results of documents to their runs, through the event topics. */
export class Outbox {
  readonly #writer: PartitionWriter;
  readonly #settings: KafkaSettings;
  readonly #pipeline: string;
  readonly #isIndexing: boolean;
  readonly #log: Logger;
  /** Finished runs. Their event topics no longer exist. */
  readonly #gone = new Set<string>();
  #hasWarned = false;

  /** @param isIndexing whether this process indexes the documents. If so, they are finished after it */
  constructor(writer: PartitionWriter, settings: KafkaSettings, pipeline: string, isIndexing: boolean, log: Logger) {
    this.#writer = writer;
    this.#settings = settings;
    this.#pipeline = pipeline;
    this.#isIndexing = isIndexing;
    this.#log = log;
  }

  /** Resolves when the report is stored in the event topic. */
  async report(header: BatchHeader | undefined, origin: QueueOrigin, outcome: ChunkOutcome): Promise<void> {
    if (!this.#settings.events) return;
    if (header === undefined) return this.#reportDocuments(origin.documents, outcome);
    if (header.events === undefined) return;
    const report = reportOf(header, origin.attempt, origin.parts, outcome);
    await this.#write(header.events, Buffer.from(JSON.stringify(report)), toHeaders({ run: header.run }));
  }

  async #reportDocuments(documents: DocumentSources | undefined, outcome: ChunkOutcome): Promise<void> {
    if (documents === undefined || (documents.runId === undefined && this.#settings.eventTopic === undefined)) return;
    if (!this.#isIndexing && this.#settings.format === 'headrace') {
      if (!this.#hasWarned) {
        this.#hasWarned = true;
        this.#log.warn(
          "The documents are in Lucille's format, but kafka.documentFormat is headrace, so their run does not receive their results. Set kafka.documentFormat: lucille in all processes",
        );
      }
      return;
    }
    const writes = eventsOf(outcome, this.#isIndexing).map((event) => {
      const runId = documents.runIdOf(event.documentId) ?? '';
      const topic = eventTopic(this.#settings, this.#pipeline, runId);
      const message = documents.message(event.documentId);
      const value = Buffer.from(eventJson(event, runId, documents.topic, message));
      return this.#write(topic, value, undefined, Buffer.from(event.documentId));
    });
    await Promise.all(writes);
  }

  async #write(topic: string, value: Buffer, headers?: Map<Buffer, Buffer>, key?: Buffer): Promise<void> {
    if (this.#gone.has(topic)) return;
    try {
      await this.#writer.write({
        topic,
        partition: 0,
        value,
        ...(headers === undefined ? {} : { headers }),
        ...(key === undefined ? {} : { key }),
      });
    } catch (error) {
      if (!hasKafkaError(error, 'UNKNOWN_TOPIC_OR_PARTITION') && !/unknown topic/i.test(messageOf(error))) throw error;
      this.#gone.add(topic);
      this.#log.warn(`The topic ${topic} does not exist: its run has ended. Its documents are still processed`);
    }
  }
}
