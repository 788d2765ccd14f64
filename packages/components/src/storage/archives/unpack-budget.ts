import type { ByteSource } from '../../formats/byte-source.ts';
import { HARMLESS_BYTES, MAX_RATIO, unfoldsTooMuch } from './decompress.ts';

/**
 * Bounds what one file unfolds to with everything inside it: archives in archives multiply what each of them may do.
 */
export class UnpackBudget {
  readonly #limit: number;
  #spent = 0;

  /** @param packed the size of the outermost file in bytes */
  constructor(packed: number) {
    this.#limit = Math.max(HARMLESS_BYTES, packed * MAX_RATIO);
  }

  /** The same bytes, which count. Reading them fails when all together are too many. */
  async *spentBy(source: ByteSource): ByteSource {
    for await (const piece of source) {
      this.#spent += piece.length;
      if (this.#spent > this.#limit) throw unfoldsTooMuch();
      yield piece;
    }
  }
}
