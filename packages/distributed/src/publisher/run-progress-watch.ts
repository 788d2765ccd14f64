import { kafkaError, withinCloseTime } from '@headrace/components/kafka';
import { HeadraceError, type Logger } from '@headrace/engine';
import type { Admin } from '@platformatic/kafka';
import { openAdmin } from '../settings/kafka-admin.ts';
import type { KafkaSettings } from '../settings/kafka-settings.ts';
import { destTopic, sourceTopic } from '../settings/topics.ts';

export interface WatchOptions {
  readonly settings: KafkaSettings;
  readonly pipeline: string;
  readonly log: Logger;
  /** Whether the workers and indexers are in this process. */
  readonly isExternal: boolean;
  /** Returns the number of unfinished batches. */
  readonly unfinished: () => number;
  /** Called when the run has waited for longer than `kafka.stallTimeoutSecs`. */
  readonly onStalled: (error: Error) => void;
}

/** How often the progress is checked. */
const LOOK_MS = 2000;
/** A warning is logged after this time without progress. */
const QUIET_MS = 4000;
/** The warning is repeated after this time. */
const REMIND_MS = 30_000;

/** Watches a distributed run. If no document finishes, it logs the reason: no workers, no indexers or no brokers. */
export class RunProgressWatch {
  readonly #options: WatchOptions;
  readonly #admin: Admin;
  #progressAt = Date.now();
  #reportedAt = 0;
  #timer: NodeJS.Timeout;
  #looking: Promise<void> = Promise.resolve();
  #isQuiet = false;

  private constructor(options: WatchOptions, admin: Admin) {
    this.#options = options;
    this.#admin = admin;
    this.#timer = setInterval(() => {
      this.#looking = this.#look();
    }, LOOK_MS);
    this.#timer.unref();
  }

  static async open(options: WatchOptions): Promise<RunProgressWatch> {
    return new RunProgressWatch(options, await openAdmin(options.settings, 'headrace-publisher'));
  }

  /** Call this when documents have finished. */
  progressed(): void {
    this.#progressAt = Date.now();
    if (!this.#isQuiet) return;
    this.#isQuiet = false;
    this.#options.log.info(`The documents of pipeline ${this.#options.pipeline} are being processed again`);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await withinCloseTime(this.#admin.close());
  }

  async #look(): Promise<void> {
    const { settings, pipeline, log, unfinished, onStalled } = this.#options;
    const now = Date.now();
    if (unfinished() === 0) this.#progressAt = now;
    const quiet = now - this.#progressAt;
    if (quiet < QUIET_MS) return;
    const { stallTimeoutSecs } = settings;
    if (stallTimeoutSecs > 0 && quiet > stallTimeoutSecs * 1000) {
      const message = `No document of pipeline ${pipeline} has finished for ${stallTimeoutSecs} s (kafka.stallTimeoutSecs)`;
      onStalled(new HeadraceError('HR_INDEXER_UNDELIVERED', message, { hint: await this.#reason() }));
      return;
    }
    if (now - this.#reportedAt < REMIND_MS && this.#isQuiet) return;
    this.#reportedAt = now;
    this.#isQuiet = true;
    const seconds = Math.round(quiet / 1000);
    log.warn(
      `No document of pipeline ${pipeline} has finished for ${seconds} s. ${await this.#reason()} The run is waiting`,
    );
  }

  /** Returns the reason why no document finishes, and what to do. */
  async #reason(): Promise<string> {
    const { settings, pipeline, isExternal } = this.#options;
    try {
      const { groupId } = settings;
      const members = [
        ...((await this.#admin.describeGroups({ groups: [groupId] })).get(groupId)?.members.values() ?? []),
      ];
      const readersOf = (topic: string) => members.filter(({ metadata }) => metadata?.topics?.includes(topic) === true);
      const workers = readersOf(sourceTopic(settings, pipeline));
      const hasIndexer = readersOf(destTopic(pipeline)).length > 0;
      const needsIndexer = workers.some(({ clientId }) => clientId !== `headrace-worker-indexer-${pipeline}`);
      if (isExternal && (workers.length === 0 || (settings.format === 'lucille' && !hasIndexer))) {
        return `The worker or the indexer of this process has not joined the consumer group ${groupId} yet. Its messages say why.`;
      }
      if (workers.length === 0) {
        return `No worker is running. Start one: headrace worker CONFIG --pipeline ${pipeline}.`;
      }
      if (needsIndexer && !hasIndexer) {
        return `Workers are running, but no indexer is. Start one: headrace indexer CONFIG --pipeline ${pipeline}.`;
      }
      return `${members.length} processes of the consumer group ${groupId} are running. Look at their logs.`;
    } catch (error) {
      return `${kafkaError(settings.bootstrapServers, error).message}.`;
    }
  }
}
