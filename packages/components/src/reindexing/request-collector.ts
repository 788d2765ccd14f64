/** A part of a request, such as the few documents of a batch that have changed. */
interface Part<T, R> {
  readonly content: T;
  readonly size: number;
  resolve(result: R): void;
  reject(error: unknown): void;
}

interface CollectorOptions<T, R> {
  /** How many requests may be in flight. */
  readonly requests: number;
  /** The size of a full request. */
  readonly fullSize: number;
  /** Sends some parts in one request, and returns the result of each. */
  send(parts: readonly T[]): Promise<readonly R[]>;
}

/**
 * Sends small parts together. While no request is in flight, a part is sent immediately; during a request, parts wait
 * until they fill another request or the request ends. So requests get fuller if the server is slow, and no part waits
 * for a timer. (Nagle's algorithm, RFC 896.)
 */
export class RequestCollector<T, R> {
  readonly #options: CollectorOptions<T, R>;
  #waiting: Part<T, R>[] = [];
  #size = 0;
  #inFlight = 0;

  constructor(options: CollectorOptions<T, R>) {
    this.#options = options;
  }

  /** Resolves with the result of this part. */
  add(content: T, size: number): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ content, size, resolve, reject });
      this.#size += size;
      this.#sendSome();
    });
  }

  #sendSome(): void {
    const { requests, fullSize } = this.#options;
    while (this.#waiting.length > 0 && this.#inFlight < requests) {
      if (this.#inFlight > 0 && this.#size < fullSize) return;
      let [count, size] = [0, 0];
      do size += (this.#waiting[count++] as Part<T, R>).size;
      while (count < this.#waiting.length && size + (this.#waiting[count] as Part<T, R>).size <= fullSize);
      this.#size -= size;
      void this.#send(this.#waiting.splice(0, count));
    }
  }

  async #send(parts: readonly Part<T, R>[]): Promise<void> {
    this.#inFlight++;
    try {
      const results = await this.#options.send(parts.map(({ content }) => content));
      parts.forEach((part, i) => {
        part.resolve(results[i] as R);
      });
    } catch (error) {
      for (const part of parts) part.reject(error);
    }
    this.#inFlight--;
    this.#sendSome();
  }
}

/** Documents of a batch: their bytes and the number of bytes of each. */
export interface BatchPart {
  readonly count: number;
  readonly pieces: readonly Uint8Array[];
  lengths(): Uint32Array;
}

/** Returns the documents of several batches as one. */
export function joinBatches(parts: readonly BatchPart[]): BatchPart {
  const lengths = parts.flatMap((part) => [...part.lengths()]);
  const pieces = parts.flatMap((part) => part.pieces);
  return { count: lengths.length, pieces, lengths: () => Uint32Array.from(lengths) };
}

/** Returns the failures of each batch from those of the joined batch. */
export function splitFailures<F extends { readonly index: number }>(
  failures: readonly F[],
  parts: readonly Pick<BatchPart, 'count'>[],
): F[][] {
  let from = 0;
  return parts.map(({ count }) => {
    const start = from;
    from += count;
    const own = failures.filter(({ index }) => index >= start && index < start + count);
    return own.map((failure) => ({ ...failure, index: failure.index - start }));
  });
}
