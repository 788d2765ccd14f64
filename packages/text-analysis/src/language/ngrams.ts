import { IDEOGRAPHS } from './profiles.generated.ts';

/** The number of the blank among the characters of n-grams. 0 is not a character. */
const BLANK = 1;

/** The maximum number of n-gram positions in a text, evenly distributed. More positions do not improve the result. */
const ENOUGH_PLACES = 2000;

const URL_OR_MAIL = /https?:\/\/[\w.?&~;+=/#%-]+|[\w.-]{1,64}@[\w.-]{1,255}/g;

/**
 * The characters of n-grams. Characters of the profiles have numbers from 2 on, all others have 0. Characters that only
 * identify a language as a group have one number: Hangul syllables, Hiragana, Katakana, ideographs that occur together.
 */
export class Alphabet {
  readonly #numbers = new Map<string, number>();
  readonly #ideographs = new Map<string, string>();
  /**
   * For each UTF-16 unit, the number doubled, plus one for a capital. Created after the profiles have defined their
   * characters.
   */
  #units: Uint16Array | undefined;

  constructor() {
    for (const line of IDEOGRAPHS.split('\n')) for (const unit of line) this.#ideographs.set(unit, line.charAt(0));
  }

  /** Returns the number of a character of a profile. Assigns one if it has none. */
  number(unit: string): number {
    if (unit === ' ') return BLANK;
    let number = this.#numbers.get(unit);
    if (number === undefined) {
      number = this.#numbers.size + 2;
      this.#numbers.set(unit, number);
    }
    return number;
  }

  /**
   * Calls a function for each n-gram of one to three characters. Missing first characters are 0. Words in capitals have
   * no n-grams. In long texts, some n-grams are skipped evenly.
   */
  forEachNgram(text: string, visit: (a: number, b: number, c: number) => void): void {
    this.#units ??= this.#unitTable();
    const units = this.#units;
    const withoutLatin = isMostlyOtherScript(text);
    const step = Math.ceil(text.length / ENOUGH_PLACES);
    let a = 0;
    let b = 0;
    let c = BLANK;
    let capital = false;
    let capitals = false;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (withoutLatin && isLatinLetter(code)) continue;
      const unit = units[code] as number;
      const next = unit >> 1;
      if (c === BLANK) {
        if (next === BLANK) continue;
        a = 0;
        b = BLANK;
        capitals = false;
        capital = false;
      } else {
        a = b;
        b = c;
      }
      c = next;
      const isCapital = (unit & 1) === 1;
      capitals = isCapital && (capital || capitals);
      capital = isCapital;
      if (capitals || (step > 1 && i % step !== 0)) continue;
      if (c !== BLANK) visit(0, 0, c);
      visit(0, b, c);
      if (a !== 0) visit(a, b, c);
    }
  }

  #unitTable(): Uint16Array {
    return Uint16Array.from({ length: 0x10000 }, (_, code) => {
      const unit = String.fromCharCode(code);
      const normal = this.#normalize(code, unit);
      const number = normal === ' ' ? BLANK : (this.#numbers.get(normal) ?? 0);
      return number * 2 + (unit === unit.toLowerCase() ? 0 : 1);
    });
  }

  #normalize(code: number, unit: string): string {
    if (code < 0x80) return isLatinLetter(code) ? unit : ' ';
    if (code < 0x100) return '\u00a0\u00ab\u00b0\u00bb'.includes(unit) ? ' ' : unit;
    if (code >= 0x2000 && code <= 0x206f) return ' ';
    // Romanian letters with a comma below are also written with a cedilla.
    if (code === 0x219) return '\u015f';
    if (code === 0x21b) return '\u0163';
    // The Persian yeh is often written as the Arabic one.
    if (code === 0x6cc) return '\u064a';
    // Letters that only Vietnamese uses.
    if (code >= 0x1ea0 && code <= 0x1eff) return '\u1ec3';
    if (code >= 0x3040 && code <= 0x309f) return '\u3042';
    if (code >= 0x30a0 && code <= 0x30ff) return '\u30a2';
    if ((code >= 0x3100 && code <= 0x312f) || (code >= 0x31a0 && code <= 0x31bf)) return '\u3105';
    if (code >= 0xac00 && code <= 0xd7a3) return '\uac00';
    if (isJamo(code)) return '\u314b';
    return this.#ideographs.get(unit) ?? unit;
  }
}

/** Returns a text prepared for n-grams: characters composed, without URLs and mail addresses. */
export function plainText(text: string): string {
  const composed = /[\u0300-\u036f]/.test(text) ? text.normalize('NFC') : text;
  return composed.includes('@') || composed.includes('://') ? composed.replace(URL_OR_MAIL, ' ') : composed;
}

/** Returns whether a text has so few Latin letters that they are probably names in a text of another script. */
function isMostlyOtherScript(text: string): boolean {
  let latin = 0;
  let other = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isLatinLetter(code)) latin++;
    else if (code >= 0x300 && !(code >= 0x1e00 && code <= 0x1eff) && !(code >= 0x2000 && code <= 0x206f)) other++;
  }
  return latin * 2 < other;
}

function isLatinLetter(code: number): boolean {
  return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
}

function isJamo(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x11ff) ||
    (code >= 0x3130 && code <= 0x318f) ||
    (code >= 0xa960 && code <= 0xa97f) ||
    (code >= 0xd7b0 && code <= 0xd7ff)
  );
}
