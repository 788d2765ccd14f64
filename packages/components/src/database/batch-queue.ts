/** The source of the items. The queue pauses it while too many items wait. */
export interface FlowSource {
  pause(): void;
  resume(): void;
}

/** A bounded queue between a driver that pushes items and one slower reader. The driver pauses if the queue is full. */
export class BatchQueue<T> implements AsyncIterable<T> {
  readonly #source: FlowSource;
  readonly #capacity: number;
  #items: { readonly item: T; readonly weight: number }[] = [];
  #weight = 0;
  #paused = false;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** @param capacity the total weight of waiting items at which the source pauses; it continues at half of it */
  constructor(source: FlowSource, capacity: number) {
    this.#source = source;
    this.#capacity = capacity;
  }

  push(item: T, weight: number): void {
    this.#items.push({ item, weight });
    this.#weight += weight;
    if (this.#weight >= this.#capacity && !this.#paused) {
      this.#paused = true;
      this.#source.pause();
    }
    this.#notify();
  }

  /** Marks the end of the items. */
  end(): void {
    this.#ended = true;
    this.#notify();
  }

  /** Ends the queue with an error. The reader receives the error after the waiting items. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#notify();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const next = this.#items.shift();
      if (next !== undefined) {
        yield next.item;
        // The weight is subtracted only now, because the item that the reader was processing counts too.
        this.#weight -= next.weight;
        if (this.#paused && this.#weight <= this.#capacity / 2) {
          this.#paused = false;
          this.#source.resume();
        }
      } else if (this.#failure !== undefined) throw this.#failure.error;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
