import { unreadReason } from '../publishing/unread.ts';
import type { PartitionPosition } from './group-member.ts';
import { Pace } from './pace.ts';

/** A chunk of published messages. */
export interface Published {
  /** The position after the last message, by partition. */
  readonly positions: ReadonlyMap<number, PartitionPosition>;
  readonly messages: number;
}

export interface SettledCommitsOptions {
  /** Commits positions. */
  readonly commit: (positions: Published['positions']) => Promise<void>;
  /** Resolves when all documents published so far count as read, as `Publisher.settled` does. */
  readonly settled: () => Promise<void>;
  /** True to commit only in `finish`. Defaults to false. */
  readonly atEnd?: boolean;
  /** Called with the reason when documents do not count as read: from now on, nothing is committed. */
  readonly onUnread: (reason: string) => void;
  /** Called with the committed offsets. */
  readonly onCommitted: (committed: Published) => void;
  /** Called with the reason if a commit failed. The commit is tried again. */
  readonly onFailed: (error: unknown) => void;
}

/** How often offsets are committed. */
const COMMIT_MS = 1000;
/** The wait after a failed commit while a partition waits to be released. */
const RELEASE_RETRY_MS = 200;
/** The maximum number of open `settled` calls. Chunks that are published while all are open share the next call. */
const MAX_ASKED = 1024;
/** How long `close` waits for open `settled` calls. They resolve sooner, unless a publisher never answers. */
const LAST_ANSWERS_MS = 1000;

/** `Published` that can change: released partitions are removed. */
interface Mutable {
  readonly positions: Map<number, PartitionPosition>;
  messages: number;
}

/**
 * Commits the offsets of one source every second. It commits only messages whose documents count as read. A slow
 * destination does not delay the commit of the messages before.
 */
export class SettledCommits {
  readonly pace = new Pace();
  /**
   * Documents do not count as read, or the run ends. Later offsets are not committed, because they would mark these
   * messages as read.
   */
  #broken = false;
  #unread: string | undefined;
  readonly #options: SettledCommitsOptions;
  /** Open `settled` calls with their messages, in the order of publication. */
  readonly #asked = new Map<Promise<void>, Mutable>();
  #unasked = nothing();
  #settled = nothing();
  /** The published messages whose offsets are being committed. */
  #sending = nothing();
  /** The position up to which publishing has started, for each assigned partition. */
  readonly #begun = new Map<number, PartitionPosition>();
  readonly #committed = new Map<number, bigint>();
  #committing: Promise<void> | undefined;
  #committedAt = Number.NEGATIVE_INFINITY;
  /** Whether the last commit has failed. */
  #failed = false;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;
  #lost = false;
  #releasing = 0;
  #waiting: (() => void)[] = [];

  constructor(options: SettledCommitsOptions) {
    this.#options = options;
  }

  /** Why some messages are not committed. Undefined if all documents count as read. */
  get unread(): string | undefined {
    return this.#unread;
  }

  /** Called before messages are published. Their partitions are released only after they have finished. */
  begin({ positions }: Published): void {
    for (const [partition, position] of positions) this.#begun.set(partition, position);
  }

  published(published: Published): void {
    this.pace.sent(published.messages);
    this.#unasked = together(this.#unasked, published);
    this.#ask();
  }

