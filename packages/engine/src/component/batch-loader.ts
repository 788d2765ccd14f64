export interface BatchOptions<Item, Result> {
  /** The maximum number of items in a batch. */
  readonly maxItems: number;
  /** The maximum total weight of a batch; a heavier item is sent alone. Undefined: no limit. */
  readonly maxWeight?: number;
  readonly weigh?: (item: Item) => number;
  /**
   * Loads a whole batch. Returns for each item, in order, its result or the error of this item.
   * @param isPart true for a part of a batch that failed
   */
  readonly load: (items: readonly Item[], isPart: boolean) => Promise<readonly (Result | Error)[]>;
  /**
   * Returns whether a single item may have caused the failure of a batch. If true, the loader sends each half of the
   * batch again, until the bad item fails alone.
   */
  readonly mayBeOneItem: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Collects the requests of one turn of the event loop into batches, for protocols that answer many requests in one
 * call: the documents that are processed at the same time share calls. Batches are loaded concurrently.
 */
export class BatchLoader<Item, Result> {
  readonly #options: BatchOptions<Item, Result>;
  #queue: Waiting<Item, Result>[] = [];

  constructor(options: BatchOptions<Item, Result>) {
    this.#options = options;
  }

  load(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#queue.push({ item, resolve, reject }) === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const { maxItems, maxWeight = Number.POSITIVE_INFINITY, weigh = () => 0 } = this.#options;
    const queue = this.#queue;
    this.#queue = [];
    let batch: Waiting<Item, Result>[] = [];
    let weight = 0;
    for (const waiting of queue) {
      const own = weigh(waiting.item);
      if (batch.length === maxItems || (batch.length > 0 && weight + own > maxWeight)) {
        void this.#send(batch);
        batch = [];
        weight = 0;
      }
      batch.push(waiting);
      weight += own;
    }
    void this.#send(batch);
  }

  /** Resolves or rejects each item of the batch. Never rejects itself. */
  async #send(batch: readonly Waiting<Item, Result>[], isPart = false): Promise<void> {
    try {
      const results = await this.#options.load(
        batch.map(({ item }) => item),
        isPart,
      );
      if (results.length !== batch.length) {
        throw new Error(`expected ${batch.length} results, received ${results.length}`);
      }
      for (const [i, { resolve, reject }] of batch.entries()) {
        const result = results[i] as Result | Error;
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      if (batch.length > 1 && this.#options.mayBeOneItem(error)) {
        const half = batch.length >>> 1;
        await Promise.all([this.#send(batch.slice(0, half), true), this.#send(batch.slice(half), true)]);
      } else for (const { reject } of batch) reject(error);
    }
  }
}
