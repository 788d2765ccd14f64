import { setTimeout as sleep } from 'node:timers/promises';
import { hasKafkaError, isPassing, kafkaError, withinCloseTime } from '@headrace/components/kafka';
import { counted, HeadraceError, type Logger } from '@headrace/engine';
import type { Admin } from '@platformatic/kafka';
import { openAdmin } from './kafka-admin.ts';
import type { KafkaSettings } from './kafka-settings.ts';

/** A topic that must exist. */
export interface WantedTopic {
  readonly topic: string;
  /** The number of partitions if it must be created. */
  readonly partitions: number;
}

const RETRY_MS = 1000;
/**
 * All brokers know a new topic within this time. One broker on a busy machine needs more than 10 seconds for topics with
 * 1,000 partitions.
 */
const KNOWN_MS = 60_000;

/** Creates missing topics, and deletes the topics of finished runs. */
export class TopicAdmin {
  readonly #admin: Admin;
  readonly #settings: KafkaSettings;
  readonly #log: Logger;

  private constructor(admin: Admin, settings: KafkaSettings, log: Logger) {
    this.#admin = admin;
    this.#settings = settings;
    this.#log = log;
  }

  static async open(settings: KafkaSettings, log: Logger): Promise<TopicAdmin> {
    return new TopicAdmin(await openAdmin(settings, 'headrace-admin'), settings, log);
  }

  /**
   * Creates missing topics. Returns the number of partitions of each topic. If the brokers do not answer, it logs that,
   * and tries again until the signal is aborted.
   */
  async ensure(wanted: readonly WantedTopic[], signal?: AbortSignal): Promise<ReadonlyMap<string, number>> {
    let isReported = false;
    for (;;) {
      try {
        return await this.#ensure(wanted);
      } catch (error) {
        const failure = kafkaError(this.#settings.bootstrapServers, error);
        if (!isPassing(error) || signal?.aborted === true) throw failure;
        if (!isReported)
          this.#log.warn(`${failure.message}. ${failure.hint ?? ''} Trying again until the brokers answer`);
        isReported = true;
        await sleep(RETRY_MS, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
      }
    }
  }

  /** Deletes a topic. Throws an error of the library. */
  async delete(topic: string): Promise<void> {
    await this.#admin.deleteTopics({ topics: [topic] });
  }

  async close(): Promise<void> {
    await withinCloseTime(this.#admin.close());
  }

  async #ensure(wanted: readonly WantedTopic[]): Promise<ReadonlyMap<string, number>> {
    const existing = new Set(await this.#admin.listTopics());
    const missing = wanted.filter(({ topic }) => !existing.has(topic));
    for (const { topic, partitions } of missing) {
      try {
        await this.#admin.createTopics({ topics: [{ topic, partitions }] });
        this.#log.info(`Created the topic ${topic} with ${counted(partitions, 'partition')}`);
      } catch (error) {
        if (!hasKafkaError(error, 'TOPIC_ALREADY_EXISTS')) throw this.#notCreated(topic, error);
      }
    }
    const deadline = performance.now() + KNOWN_MS;
    for (;;) {
      try {
        const { topics } = await this.#admin.metadata({ topics: wanted.map(({ topic }) => topic), forceUpdate: true });
        const counts = new Map(wanted.map(({ topic }) => [topic, topics.get(topic)?.partitionsCount ?? 1]));
        this.#warnOfFew(wanted, counts);
        return counts;
      } catch (error) {
        if (performance.now() > deadline || missing.length === 0) throw error;
        await sleep(100);
      }
    }
  }

  #warnOfFew(wanted: readonly WantedTopic[], counts: ReadonlyMap<string, number>): void {
    for (const { topic, partitions } of wanted) {
      const count = counts.get(topic) ?? 1;
      if (count >= partitions) continue;
      this.#log.warn(
        `The topic ${topic} has ${counted(count, 'partition')}, and kafka.partitions is ${partitions}: at most this many processes can read it at the same time. Add partitions to it while no run is active, or set kafka.partitions`,
      );
    }
  }

  #notCreated(topic: string, error: unknown): unknown {
    if (isPassing(error)) return error;
    const { message } = kafkaError(this.#settings.bootstrapServers, error);
    return new HeadraceError(
      'HR_SOURCE_UNREADABLE',
      `The topic ${topic} does not exist and cannot be created: ${message}`,
      {
        hint: 'Create it, or allow this client to create topics.',
      },
    );
  }
}
