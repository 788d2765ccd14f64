export interface BatchOptions<Item, Result> {
  /** Items of one batch, at most. */
  readonly maxItems: number;
  /** What the items of one batch may weigh together; a heavier one goes alone. Without it weight does not count. */
  readonly maxWeight?: number;
  readonly weigh?: (item: Item) => number;
  /** Asks for a whole batch: for each item, in their order, its result or the reason why it alone has none. */
  readonly load: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>;
  /** Whether a batch that was refused so may hold a bad item: then its halves are asked for, until that one fails alone. */
  readonly mayBeOneItem: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Collects what is asked for within one turn of the event loop into batches, for protocols that answer many questions at
 * once: documents that are in flight together share requests. Batches are asked for side by side.
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

  /** Never rejects: each of the batch gets its result or its error. */
  async #send(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.load(batch.map(({ item }) => item));
      if (results.length !== batch.length) {
        throw new Error(`${batch.length} results were asked for, ${results.length} came`);
      }
      for (const [i, { resolve, reject }] of batch.entries()) {
        const result = results[i] as Result | Error;
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      if (batch.length > 1 && this.#options.mayBeOneItem(error)) {
        const half = batch.length >>> 1;
        await Promise.all([this.#send(batch.slice(0, half)), this.#send(batch.slice(half))]);
      } else for (const { reject } of batch) reject(error);
    }
  }
}
