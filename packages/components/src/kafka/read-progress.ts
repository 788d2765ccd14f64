import type { Published } from './settled-commits.ts';

/** How far a run has read a topic, over all sources that it opens: one that is lost begins again at what was committed. */
export class ReadProgress {
  /** How many messages were read; those that come again count once. */
  received = 0;
  #committedMessages = 0;
  /** Partitions of which something was committed. */
  readonly #isRead = new Set<number>();
  readonly #begin: Map<number, bigint> | undefined;

  /** @param offsets where the run is to begin, by partition, whatever the group has committed */
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

  committed({ positions, messages }: Published): void {
    this.#committedMessages += messages;
    for (const [partition, { offset }] of positions) {
      this.#isRead.add(partition);
      if (this.#begin?.has(partition) === true) this.#begin.set(partition, offset);
    }
  }

  /** Partitions went to other members: when one comes back, it begins where they have committed. */
  gone(partitions: readonly number[]): void {
    for (const partition of partitions) if (this.#isRead.has(partition)) this.#begin?.delete(partition);
  }

  /** The source is lost: what was not committed comes again. */
  lost(): void {
    this.received = this.#committedMessages;
  }
}
