import type { CharsetDecoder } from './charset-decoder.ts';

const LF = 0x0a;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const ESCAPE = 0x1b;
/** The number of bytes after the first one in `ESC $ ) C`, which selects the character set. */
const DESIGNATION_REST = 3;

/**
 * Decodes ISO-2022-KR (RFC 1557), which neither `TextDecoder` nor iconv-lite supports. It is a variant of EUC-KR:
 * between SHIFT OUT and SHIFT IN each byte lacks its highest bit. The end of a line also ends this state.
 */
export class Iso2022KrDecoder implements CharsetDecoder {
  readonly #korean = new TextDecoder('euc-kr');
  #shifted = false;
  #skipped = 0;

  decode(bytes: Uint8Array, more: boolean): string {
    const plain = new Uint8Array(bytes.length);
    let length = 0;
    for (const byte of bytes) {
      if (this.#skipped > 0) this.#skipped--;
      else if (byte === ESCAPE) this.#skipped = DESIGNATION_REST;
      else if (byte === SHIFT_OUT || byte === SHIFT_IN) this.#shifted = byte === SHIFT_OUT;
      else {
        if (byte === LF) this.#shifted = false;
        plain[length++] = this.#shifted && byte > 0x20 && byte < 0x7f ? byte | 0x80 : byte;
      }
    }
    if (!more) {
      this.#shifted = false;
      this.#skipped = 0;
    }
    return this.#korean.decode(plain.subarray(0, length), { stream: more });
  }
}
