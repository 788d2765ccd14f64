import { brokersOf, KafkaSource, kafkaError, type TopicMessage } from '@headrace/components/kafka';
import type { Logger } from '@headrace/engine';
import { type DocumentEvent, readEvent } from '../queue/document-events.ts';
import { readHeader } from '../queue/headers.ts';
import type { BatchReport } from '../queue/reports.ts';
import type { KafkaSettings } from '../settings/kafka-settings.ts';

/** Receives the events of one run. */
export interface EventListener {
  onReport(report: BatchReport): void;
  onEvent(event: DocumentEvent): void;
  /** The events cannot be read any more. */
  onFailed(error: Error): void;
}

const WAIT_MS = 1000;

/** Reads the event topic of a run, from its start, until it is closed. */
export class EventReader {
  readonly #source: KafkaSource;
  readonly #closing = new AbortController();
  readonly #reading: Promise<void>;

  private constructor(source: KafkaSource, runId: string, listener: EventListener, brokers: string) {
    this.#source = source;
    this.#reading = this.#read(runId, listener).catch((error) => listener.onFailed(kafkaError(brokers, error)));
  }

  /** Opens the topic. Throws an error of the library. */
  static async open(
    settings: KafkaSettings,
    topic: string,
    runId: string,
    listener: EventListener,
    log: Logger,
  ): Promise<EventReader> {
    const properties = new Map(Object.entries(settings.consumer));
    // A topic of other runs, too: their events are of no interest.
    if (settings.eventTopic !== undefined) properties.set('auto.offset.reset', 'latest');
    const source = await KafkaSource.open({
      brokers: brokersOf(settings.bootstrapServers),
      topic,
      groupId: `${settings.groupId}-events`,
      clientId: 'headrace-publisher',
      rebalanceTimeout: settings.rebalanceTimeout,
      properties,
      offsets: undefined,
      // In no group: each run reads all its events.
      isPreview: true,
      log,
      onRelease: async () => true,
      onGone: () => undefined,
    });
    return new EventReader(source, runId, listener, settings.bootstrapServers);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#reading;
    await this.#source.close();
  }

  async #read(runId: string, listener: EventListener): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const message = this.#source.read();
      if (message === undefined) {
        await this.#source.wait(WAIT_MS, signal);
        continue;
      }
      deliver(message, runId, listener);
    }
  }
}

/** Hands the event of a message to the listener, if it belongs to the run. */
export function deliver(message: TopicMessage, runId: string, listener: Omit<EventListener, 'onFailed'>): void {
  if (message.value === undefined) return;
  const header = readHeader<{ run: string }>(message);
  if (header === undefined) {
    const event = readEvent(message.value);
    // Events of another run in a shared topic. Lucille counts them, by mistake.
    if (event !== undefined && (event.runId ?? runId) === runId) listener.onEvent(event);
  } else if (header.run === runId) listener.onReport(JSON.parse(message.value.toString()) as BatchReport);
}
