/** Where the items come from: it is held up while too much waits to be taken. */
export interface FlowSource {
  pause(): void;
  resume(): void;
}

/**
 * What lies between a driver that pushes and a reader that takes its time: bounded by pausing the driver. One reader.
 */
export class BatchQueue<T> implements AsyncIterable<T> {
  readonly #source: FlowSource;
  readonly #capacity: number;
  #items: { readonly item: T; readonly weight: number }[] = [];
  #weight = 0;
  #paused = false;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** @param capacity the weight of all that waits at which the source is paused; it goes on at half of it */
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

  /** There is no more. */
  end(): void {
    this.#ended = true;
    this.#notify();
  }

  /** There is no more because of an error, which the reader gets behind what came before. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#notify();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const next = this.#items.shift();
      if (next !== undefined) {
        yield next.item;
        // Only now: what the reader works on counts too.
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
