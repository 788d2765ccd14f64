import type { ByteSource } from './byte-source.ts';
import { HARMLESS_BYTES, MAX_RATIO, unfoldsTooMuch } from './gzip.ts';

/**
 * Limits the unpacked size of one file with everything inside it. Nested archives would otherwise multiply the limit of
 * each archive.
 */
export class UnpackBudget {
  readonly #limit: number;
  #spent = 0;

  /** @param packed the size of the outermost file in bytes */
  constructor(packed: number) {
    this.#limit = Math.max(HARMLESS_BYTES, packed * MAX_RATIO);
  }

  /** Returns the same bytes and counts them. Reading fails if the total exceeds the limit. */
  async *spentBy(source: ByteSource): ByteSource {
    for await (const piece of source) {
      this.#spent += piece.length;
      if (this.#spent > this.#limit) throw unfoldsTooMuch();
      yield piece;
    }
  }
}
