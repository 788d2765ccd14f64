import type { Session } from '../parsing/session.ts';
import type { Origin } from '../tree/node.ts';
import type { Raw } from '../tree/raw.ts';
import { Extents, sizeOfText } from './extent.ts';
import { broken, type ResolveProblems } from './resolve-problems.ts';

/** The error for a text that needs more work than the limit. */
export class TooMuchWork extends Error {}

/** Limits the work of substitutions. A result that is too large is reported once, at the first position. */
export class Budget {
  readonly #session: Session;
  readonly #problems: ResolveProblems;
  readonly #extents = new Extents();
  /**
   * The maximum size. The length of the text limits the text itself, so only values that substitutions add can exceed
   * it.
   */
  readonly #most: number;
  /**
   * The maximum number of steps. One step per character of the text is free, so long ordinary texts stay far below it.
   */
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

  /**
   * Counts steps.
   * @throws TooMuchWork above the maximum
   */
  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > this.#mostSteps) throw new TooMuchWork();
  }

  sizeOf(value: Raw): number {
    return this.#extents.sizeOf(value);
  }

  /**
   * Returns true if a value may be added to an object or list, whose resolved values then have this size in total.
   * Otherwise reports a problem.
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

  /** Returns true if a string of this length may be created. Otherwise reports a problem. */
  fitsText(length: number, origin: Origin): boolean {
    if (sizeOfText(length) <= this.#most) return true;
    if (!this.#exceeded) this.#problems.tooLarge(this.#session.limits.size, origin);
    this.#exceeded = true;
    return false;
  }

  /** Returns a value that a substitution inserts, or a placeholder if the value is too large. */
  admit(value: Raw, origin: Origin): Raw {
    return this.fits(value, this.sizeOf(value), origin) ? value : broken(origin);
  }
}
