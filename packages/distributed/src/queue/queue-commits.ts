import { setTimeout as sleep } from 'node:timers/promises';
import type { PartitionPosition } from '@headrace/components/kafka';

/** A message that is being processed. */
export interface OpenMessage {
  readonly partition: number;
  readonly offset: bigint;
  readonly leaderEpoch: number;
  readonly value?: Uint8Array | undefined;
}

/** A message, and whether it is finished. */
interface Entry extends Omit<OpenMessage, 'value'> {
  readonly bytes: number;
  isDone: boolean;
}

/** The messages of a partition and its positions. */
interface Lane {
  /** The messages, in the order of their offsets. */
  entries: Entry[];
  /** The next position to commit. Undefined if all finished messages are committed. */
  position: PartitionPosition | undefined;
  /** The last committed position. */
  last: PartitionPosition | undefined;
  note: string;
}

export interface QueueCommitsOptions {
  readonly commit: (positions: ReadonlyMap<number, PartitionPosition>) => Promise<void>;
  /** Called when a commit has failed. The commit is tried again. */
  readonly onFailed: (error: unknown) => void;
  /** Returns true if no retry can succeed. */
  readonly isFinal?: (error: unknown) => boolean;
}

/** The group has taken the partition away, so nothing can be committed for it. */
export class PartitionGone extends Error {}

/** How often offsets are committed. */
const COMMIT_MS = 1000;
/** The wait before a commit is tried again. During a rebalance, the group accepts no commits. */
const RETRY_MS = 250;
/** The number of attempts for the last commit. */
const LAST_TRIES = 20;

/**
 * The note of a partition while a process owns it. A process removes it when it leaves. If the next owner finds it, the
 * process has died.
 */
export const BUSY = '{"busy":true}';

/**
 * Commits the offsets of finished messages. Messages finish in any order. The offset of a partition moves only past
 * messages that are all finished, and never backwards. Each commit also stores a note, which shows the next owner
 * whether this process has died.
 */
export class QueueCommits {
  readonly #options: QueueCommitsOptions;
  readonly #lanes = new Map<number, Lane>();
  readonly #changed: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #committing: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** When a message has finished, or when the first one began. */
  #progressAt = 0;

  constructor(options: QueueCommitsOptions) {
    this.#options = options;
  }

