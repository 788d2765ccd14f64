import { brokersOf, KafkaSource, kafkaError, type TopicMessage } from '@headrace/components/kafka';
import { HeadraceError, type Logger, messageOf, silentNotices } from '@headrace/engine';
import { type DocumentEvent, readEvent } from '../queue/document-events.ts';
import { readHeader } from '../queue/headers.ts';
import { type BatchReport, readReport } from '../queue/reports.ts';
import type { KafkaSettings } from '../settings/kafka-settings.ts';

/** Receives the events of one run. */
export interface EventListener {
  onReport(report: BatchReport): void;
  onEvent(event: DocumentEvent): void;
  /** Called when the events cannot be read any more. */
  onFailed(error: Error): void;
}

const WAIT_MS = 1000;

/** Reads the event topic of a run from its start until the reader is closed. */
export class EventReader {
  readonly #source: KafkaSource;
  readonly #closing = new AbortController();
  readonly #reading: Promise<void>;

  private constructor(source: KafkaSource, topic: string, runId: string, listener: EventListener, brokers: string) {
    this.#source = source;
    this.#reading = this.#read(runId, listener).catch((error) =>
      listener.onFailed(/unknown topic/i.test(messageOf(error)) ? deleted(topic) : kafkaError(brokers, error)),
    );
  }

  /** Opens the topic. Throws an error of the library. */
  static async open(
    settings: KafkaSettings,
    topic: string,
    runId: string,
    listener: EventListener,
    log: Logger,
  ): Promise<EventReader> {
    const properties = new Map(settings.consumer);
    // Other runs share the topic. Their old events are skipped.
    if (settings.eventTopic !== undefined) properties.set('auto.offset.reset', 'latest');
    const source = await KafkaSource.open({
      brokers: brokersOf(settings.bootstrapServers),
      topic,
      groupId: `${settings.groupId}-events`,
      clientId: 'headrace-publisher',
      rebalanceTimeout: settings.rebalanceTimeout,
      properties,
      offsets: undefined,
      // The reader joins no group, because each run must read all its events.
      isPreview: true,
      log,
      notices: silentNotices,
      onRelease: async () => true,
      onGone: () => undefined,
    });
    return new EventReader(source, topic, runId, listener, settings.bootstrapServers);
  }

  /** Returns true if all events of the topic have been fetched. Rejects if the brokers do not answer. */
  isAtEnd(): Promise<boolean> {
    return this.#source.isAtEnd();
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

function deleted(topic: string): HeadraceError {
  return new HeadraceError(
    'HR_SOURCE_UNREADABLE',
    `The topic ${topic} was deleted, so the run receives no more results`,
    {
      hint: 'Its documents are in the source topic and are still processed. Do not delete the event topic of a running run.',
    },
  );
}

/** Passes the event of a message to the listener, if it belongs to the run. */
export function deliver(message: TopicMessage, runId: string, listener: Omit<EventListener, 'onFailed'>): void {
  if (message.value === undefined) return;
  const header = readHeader<{ run: string }>(message);
  if (header === undefined) {
    const event = readEvent(message.value);
    // An event of another run in a shared topic. (Lucille counts such events, which is a bug.)
    if (event !== undefined && (event.runId ?? runId) === runId) listener.onEvent(event);
  } else if (header.run === runId) {
    const report = readReport(message.value);
    if (report !== undefined) listener.onReport(report);
  }
}
