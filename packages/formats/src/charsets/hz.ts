import type { CharsetDecoder } from './charset-decoder.ts';

const LF = 0x0a;
const TILDE = 0x7e;
const OPEN = 0x7b;
const CLOSE = 0x7d;
/** The first byte of the last row of characters in GB 2312. */
const LAST_ROW = 0x77;
const HIGH_BIT = 0x80;
/** A byte that is invalid in GBK, and becomes U+FFFD. */
const INVALID = 0xff;

/**
 * Decodes HZ-GB-2312 (RFC 1843), which neither `TextDecoder` nor iconv-lite supports. Between `~{` and `~}`, each
 * character is two bytes of GB 2312 without their highest bits. `~~` is a tilde, and a tilde before a line end joins two
 * lines. The end of a line also ends Chinese text.
 */
export class HzDecoder implements CharsetDecoder {
  readonly #chinese = new TextDecoder('gbk');
  #isChinese = false;
  /** The byte before, if it begins a character or is a tilde. */
  #first = 0;

  decode(bytes: Uint8Array, more: boolean): string {
    const plain: number[] = [];
    for (const byte of bytes) this.#add(byte, plain);
    if (!more) {
      if (this.#first !== 0) plain.push(this.#first === TILDE && !this.#isChinese ? TILDE : INVALID);
      this.#isChinese = false;
      this.#first = 0;
    }
    return this.#chinese.decode(Uint8Array.from(plain), { stream: more });
  }

  #add(byte: number, plain: number[]): void {
    const first = this.#first;
    this.#first = 0;
    if (byte === LF) {
      if (first !== 0 && (first !== TILDE || this.#isChinese)) plain.push(INVALID);
      if (first !== TILDE) plain.push(LF);
      this.#isChinese = false;
    } else if (first === TILDE && (byte === OPEN || byte === CLOSE)) {
      this.#isChinese = byte === OPEN;
    } else if (first === TILDE && !this.#isChinese) {
      plain.push(TILDE);
      if (byte !== TILDE) this.#add(byte, plain);
    } else if (first !== 0) {
      if (byte > 0x20 && byte < 0x7f && first <= LAST_ROW) plain.push(first | HIGH_BIT, byte | HIGH_BIT);
      else plain.push(INVALID, byte);
    } else if (byte === TILDE || (this.#isChinese && byte > 0x20 && byte < 0x7f)) this.#first = byte;
    else plain.push(byte < HIGH_BIT ? byte : INVALID);
  }
}