  /** The number of messages in progress. */
  get open(): number {
    let open = 0;
    for (const { entries } of this.#lanes.values()) open += entries.length;
    return open;
  }

  /** How long no message has finished, in milliseconds; 0 if none is in progress. */
  get idleMillis(): number {
    return this.open === 0 ? 0 : performance.now() - this.#progressAt;
  }

  get #openBytes(): number {
    let sum = 0;
    for (const { entries } of this.#lanes.values()) for (const { bytes, isDone } of entries) if (!isDone) sum += bytes;
    return sum;
  }

  /**
   * Adds a message that is being processed.
   * @param bytes the memory that its documents need, if it is not the length of the value
   */
  begin({ partition, offset, leaderEpoch, value }: OpenMessage, bytes = value?.length ?? 0): Entry {
    if (this.open === 0) this.#progressAt = performance.now();
    const entry = { partition, offset, leaderEpoch, bytes, isDone: false };
    this.#lane(partition).entries.push(entry);
    return entry;
  }

  /** Marks a message as finished. */
  done(entry: Entry): void {
    entry.isDone = true;
    this.#progressAt = performance.now();
    const lane = this.#lanes.get(entry.partition);
    // Another process may own the partition now.
    if (lane === undefined || !lane.entries.includes(entry)) return;
    for (let first = lane.entries[0]; first?.isDone === true; first = lane.entries[0]) {
      lane.entries.shift();
      lane.position = { offset: first.offset + 1n, leaderEpoch: first.leaderEpoch };
    }
    this.#timer ??= setTimeout(() => void this.#commitLater(), COMMIT_MS);
    this.#notify();
  }

  /**
   * Commits a position with a note immediately. A failed commit is tried again until no retry can succeed, or until the
   * partition is taken away. Then the promise rejects, in the second case with `PartitionGone`.
   */
  async commit(partition: number, position: PartitionPosition, note: string): Promise<void> {
    if (this.#isClosed) return;
    const lane = this.#lane(partition);
    lane.note = note;
    lane.position = undefined;
    for (;;) {
      try {
        return await this.#commitAll(new Map([[partition, { ...position, note }]]));
      } catch (error) {
        const isFinal = this.#options.isFinal?.(error) === true;
        if (isFinal || this.#isClosed) throw error;
        if (this.#lanes.get(partition) !== lane) throw new PartitionGone(undefined, { cause: error });
        this.#options.onFailed(error);
        await sleep(RETRY_MS);
      }
    }
  }

  /** Waits until only one message is in progress, or the signal is aborted. */
  async alone(signal: AbortSignal): Promise<void> {
    await this.#until(() => this.open <= 1, signal);
  }

  /** Returns true while a message is in progress. It is not if the group has taken its partition away. */
  has(entry: Entry): boolean {
    return this.#lanes.get(entry.partition)?.entries.includes(entry) === true;
  }

  /** Returns true if fewer messages and bytes than these limits are in progress. */
  isBelow(messages: number, bytes: number): boolean {
    return this.open < messages && this.#openBytes < bytes;
  }

  /** Waits until fewer messages and bytes than these limits are in progress. */
  async below(messages: number, bytes: number, signal: AbortSignal): Promise<void> {
    await this.#until(() => this.isBelow(messages, bytes), signal);
  }

  /** Finishes and commits the messages of partitions that the group takes away. Returns false if it could not. */
  async release(partitions: readonly number[], signal: AbortSignal): Promise<boolean> {
    const lanes = () => partitions.flatMap((partition) => this.#lanes.get(partition) ?? []);
    await this.#until(() => lanes().every(({ entries }) => entries.length === 0), signal);
    if (signal.aborted || this.#isClosed) return false;
    await this.#commitClean(partitions);
    return true;
  }

  /** Stops commits for partitions that another process owns now. */
  forget(partitions: readonly number[]): void {
    for (const partition of partitions) this.#lanes.delete(partition);
    this.#notify();
  }

  /**
   * Commits the finished messages, and stops further commits.
   * @param isInnocent true if no message has killed this process. Then unfinished messages are not processed alone
   *   either
   */
  async close(isInnocent = false): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#notify();
    await this.#committing.catch(() => undefined);
    for (let tries = 1; ; tries++) {
      try {
        return await this.#commitClean([...this.#lanes.keys()], isInnocent);
      } catch (error) {
        if (tries < LAST_TRIES && this.#options.isFinal?.(error) !== true) await sleep(RETRY_MS);
        else return this.#options.onFailed(error);
      }
    }
  }

  /** Commits positions. Removes the note of partitions without unfinished messages. */
  async #commitClean(partitions: readonly number[], isInnocent = false): Promise<void> {
    const positions = new Map<number, PartitionPosition>();
    for (const partition of partitions) {
      const lane = this.#lanes.get(partition);
      if (lane === undefined) continue;
      const position = lane.position ?? lane.last;
      if (position === undefined) continue;
      positions.set(partition, { ...position, note: isInnocent || lane.entries.length === 0 ? '' : lane.note });
    }
    await this.#commitAll(positions);
  }

  async #commitLater(): Promise<void> {
    this.#timer = undefined;
    if (this.#isClosed) return;
    const positions = new Map<number, PartitionPosition>();
    for (const [partition, lane] of this.#lanes) {
      if (lane.position !== undefined) positions.set(partition, { ...lane.position, note: lane.note });
      lane.position = undefined;
    }
    try {
      await this.#commitAll(positions);
    } catch (error) {
      for (const [partition, position] of positions) {
        const lane = this.#lanes.get(partition);
        if (lane !== undefined) lane.position ??= position;
      }
      this.#options.onFailed(error);
      if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.#commitLater(), COMMIT_MS);
    }
  }

  /** Commits in sequence: a later position must not arrive before an earlier one. */
  #commitAll(positions: ReadonlyMap<number, PartitionPosition>): Promise<void> {
    const committing = this.#committing
      .catch(() => undefined)
      .then(async () => {
        // A failed commit may be tried again after a later position was committed.
        const ahead = new Map([...positions].filter(([partition, { offset }]) => !this.#isBehind(partition, offset)));
        if (ahead.size === 0) return;
        await this.#options.commit(ahead);
        for (const [partition, position] of ahead) {
          const lane = this.#lanes.get(partition);
          if (lane !== undefined) lane.last = position;
        }
      });
    this.#committing = committing;
    return committing;
  }

  #isBehind(partition: number, offset: bigint): boolean {
    const last = this.#lanes.get(partition)?.last;
    return last !== undefined && offset < last.offset;
  }

  #lane(partition: number): Lane {
    return this.#lanes.getOrInsertComputed(partition, () => ({
      entries: [],
      position: undefined,
      last: undefined,
      note: BUSY,
    }));
  }

  async #until(isReached: () => boolean, signal: AbortSignal): Promise<void> {
    while (!isReached() && !signal.aborted && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
        this.#changed.push(resolve);
      });
    }
  }

  #notify(): void {
    for (const wake of this.#changed.splice(0)) wake();
  }
}
