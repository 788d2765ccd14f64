import type { ChunkOutcome, Logger } from '@headrace/engine';
import type { KafkaSettings } from '../settings/kafka-settings.ts';
import { eventJson, eventsOf } from './document-events.ts';
import type { DocumentSources } from './document-sources.ts';
import { EventWriter } from './event-writer.ts';
import { type BatchHeader, toHeaders } from './headers.ts';
import type { PartitionWriter } from './partition-writer.ts';
import type { QueueOrigin } from './queue-origin.ts';
import { reportOf } from './reports.ts';

/** Reports the results of documents to their runs, through the event topics. */
export class Outbox {
  readonly #events: EventWriter;
  readonly #settings: KafkaSettings;
  readonly #isIndexing: boolean;
  readonly #log: Logger;
  #hasWarned = false;

  /** @param isIndexing whether this process indexes the documents. If so, they are finished then */
  constructor(writer: PartitionWriter, settings: KafkaSettings, pipeline: string, isIndexing: boolean, log: Logger) {
    this.#events = new EventWriter(writer, settings, pipeline, log);
    this.#settings = settings;
    this.#isIndexing = isIndexing;
    this.#log = log;
  }

  /** Resolves when the report is stored in the event topic. */
  async report(header: BatchHeader | undefined, origin: QueueOrigin, outcome: ChunkOutcome): Promise<void> {
    if (!this.#settings.events) return;
    if (header === undefined) return this.#reportDocuments(origin.documents, outcome);
    if (header.events === undefined) return;
    const report = reportOf(header, origin.attempt, origin.parts, outcome);
    const value = Buffer.from(JSON.stringify(report));
    await this.#events.write(header.events, { value, headers: toHeaders({ run: header.run }) });
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
      const topic = this.#events.topicOf(runId);
      if (topic === undefined) return undefined;
      const message = documents.message(event.documentId);
      const value = Buffer.from(eventJson(event, runId, documents.topic, message));
      return this.#events.write(topic, { value, key: Buffer.from(event.documentId) });
    });
    await Promise.all(writes);
  }
}
