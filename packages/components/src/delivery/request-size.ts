/** Below this many bytes a request is not made smaller for the sake of a server that has too much to do. */
const SMALLEST = 16 * 1024;
const GROWTH = 1.25;

/**
 * How many bytes a request may have. It is halved when a server says that a request is too large (413) or that it has too
 * much to do (429), and grows back with every request that is taken, but not to what was too large. As congestion is
 * avoided in networks (Jacobson 1988), with a growth that is faster because requests are fewer than packets.
 */
export class RequestSize {
  #limit: number;
  /** The smallest request that was too large. */
  #refused: number;

  /** @param most bytes that no request may have, whatever the server would say */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#limit = most;
    this.#refused = most + 1;
  }

  get bytes(): number {
    return this.#limit;
  }

  tooLarge(bytes: number): void {
    this.#refused = Math.min(this.#refused, bytes);
    this.#limit = Math.min(this.#limit, Math.floor(bytes / 2));
  }

  overloaded(bytes: number): void {
    this.#limit = Math.min(this.#limit, Math.max(SMALLEST, Math.floor(bytes / 2)));
  }

  taken(): void {
    this.#limit = Math.min(this.#limit * GROWTH, this.#refused - 1);
  }
}