  /** Waits until more messages may be published. The messages in progress can always finish within seconds. */
  async waitForCapacity(signal: AbortSignal): Promise<void> {
    while (!this.pace.hasCapacity && !this.#broken && !this.#ended && !signal.aborted) await this.#progress(signal);
  }

  /**
   * Waits until all messages of some partitions are committed. Returns false if that is not possible. The caller must
   * not publish more messages of these partitions.
   */
  async release(partitions: readonly number[], signal: AbortSignal): Promise<boolean> {
    const isOpen = (partition: number) => {
      const position = this.#begun.get(partition);
      return position !== undefined && (this.#committed.get(partition) ?? -1n) < position.offset;
    };
    this.#releasing++;
    try {
      while (partitions.some(isOpen)) {
        if (this.#broken || this.#ended || signal.aborted || this.#options.atEnd === true) return false;
        this.#ask();
        this.#commitSoon();
        await this.#progress(signal);
      }
      return true;
    } finally {
      this.#releasing--;
    }
  }

  /** Stops commits for partitions that belong to other members now. */
  forgetPartitions(partitions: readonly number[]): void {
    for (const { positions } of [this.#unasked, this.#settled, this.#sending, ...this.#asked.values()]) {
      for (const partition of partitions) positions.delete(partition);
    }
    for (const partition of partitions) {
      this.#begun.delete(partition);
      this.#committed.delete(partition);
    }
  }

  /**
   * Commits all published messages if all their documents count as read.
   * @param unreadSince returns why some of the last documents do not
   */
  async finish(unreadSince: () => Promise<string | undefined>): Promise<void> {
    const unread = await unreadSince();
    await Promise.all(this.#asked.keys());
    await this.#end();
    if (unread !== undefined) this.#breakOff(unread);
    if (this.#unread !== undefined) return;
    this.#settled = nothing();
    if (this.#begun.size > 0) await this.#options.commit(this.#begun);
  }

  /** Commits the finished messages, and stops further commits. */
  async close(): Promise<void> {
    if (this.#ended) return;
    const answers = async () => {
      for (this.#ask(); this.#asked.size > 0; this.#ask()) await Promise.all(this.#asked.keys());
    };
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LAST_ANSWERS_MS);
    });
    await Promise.race([answers(), limit]);
    clearTimeout(timer);
    await this.#end();
    if (this.#settled.messages > 0 && this.#options.atEnd !== true) await this.#commit();
  }

  /** Stops without a commit, because the connection is lost. Uncommitted messages are read again. */
  forget(): void {
    this.#ended = true;
    this.#lost = true;
    clearTimeout(this.#timer);
    this.#notify();
  }

  async #end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#notify();
    await this.#committing;
  }

  #ask(): void {
    if (this.#unasked.messages === 0 || this.#asked.size >= MAX_ASKED || this.#ended) return;
    const about = this.#unasked;
    this.#unasked = nothing();
    const asking = this.#options
      .settled()
      .then(
        () => {
          if (!this.#broken) this.#settled = together(this.#settled, about);
        },
        (error) => {
          this.#broken = true;
          // For any other reason the run fails, and reports it.
          const unread = unreadReason(error);
          if (unread !== undefined) this.#breakOff(unread);
        },
      )
      .then(() => {
        this.#asked.delete(asking);
        this.pace.finished(about.messages);
        this.#ask();
        this.#commitSoon();
        this.#notify();
      });
    this.#asked.set(asking, about);
  }

  #breakOff(unread: string): void {
    if (this.#unread !== undefined) return;
    this.#unread = unread;
    this.#options.onUnread(unread);
  }

  #commitSoon(): void {
    if (this.#options.atEnd === true) return;
    if (this.#settled.messages === 0 || this.#committing !== undefined || this.#ended) return;
    clearTimeout(this.#timer);
    const pause = this.#releasing === 0 ? COMMIT_MS : this.#failed ? RELEASE_RETRY_MS : 0;
    const wait = this.#committedAt + pause - performance.now();
    if (wait > 0) {
      this.#timer = setTimeout(() => this.#commitSoon(), wait);
      return;
    }
    this.#committing = this.#commit().finally(() => {
      this.#committedAt = performance.now();
      this.#committing = undefined;
      this.#commitSoon();
      this.#notify();
    });
  }

  async #commit(): Promise<void> {
    this.#sending = this.#settled;
    this.#settled = nothing();
    try {
      const sent = new Map(this.#sending.positions);
      await this.#options.commit(sent);
      this.#failed = false;
      if (this.#lost) return;
      // `forgetPartitions` removed the partitions that were lost during the commit.
      for (const [partition, { offset }] of this.#sending.positions) this.#committed.set(partition, offset);
      this.#options.onCommitted(this.#sending);
    } catch (error) {
      if (this.#lost) return;
      this.#failed = true;
      this.#settled = together(this.#sending, this.#settled);
      this.#options.onFailed(error);
    } finally {
      this.#sending = nothing();
    }
  }

  /** Resolves at the next change of state. */
  #progress(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
      this.#waiting.push(wake);
    });
  }

  #notify(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

function nothing(): Mutable {
  return { positions: new Map(), messages: 0 };
}

function together(before: Published, after: Published): Mutable {
  return {
    positions: new Map([...before.positions, ...after.positions]),
    messages: before.messages + after.messages,
  };
}
