import type { CharsetDecoder } from './charset-decoder.ts';

const LF = 0x0a;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const ESCAPE = 0x1b;
const HIGH_BIT = 0x80;
/** A byte that is invalid in GBK, and becomes U+FFFD. */
const INVALID = 0xff;
/** The escape sequence that selects GB 2312, without its first byte. */
const SIMPLIFIED = '$)A';
/** Other sequences: the character sets of Taiwan and ISO-IR-165, or one character of such a set (`ESC N`). */
const SEQUENCE = /^(?:\$[()*+].|[NO])$/s;
const MAX_SEQUENCE = 3;

/**
 * Decodes the simplified Chinese of ISO-2022-CN (RFC 1922), which neither `TextDecoder` nor iconv-lite supports. Between
 * SHIFT OUT and SHIFT IN, each character is two bytes of GB 2312 without their highest bits. Characters of the sets of
 * Taiwan (CNS 11643) become U+FFFD.
 */
export class Iso2022CnDecoder implements CharsetDecoder {
  readonly #chinese = new TextDecoder('gbk');
  #isShifted = false;
  #isSimplified = false;
  /** The bytes after an escape, or undefined outside a sequence. */
  #sequence: string | undefined;
  /** Whether the next character is of another set. */
  #isSingle = false;
  #first = 0;

  decode(bytes: Uint8Array, more: boolean): string {
    const plain: number[] = [];
    for (const byte of bytes) this.#add(byte, plain);
    if (!more) {
      if (this.#first !== 0) plain.push(INVALID);
      this.#isShifted = this.#isSimplified = this.#isSingle = false;
      this.#sequence = undefined;
      this.#first = 0;
    }
    return this.#chinese.decode(Uint8Array.from(plain), { stream: more });
  }

  #add(byte: number, plain: number[]): void {
    if (this.#sequence !== undefined) this.#continue(byte);
    else if (byte === ESCAPE) this.#sequence = '';
    else if (byte === SHIFT_OUT || byte === SHIFT_IN) this.#isShifted = byte === SHIFT_OUT;
    else if ((this.#isShifted || this.#isSingle) && byte > 0x20 && byte < 0x7f) this.#half(byte, plain);
    else {
      if (this.#first !== 0) plain.push(INVALID);
      this.#first = 0;
      this.#isSingle = false;
      if (byte === LF) this.#isShifted = false;
      plain.push(byte < HIGH_BIT ? byte : INVALID);
    }
  }

  #continue(byte: number): void {
    const sequence = `${this.#sequence}${String.fromCharCode(byte)}`;
    this.#sequence = sequence;
    if (SEQUENCE.test(sequence)) {
      if (sequence.startsWith('$)')) this.#isSimplified = sequence === SIMPLIFIED;
      if (!sequence.startsWith('$')) this.#isSingle = true;
      this.#sequence = undefined;
    } else if (sequence.length >= MAX_SEQUENCE) this.#sequence = undefined;
  }

  #half(byte: number, plain: number[]): void {
    if (this.#first === 0) this.#first = byte;
    else {
      if (this.#isSimplified && !this.#isSingle) plain.push(this.#first | HIGH_BIT, byte | HIGH_BIT);
      else plain.push(INVALID);
      this.#first = 0;
      this.#isSingle = false;
    }
  }
}
