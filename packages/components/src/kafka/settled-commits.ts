import { isUndelivered } from '../connectors/delivered.ts';
import type { PartitionPosition } from './kafka-source.ts';

/** Messages that were published together. */
export interface Published {
  /** How far they go, by partition. */
  readonly positions: ReadonlyMap<number, PartitionPosition>;
  readonly messages: number;
}

export interface SettledCommitsOptions {
  /** Tells the group how far it has come. */
  readonly commit: (positions: Published['positions']) => Promise<void>;
  /** As `Publisher.settled`. */
  readonly settled: () => Promise<void>;
  /** Told what the group knows now. */
  readonly onCommitted: (committed: Published) => void;
  /** Told why the group does not know it yet: it is tried again. */
  readonly onFailed: (error: unknown) => void;
}

/** How often the group is told how far it has come. */
const COMMIT_MS = 2000;
/** The engine is asked about so many publications at once: what is published meanwhile is asked about together. */
const MAX_ASKED = 32;

const NOTHING: Published = { positions: new Map(), messages: 0 };

/**
 * Tells the group of one source how far it has come: every two seconds, what has come to its end by then. What comes to
 * its end later, however slow the destination is, does not keep it back.
 */
export class SettledCommits {
  /** Documents could not be delivered: what comes behind them is not committed, it would take them as read, too. */
  private undelivered = false;
  private readonly options: SettledCommitsOptions;
  private readonly asked = new Set<Promise<void>>();
  private unasked = NOTHING;
  private settled = NOTHING;
  /** All that was published. */
  private reached: Published['positions'] = NOTHING.positions;
  private committing: Promise<void> | undefined;
  private committedAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private ended = false;
  private lost = false;

  constructor(options: SettledCommitsOptions) {
    this.options = options;
  }

  published(published: Published): void {
    this.unasked = together(this.unasked, published);
    this.reached = together({ positions: this.reached, messages: 0 }, published).positions;
    this.ask();
  }

  /** Commits all that was published, if all of it was delivered; tells whether. */
  async finish(isDelivered: () => Promise<boolean>): Promise<boolean> {
    const delivered = await isDelivered();
    await Promise.all(this.asked);
    await this.end();
    if (this.undelivered || !delivered) return false;
    this.settled = NOTHING;
    await this.options.commit(this.reached);
    return true;
  }

  /** Commits what has come to its end, and nothing from then on. */
  async close(): Promise<void> {
    await this.end();
    if (this.settled.messages > 0) await this.commit();
  }

  /** The source is lost: what is not committed comes again. */
  forget(): void {
    this.ended = true;
    this.lost = true;
    clearTimeout(this.timer);
  }

  private async end(): Promise<void> {
    this.ended = true;
    clearTimeout(this.timer);
    await this.committing;
  }

  private ask(): void {
    if (this.unasked.messages === 0 || this.asked.size >= MAX_ASKED || this.ended) return;
    const about = this.unasked;
    this.unasked = NOTHING;
    const asking = this.options
      .settled()
      .then(
        () => {
          if (!this.undelivered) this.settled = together(this.settled, about);
        },
        // Any other reason is the end of the run, which tells it.
        (error) => {
          this.undelivered ||= isUndelivered(error);
        },
      )
      .then(() => {
        this.asked.delete(asking);
        this.ask();
        this.commitSoon();
      });
    this.asked.add(asking);
  }

  private commitSoon(): void {
    if (this.settled.messages === 0 || this.committing !== undefined || this.ended) return;
    clearTimeout(this.timer);
    const wait = this.committedAt + COMMIT_MS - Date.now();
    if (wait > 0) {
      this.timer = setTimeout(() => this.commitSoon(), wait);
      return;
    }
    this.committing = this.commit().finally(() => {
      this.committedAt = Date.now();
      this.committing = undefined;
      this.commitSoon();
    });
  }

  private async commit(): Promise<void> {
    const { settled } = this;
    this.settled = NOTHING;
    try {
      await this.options.commit(settled.positions);
      if (!this.lost) this.options.onCommitted(settled);
    } catch (error) {
      if (this.lost) return;
      this.settled = together(settled, this.settled);
      this.options.onFailed(error);
    }
  }
}

function together(before: Published, after: Published): Published {
  return {
    positions: new Map([...before.positions, ...after.positions]),
    messages: before.messages + after.messages,
  };
}
