import { kafkaError, withinCloseTime } from '@headrace/components/kafka';
import { counted, HeadraceError, type Logger } from '@headrace/engine';
import type { Admin } from '@platformatic/kafka';
import { ConsumerLag, type PartitionLag } from '../health/consumer-lag.ts';
import { openAdmin } from '../settings/kafka-admin.ts';
import type { KafkaSettings } from '../settings/kafka-settings.ts';
import { destTopic, sourceTopic } from '../settings/topics.ts';

export interface WatchOptions {
  readonly settings: KafkaSettings;
  readonly pipeline: string;
  readonly log: Logger;
  /** Whether the workers and indexers are in this process. */
  readonly isExternal: boolean;
  /** Returns the number of unfinished messages. */
  readonly unfinished: () => number;
  /** Returns the number of messages that the brokers have not stored yet. */
  readonly unwritten: () => number;
  /** Returns true if the run has received all results that are in the event topic. */
  readonly hasAllEvents: () => Promise<boolean>;
  /** Called when the run has waited for longer than `kafka.stallTimeoutSecs`. */
  readonly onStalled: (error: Error) => void;
}

/** How often the progress is checked. */
const LOOK_MS = 2000;
/** A warning is logged after this time without progress. */
const QUIET_MS = 4000;
/** The warning is repeated after this time, or when the reason changes. */
const REMIND_MS = 30_000;
/** The run ends after its documents were lost for this time. */
const LOST_MS = 10_000;

/** The reason why no document finishes, and what to do. `lost`: the documents cannot finish. */
interface Reason {
  readonly kind: 'brokers' | 'joining' | 'no-worker' | 'no-indexer' | 'unindexed' | 'busy' | 'lost';
  readonly text: string;
}

/**
 * Watches a distributed run. If no document finishes, it logs the reason: no workers, no indexers or no brokers. If the
 * messages of the documents no longer exist, it ends the run.
 */
export class RunProgressWatch {
  readonly #options: WatchOptions;
  readonly #admin: Admin;
  readonly #lags: readonly ConsumerLag[];
  // Not the time of day, which may jump.
  #progressAt = performance.now();
  #reportedAt = 0;
  #timer: NodeJS.Timeout;
  #looking: Promise<void> = Promise.resolve();
  #isQuiet = false;
  #kind: Reason['kind'] | undefined;
  #lostSince: number | undefined;
  /** Why no document finishes, and what to do. Undefined while documents finish. */
  problem: string | undefined;

