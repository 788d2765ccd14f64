import type { Logger } from '@headrace/engine';

/** Members that have just joined get their partitions within this time. */
const PATIENCE_MS = 10_000;

/** Warns of a member of a group that has no partitions, because the others have them all. */
export class IdleWarning {
  readonly #topic: string;
  readonly #log: Logger;
  readonly #now: () => number;
  #idleSince: number | undefined;
  #isSaid = false;

  /** @param now the time in milliseconds */
  constructor(topic: string, log: Logger, now = () => performance.now()) {
    this.#topic = topic;
    this.#log = log;
    this.#now = now;
  }

  /** Call this from time to time. */
  look(partitions: readonly number[] | undefined): void {
    // The partitions are unknown while the group assigns them.
    if (partitions === undefined) return;
    if (partitions.length > 0) {
      this.#idleSince = undefined;
      this.#isSaid = false;
      return;
    }
    this.#idleSince ??= this.#now();
    if (this.#isSaid || this.#now() - this.#idleSince < PATIENCE_MS) return;
    this.#isSaid = true;
    this.#log.warn(
      `This process has nothing to do: other processes read all partitions of ${this.#topic}. It replaces one of them that ends. Add partitions to the topic, or stop this process`,
    );
  }
}
