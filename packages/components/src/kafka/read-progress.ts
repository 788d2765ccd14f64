import type { Published } from './settled-commits.ts';

/**
 * How far a run has read a topic. A run may open several sources: after a lost connection, the next source starts at
 * the committed offsets.
 */
export class ReadProgress {
  /** The number of messages that were read. A message that is read twice counts once. */
  received = 0;
  #committedMessages = 0;
  /** The partitions with at least one commit. */
  readonly #isRead = new Set<number>();
  /** The offset from which another run of the group would read each partition. */
  readonly #next = new Map<number, bigint>();
  readonly #begin: Map<number, bigint> | undefined;

  /** @param offsets the first offset to read, by partition; overrides the committed offsets */
  constructor(offsets: ReadonlyMap<number, bigint> | undefined) {
    this.#begin = offsets === undefined ? undefined : new Map(offsets);
  }

  /**
   * The start of a source, by partition: the requested offset, or the next one after the last commit. Missing
   * partitions start at the position of the group.
   */
  get offsets(): ReadonlyMap<number, bigint> | undefined {
    return this.#begin;
  }

  /** From which offset another run of the group reads each partition that this run has read. */
  get next(): ReadonlyMap<number, bigint> {
    return this.#next;
  }

  /** A chunk begins with this message of a partition. */
  began(partition: number, offset: bigint): void {
    if (!this.#next.has(partition)) this.#next.set(partition, offset);
  }

  committed({ positions, messages }: Published): void {
    this.#committedMessages += messages;
    for (const [partition, { offset }] of positions) {
      this.#isRead.add(partition);
      this.#next.set(partition, offset);
      if (this.#begin?.has(partition) === true) this.#begin.set(partition, offset);
    }
  }

  /** Partitions moved to other members. If one is assigned again later, it starts at the offset that they committed. */
  gone(partitions: readonly number[]): void {
    for (const partition of partitions) {
      this.#next.delete(partition);
      if (this.#isRead.has(partition)) this.#begin?.delete(partition);
    }
  }

  /** The connection is lost: uncommitted messages will be read again. */
  lost(): void {
    this.received = this.#committedMessages;
  }
}
