import { internName, readJsonSequence, type Value } from '@headrace/engine';

const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
/** Integers of so many digits are exact as numbers. */
const MAX_DIGITS = 15;
/** Objects with more members are left to the general reader: here each name is compared with all before. */
const MAX_MEMBERS = 64;
const CONTROL = /[\u0000-\u001f]/g;
/** Beyond every text, and still a small integer. */
const NOWHERE = 0x3fffffff;

/** The names of the members of objects that look alike. */
export interface ObjectShape {
  readonly names: readonly string[];
  /** The names as in the text, with the colon. */
  readonly keys: readonly string[];
}

/**
 * Reads the objects of a text fast where they look like the one before: names are compared with the text instead of
 * read, and texts without escapes are found by a native search. Whatever is out of the ordinary is left to
 * `readJson`: `read` then gives false, and so it does for everything that is not JSON.
 */
export class JsonObjectReader {
  /** The members of the last object that was read. */
  shape: ObjectShape = { names: [], keys: [] };
  values: Value[] = [];
  #text = '';
  #at = 0;
  #nextBackslash = -1;
  #nextControl = -1;

  load(text: string): void {
    this.#text = text;
    this.#nextBackslash = this.#nextControl = -1;
  }

  /** Reads the object that begins at `start` and ends before `end`; the text after it is ignored. */
  read(start: number, end: number): boolean {
    const text = this.#text;
    const { names, keys } = this.shape;
    const values: Value[] = [];
    let ownNames: string[] | undefined;
    if (text.charCodeAt(start) !== OPEN_OBJECT) return false;
    let at = this.#skipSpace(start + 1);
    if (text.charCodeAt(at) === CLOSE_OBJECT) ownNames = [];
    else {
      for (let i = 0; ; i++) {
        if (ownNames === undefined && i < keys.length && text.startsWith(keys[i] as string, at)) {
          at += (keys[i] as string).length;
        } else {
          ownNames ??= names.slice(0, i);
          const name = this.#readName(at);
          if (name === undefined || ownNames.length >= MAX_MEMBERS || ownNames.includes(name)) return false;
          ownNames.push(name);
          at = this.#at;
        }
        const value = this.#readMember(this.#skipSpace(at), end);
        if (value === undefined) return false;
        values.push(value);
        at = this.#skipSpace(this.#at);
        const c = text.charCodeAt(at);
        if (c === CLOSE_OBJECT) break;
        if (c !== COMMA) return false;
        at = this.#skipSpace(at + 1);
      }
    }
    if (at >= end) return false;
    if (ownNames === undefined && values.length < names.length) ownNames = names.slice(0, values.length);
    if (ownNames !== undefined) this.shape = { names: ownNames, keys: ownNames.map((name) => `"${name}":`) };
    this.values = values;
    return true;
  }

  #skipSpace(from: number): number {
    const text = this.#text;
    let at = from;
    for (
      let c = text.charCodeAt(at);
      c === SPACE || (c <= 13 && c >= 9 && c !== 11 && c !== 12);
      c = text.charCodeAt(at)
    ) {
      at++;
    }
    return at;
  }

  /** The name that begins here, if it is plain; `at` is then after its colon. */
  #readName(at: number): string | undefined {
    const text = this.#text;
    if (text.charCodeAt(at) !== QUOTE) return undefined;
    const close = text.indexOf('"', at + 1);
    if (close < 0 || !this.#isPlain(at, close)) return undefined;
    const colon = this.#skipSpace(close + 1);
    if (text.charCodeAt(colon) !== COLON) return undefined;
    this.#at = colon + 1;
    return internName(text.slice(at + 1, close));
  }

  /** The value that begins here; `at` is then after it. */
  #readMember(at: number, end: number): Value | undefined {
    const text = this.#text;
    const c = text.charCodeAt(at);
    if (c === QUOTE) {
      const close = text.indexOf('"', at + 1);
      if (close < 0 || close >= end) return undefined;
      if (!this.#isPlain(at, close)) return this.#readAny(at, end);
      this.#at = close + 1;
      return text.slice(at + 1, close);
    }
    if (c === MINUS || (c >= ZERO && c <= NINE)) return this.#readInteger(at, end);
    if (text.startsWith('null', at)) {
      this.#at = at + 4;
      return null;
    }
    if (text.startsWith('true', at)) {
      this.#at = at + 4;
      return true;
    }
    if (text.startsWith('false', at)) {
      this.#at = at + 5;
      return false;
    }
    return this.#readAny(at, end);
  }

  #readInteger(start: number, end: number): Value | undefined {
    const text = this.#text;
    const negative = text.charCodeAt(start) === MINUS;
    const first = negative ? start + 1 : start;
    let at = first;
    let value = 0;
    let c = text.charCodeAt(at);
    for (; c >= ZERO && c <= NINE; c = text.charCodeAt(++at)) value = value * 10 + (c - ZERO);
    const digits = at - first;
    const leadingZero = digits > 1 && text.charCodeAt(first) === ZERO;
    if (digits === 0 || digits > MAX_DIGITS || leadingZero || c === DOT || c === 101 /* e */ || c === 69 /* E */) {
      return this.#readAny(start, end);
    }
    this.#at = at;
    return negative ? -value : value;
  }

  #readAny(at: number, end: number): Value | undefined {
    try {
      const found = readJsonSequence(this.#text.slice(at, end)).next();
      if (found.done === true) return undefined;
      this.#at = at + found.value.end;
      return found.value.value;
    } catch {
      // Not JSON: the general reader says where and why.
      return undefined;
    }
  }

  /** Whether the string between these quotes holds neither escapes nor characters that must be escaped. */
  #isPlain(open: number, close: number): boolean {
    const text = this.#text;
    if (this.#nextBackslash < open) {
      const at = text.indexOf('\\', open);
      this.#nextBackslash = at < 0 ? NOWHERE : at;
    }
    if (this.#nextBackslash < close) return false;
    if (this.#nextControl < open) {
      CONTROL.lastIndex = open;
      this.#nextControl = CONTROL.test(text) ? CONTROL.lastIndex - 1 : NOWHERE;
    }
    return this.#nextControl > close;
  }
}
