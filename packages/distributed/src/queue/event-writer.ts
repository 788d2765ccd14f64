import { hasKafkaError, isPassing, kafkaError } from '@headrace/components/kafka';
import type { Logger } from '@headrace/engine';
import type { KafkaSettings } from '../settings/kafka-settings.ts';
import { isTopicName } from '../settings/topic-name.ts';
import { eventTopicName } from '../settings/topics.ts';
import { explainWrite, type OutgoingMessage, type PartitionWriter } from './partition-writer.ts';

/** Writes to the event topics of runs. The topic of a run is deleted when the run ends. */
export class EventWriter {
  readonly #writer: Pick<PartitionWriter, 'write'>;
  readonly #settings: KafkaSettings;
  readonly #pipeline: string;
  readonly #log: Logger;
  /** Finished runs. Their event topics no longer exist. */
  readonly #gone = new Set<string>();
  #hasWarnedOfId = false;

  constructor(writer: Pick<PartitionWriter, 'write'>, settings: KafkaSettings, pipeline: string, log: Logger) {
    this.#writer = writer;
    this.#settings = settings;
    this.#pipeline = pipeline;
    this.#log = log;
  }

  /**
   * Returns the topic for the events of a run, or undefined if no run can have this id. Other programs may write any
   * `run_id`.
   */
  topicOf(runId: string): string | undefined {
    const topic = eventTopicName(this.#settings, this.#pipeline, runId);
    if (isTopicName(topic)) return topic;
    if (!this.#hasWarnedOfId) {
      this.#log.warn(
        `The run_id of a document is "${runId.slice(0, 100)}", which cannot be part of the name of a topic. The document is processed, but its result is not reported`,
      );
    }
    this.#hasWarnedOfId = true;
    return undefined;
  }

  /** Resolves when the run can read the event, or when the run has ended. */
  async write(topic: string, event: Omit<OutgoingMessage, 'topic' | 'partition'>): Promise<void> {
    // The name comes from a message, which other programs may have written.
    if (this.#gone.has(topic) || !isTopicName(topic)) return;
    try {
      await this.#writer.write({ topic, partition: 0, ...event });
    } catch (error) {
      if (!this.#isUnknownTopic(error)) {
        throw isPassing(error) ? error : new Error(explainWrite(this.#settings, topic, error));
      }
      // Several messages of the run may be in progress.
      if (this.#gone.has(topic)) return;
      this.#gone.add(topic);
      this.#log.warn(
        `The topic ${topic} does not exist: its run has ended, or it was deleted. Its documents are still processed`,
      );
    }
  }
  /** The client gives this reason in its own error, which may be one of several. */
  #isUnknownTopic(error: unknown): boolean {
    if (hasKafkaError(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return true;
    return /unknown topic/i.test(kafkaError(this.#settings.bootstrapServers, error).message);
  }
}
