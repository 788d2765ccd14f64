/** The time limit of one request. */
export interface Watch {
  /** This signal is aborted if the server was silent for too long. */
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * Detects a silent server. The server answers requests in sequence, so a waiting request continues while others are
 * answered. Silence is counted from the last data for any request, or from the start of the request.
 */
export class LifeSigns {
  readonly #limit: number;
  #last = Number.NEGATIVE_INFINITY;

  /** @param limit the maximum silence in milliseconds */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Records that the server sent data. */
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
