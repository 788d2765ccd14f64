/** The watch over one request. */
export interface Watch {
  /** Aborted when the server has been silent for too long. */
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * Watches a server that answers requests in sequence: a waiting request is not lost as long as others are answered.
 * Silence counts from the last sign of life of any request, or from the request's start.
 */
export class LifeSigns {
  readonly #limit: number;
  #last = Number.NEGATIVE_INFINITY;

  /** @param limit milliseconds */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The server sent something. */
  note(): void {
    this.#last = performance.now();
  }

  watch(): Watch {
    const controller = new AbortController();
    const start = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const look = () => {
      const left = Math.max(start, this.#last) + this.#limit - performance.now();
      if (left <= 0) controller.abort();
      else timer = setTimeout(look, Math.ceil(left));
    };
    look();
    return { signal: controller.signal, end: () => clearTimeout(timer) };
  }
}