  private constructor(options: WatchOptions, admin: Admin) {
    this.#options = options;
    const { settings, pipeline } = options;
    this.#lags = [sourceTopic(settings, pipeline), destTopic(settings, pipeline)].map(
      (topic) => new ConsumerLag(settings, topic),
    );
    this.#admin = admin;
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.#look());
    }, LOOK_MS);
    this.#timer.unref();
  }

  static async open(options: WatchOptions): Promise<RunProgressWatch> {
    return new RunProgressWatch(options, await openAdmin(options.settings, 'headrace-publisher'));
  }

  /** Call this when documents have finished. */
  progressed(): void {
    this.#progressAt = performance.now();
    this.problem = undefined;
    if (!this.#isQuiet) return;
    this.#isQuiet = false;
    this.#kind = undefined;
    this.#options.log.info(`The documents of pipeline ${this.#options.pipeline} are being processed again`);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await Promise.all(this.#lags.map((lag) => lag.close()));
    await withinCloseTime(this.#admin.close());
  }

  async #look(): Promise<void> {
    const { settings, pipeline, log, unfinished, onStalled } = this.#options;
    const now = performance.now();
    if (unfinished() === 0) this.#progressAt = now;
    const quiet = now - this.#progressAt;
    if (quiet < QUIET_MS) return;
    const { stallTimeoutSecs } = settings;
    if (stallTimeoutSecs > 0 && quiet > stallTimeoutSecs * 1000) {
      const message = `No document of pipeline ${pipeline} has finished for ${stallTimeoutSecs} s (kafka.stallTimeoutSecs)`;
      onStalled(new HeadraceError('HR_INDEXER_UNDELIVERED', message, { hint: (await this.#reason()).text }));
      return;
    }
    const { kind, text } = await this.#reason();
    const message = `No document of pipeline ${pipeline} has finished for ${Math.round(quiet / 1000)} s. ${text}`;
    // A document may have finished while the brokers were asked.
    this.problem = this.#progressAt > now ? undefined : message;
    // A member may have committed a message shortly before the run receives its result.
    this.#lostSince = kind === 'lost' ? (this.#lostSince ?? now) : undefined;
    if (this.#lostSince !== undefined && now - this.#lostSince > LOST_MS) {
      onStalled(new HeadraceError('HR_INDEXER_UNDELIVERED', message, { hint: 'Start the run again.' }));
      return;
    }
    if (now - this.#reportedAt < REMIND_MS && this.#isQuiet && kind === this.#kind) return;
    this.#reportedAt = now;
    this.#isQuiet = true;
    this.#kind = kind;
    log.warn(`${message} The run is waiting`);
  }

  async #reason(): Promise<Reason> {
    try {
      return await this.#findReason();
    } catch (error) {
      return { kind: 'brokers', text: `${kafkaError(this.#options.settings.bootstrapServers, error).message}.` };
    }
  }

  async #findReason(): Promise<Reason> {
    const { settings, pipeline, isExternal, unfinished, unwritten, hasAllEvents } = this.#options;
    const { groupId } = settings;
    const members = [
      ...((await this.#admin.describeGroups({ groups: [groupId] })).get(groupId)?.members.values() ?? []),
    ];
    const readersOf = (topic: string) => members.filter(({ metadata }) => metadata?.topics?.includes(topic) === true);
    const source = sourceTopic(settings, pipeline);
    const workers = readersOf(source);
    const hasIndexer = readersOf(destTopic(settings, pipeline)).length > 0;
    const needsIndexer = workers.some(({ clientId }) => clientId !== `headrace-worker-indexer-${pipeline}`);
    if (isExternal && (workers.length === 0 || (settings.format === 'lucille' && !hasIndexer))) {
      const text = `The worker or the indexer of this process has not joined the consumer group ${groupId} yet. Its messages say why.`;
      return { kind: 'joining', text };
    }
    const indexer = `Start one: headrace indexer CONFIG --pipeline ${pipeline}.`;
    if (workers.length > 0 && needsIndexer && !hasIndexer) {
      return { kind: 'no-indexer', text: `Workers are running, but no indexer is. ${indexer}` };
    }
    const [toProcess, toIndex] = (await Promise.all(this.#lags.map((lag) => lag.read()))).map(waiting);
    if (!hasIndexer && toIndex !== undefined && toIndex > 0) {
      const messages = counted(toIndex, 'message');
      return {
        kind: 'unindexed',
        text: `No indexer is running for ${messages} in ${destTopic(settings, pipeline)}. ${indexer}`,
      };
    }
    if (workers.length === 0) {
      return {
        kind: 'no-worker',
        text: `No worker is running. Start one: headrace worker CONFIG --pipeline ${pipeline}.`,
      };
    }
    // No message is left that could finish the documents. Workers of Lucille commit messages before they are indexed.
    const isRead = toProcess === 0 && toIndex === 0 && settings.format === 'headrace';
    if (isRead && unwritten() === 0 && unfinished() > 0 && (await hasAllEvents())) {
      const text = `All messages of ${source} are marked as read, but there is no result of ${counted(unfinished(), 'message')}. They were deleted before they were read (retention, a deleted topic), or another program of the consumer group ${groupId} has read them: its members are ${clientsOf(members)}.`;
      return { kind: 'lost', text };
    }
    return {
      kind: 'busy',
      text: `${members.length} processes of the consumer group ${groupId} are running. Look at their logs.`,
    };
  }
}

/** Returns the number of messages that wait for the group. Undefined if the brokers did not answer. */
function waiting({ lags }: { readonly lags: readonly PartitionLag[] }): number | undefined {
  return lags.length === 0 ? undefined : lags.reduce((sum, { messages }) => sum + Math.max(0, messages), 0);
}

/** Returns the names of the clients, each once. */
function clientsOf(members: readonly { readonly clientId: string }[]): string {
  return [...new Set(members.map(({ clientId }) => clientId))].sort().join(', ');
}
