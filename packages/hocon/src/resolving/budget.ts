import type { Session } from '../parsing/session.ts';
import type { Origin } from '../tree/node.ts';
import type { Raw } from '../tree/raw.ts';
import { Extents, sizeOfText } from './extent.ts';
import { broken, type ResolveProblems } from './resolve-problems.ts';

/** Thrown if a text needs more work than the limit. */
export class TooMuchWork extends Error {}

/**
 * Keeps the work of substitutions within the limits. A result that is too large is reported once, at the first
 * position.
 */
export class Budget {
  readonly #session: Session;
  readonly #problems: ResolveProblems;
  readonly #extents = new Extents();
  /** The text itself is limited by its length, so only the values that substitutions add can exceed this. */
  readonly #most: number;
  /** A step for each character of the text is free, so that long ordinary texts stay far below the limit. */
  readonly #mostSteps: number;
  #steps = 0;
  #exceeded = false;

  constructor(session: Session, problems: ResolveProblems) {
    this.#session = session;
    this.#problems = problems;
    const { limits, textLength, includedText } = session;
    this.#most = limits.size + textLength + includedText;
    this.#mostSteps = limits.steps + textLength + includedText;
  }

  /** @throws TooMuchWork */
  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > this.#mostSteps) throw new TooMuchWork();
  }

  sizeOf(value: Raw): number {
    return this.#extents.sizeOf(value);
  }

  /**
   * Whether a value may be added to an object or list whose resolved values together have this size; if not, reports
   * it.
   */
  fits(value: Raw, size: number, origin: Origin): boolean {
    const { limits } = this.#session;
    const isLarge = size > this.#most;
    if (!isLarge && this.#extents.depthOf(value) < limits.depth) return true;
    if (!this.#exceeded) {
      if (isLarge) this.#problems.tooLarge(limits.size, origin);
      else this.#problems.tooDeep(limits.depth, origin);
    }
    this.#exceeded = true;
    return false;
  }

  /** The same for a string of this length, before it is created. */
  fitsText(length: number, origin: Origin): boolean {
    if (sizeOfText(length) <= this.#most) return true;
    if (!this.#exceeded) this.#problems.tooLarge(this.#session.limits.size, origin);
    this.#exceeded = true;
    return false;
  }

  /** A value that a substitution inserts, or a placeholder if it is refused. */
  admit(value: Raw, origin: Origin): Raw {
    return this.fits(value, this.sizeOf(value), origin) ? value : broken(origin);
  }
}
