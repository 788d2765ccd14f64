import { contractError } from '../errors/contract-error.ts';

/** An overloaded server does not reduce the size of requests below this number of bytes. */
const SMALLEST = 16 * 1024;
const GROWTH = 1.25;

/**
 * The maximum size of a request in bytes. It is halved if a server answers that a request is too large (413) or that it
 * is overloaded (429). Each accepted request increases it again, but it stays below the smallest request that was too
 * large. Source: congestion avoidance in networks (Jacobson 1988). The growth is faster here, because there are fewer
 * requests than packets.
 */
export class RequestSize {
  #limit: number;
  /** The smallest request that was too large. */
  #refused: number;

  /** @param most the maximum size of any request, in bytes */
  constructor(most = Number.POSITIVE_INFINITY) {
    requireBytes('The maximum size', most);
    this.#limit = most;
    this.#refused = most + 1;
  }

  get bytes(): number {
    return this.#limit;
  }

  tooLarge(bytes: number): void {
    requireBytes('The size', bytes);
    this.#refused = Math.min(this.#refused, bytes);
    this.#limit = Math.min(this.#limit, Math.floor(bytes / 2));
  }

  overloaded(bytes: number): void {
    requireBytes('The size', bytes);
    this.#limit = Math.min(this.#limit, Math.max(SMALLEST, Math.floor(bytes / 2)));
  }

  taken(): void {
    this.#limit = Math.min(this.#limit * GROWTH, this.#refused - 1);
  }
}

/** Throws `HR_COMPONENT_CONTRACT` for a size that is not a number: requests would be split without an end, or never. */
function requireBytes(what: string, bytes: unknown): void {
  if (typeof bytes === 'number' && bytes >= 0) return;
  throw contractError(`${what} of a request is ${String(bytes)}, not a number of bytes`);
}
