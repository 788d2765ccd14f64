import { HeadraceError } from '../errors/headrace-error.ts';
import { internName, isInterned } from './names.ts';
import { LONG_LIST, readNumbers } from './number-list.ts';
import { double, integer, type JsonObject, type Value } from './value.ts';

/** The maximum nesting. Deeper nesting would overflow the stack. The parser of the reference refuses it too. */
const MAX_DEPTH = 1000;
/**
 * The maximum length of a number. The time to read a number grows with the square of its length. The parser of the
 * reference also refuses longer numbers.
 */
const MAX_NUMBER_LENGTH = 1000;

/** The error for a text that is not JSON. `at` is the offset of the wrong character. */
export class JsonSyntaxError extends HeadraceError {
  readonly at: number;

  constructor(message: string, at: number) {
    super('HR_DOCUMENT_SYNTAX', message);
    this.at = at;
  }
}

/**
 * Returns the JSON value at the start of the text, without loss: objects are ordered maps, `1.0` is a double, long
 * integers are exact. For duplicate keys, uses the last value at the position of the first key. Ignores the text after
 * the value, as the reference does. `readJsonSequence` reads that text too. Throws `JsonSyntaxError`.
 */
export function readJson(text: string): Value {
  return firstValue(new JsonReader(text));
}

/**
 * Returns the JSON value at the start of the text as `readJson` does, with null for NaN, Infinity and -Infinity.
 *
 * @param onNonFinite called for each of these words
 */
export function readNonFiniteJson(text: string, onNonFinite: (word: string) => void): Value {
  return firstValue(new JsonReader(text, false, onNonFinite));
}

function firstValue(reader: JsonReader): Value {
  reader.skipSpace();
  if (reader.at >= reader.text.length)
    throw new JsonSyntaxError('Expected a JSON value, found the end of the text', reader.at);
  return reader.value(0);
}

/** Returns the first error of the text, with its offset; undefined if it begins with a JSON value. */
export function jsonErrorOf(text: string): JsonSyntaxError | undefined {
  try {
    readJson(text);
    return undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
}

/** Yields all JSON values of the text in sequence, with their offsets. White space between the values is optional. */
export function* readJsonSequence(text: string): Generator<{ value: Value; at: number; end: number }> {
  const reader = new JsonReader(text);
  for (reader.skipSpace(); reader.at < text.length; reader.skipSpace()) {
    const at = reader.at;
    yield { value: reader.value(0), at, end: reader.at };
  }
}

const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const HEX = /[0-9a-fA-F]{4}/y;
const NON_FINITE = ['NaN', 'Infinity', '-Infinity'];

/** Powers of ten that a double represents exactly. Sufficient for numbers of `MAX_EXACT_DIGITS` digits. */
const POWERS = Array.from({ length: 16 }, (_, i) => 10 ** i);
/** All integers with up to this number of digits are exact as numbers. */
const MAX_EXACT_DIGITS = 15;
const CONTROL = /[\u0000-\u001f]/g;
/** A position after the end of every text. It is still a small integer in V8. */
const NOWHERE = 0x3fffffff;

/**
 * A key of nested objects. Most objects have the keys of earlier ones in the same order, so the reader compares the text
 * with the key that is expected next. Reading and looking up a name takes three times as long.
 */
interface Key {
  readonly name: string;
  /** The key as it is written in the text, with the colon. Undefined if it is not expected again, or has escapes. */
  readonly written: string | undefined;
  /** The key that followed this key last, and the first key of the last object that was its value. */
  next: Key | undefined;
  inside: Key | undefined;
}

/** The keys with interned names. */
const keys = new Map<string, Key>();

function keyOf(text: string): Key {
  const known = keys.get(text);
  if (known !== undefined) return known;
  const name = internName(text);
  const isKept = isInterned(name);
  const isPlain = isKept && JSON.stringify(name).length === name.length + 2;
  const key: Key = { name, written: isPlain ? `"${name}":` : undefined, next: undefined, inside: undefined };
  if (isKept) keys.set(name, key);
  return key;
}

const ROOT = keyOf('');

/** Reads JSON values from a text, from start to end. */
export class JsonReader {
  readonly text: string;
  /** True if the text has no control characters except LF. */
  readonly lfOnly: boolean;
  /** The offset of the next character. It never decreases. */
  at = 0;
  // The positions of the next backslash and the next control character. They are searched again only after the reader
  // has passed them, so one native search covers many strings.
  #nextBackslash = -1;
  #nextControl = -1;
  /** The key whose value is being read. */
  #key = ROOT;

  readonly #onNonFinite: ((word: string) => void) | undefined;

  constructor(text: string, lfOnly = false, onNonFinite?: (word: string) => void) {
    this.text = text;
    this.lfOnly = lfOnly;
    this.#onNonFinite = onNonFinite;
  }

  skipSpace(): void {
    const { text } = this;
    for (;;) {
      const c = text.charCodeAt(this.at);
      if (c !== 32 && c !== 10 && c !== 13 && c !== 9) return;
      this.at++;
    }
  }

  /**
   * Reads the value at the current offset. Throws `JsonSyntaxError`.
   * @param depth the number of objects and arrays around the value
   */
  value(depth = 0): Value {
    const c = this.text.charCodeAt(this.at);
    switch (c) {
      case 34: // "
        return this.string();
      case 123: // {
        return this.#object(depth + 1);
      case 91: // [
        return this.#array(depth + 1);
      case 116: // t
        return this.#literal('true', true);
      case 102: // f
        return this.#literal('false', false);
      case 110: // n
        return this.#literal('null', null);
    }
    if (this.#onNonFinite !== undefined && this.#skipNonFinite(this.#onNonFinite)) return null;
    if (c === 45 || (c >= 48 && c <= 57)) return this.#number();
    throw this.#unexpected('a JSON value');
  }

  #skipNonFinite(onNonFinite: (word: string) => void): boolean {
    const word = NON_FINITE.find((word) => this.text.startsWith(word, this.at));
    if (word === undefined) return false;
    this.at += word.length;
    onNonFinite(word);
    return true;
  }

  #object(depth: number): JsonObject {
    this.#enter(depth);
    const object: JsonObject = new Map();
    this.skipSpace();
    if (this.text.charCodeAt(this.at) === 125) {
      this.at++;
      return object;
    }
    const parent = this.#key;
    let key = this.#readKey(parent.inside);
    if (key.written !== undefined) parent.inside = key;
    for (;;) {
      this.skipSpace();
      this.#key = key;
      object.set(key.name, this.value(depth));
      this.skipSpace();
      const c = this.text.charCodeAt(this.at);
      if (c !== 44 && c !== 125) throw this.#unexpected('"," or "}"');
      this.at++;
      if (c === 125) {
        this.#key = parent;
        return object;
      }
      this.skipSpace();
      const before = key;
      key = this.#readKey(before.next);
      if (key.written !== undefined) before.next = key;
    }
  }

  /** Reads a key and its colon. */
  #readKey(expected: Key | undefined): Key {
    if (expected?.written !== undefined && this.text.startsWith(expected.written, this.at)) {
      this.at += expected.written.length;
      return expected;
    }
    if (this.text.charCodeAt(this.at) !== 34) throw this.#unexpected('a key in double quotes');
    const key = keyOf(this.string());
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== 58) throw this.#unexpected('":"');
    this.at++;
    return key;
  }

  #array(depth: number): Value[] {
    const start = this.at;
    this.#enter(depth);
    const items: Value[] = [];
    this.skipSpace();
    if (this.text.charCodeAt(this.at) === 93) {
      this.at++;
      return items;
    }
    for (;;) {
      items.push(this.value(depth));
      this.skipSpace();
      const c = this.text.charCodeAt(this.at);
      if (c !== 44 && c !== 93) throw this.#unexpected('"," or "]"');
      this.at++;
      if (c === 93) return items;
      this.skipSpace();
      if (items.length === LONG_LIST && typeof items[0] === 'number') {
        const numbers = readNumbers(this.text, start);
        if (numbers !== undefined) {
          this.at = numbers.end;
          return numbers.values;
        }
      }
    }
  }

  #enter(depth: number): void {
    if (depth > MAX_DEPTH) throw new JsonSyntaxError(`JSON is nested deeper than ${MAX_DEPTH} levels`, this.at);
    this.at++;
  }

  #literal<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.#unexpected('a JSON value');
    this.at += word.length;
    return value;
  }

  #number(): Value {
    return this.#commonNumber() ?? this.#anyNumber();
  }

  /** Reads a number without an exponent. Returns undefined for anything else. */
  #commonNumber(): Value | undefined {
    const { text } = this;
    const start = this.at;
    const negative = text.charCodeAt(start) === 45;
    const first = negative ? start + 1 : start;
    let at = first;
    let digits = 0;
    let c = text.charCodeAt(at);
    for (; c >= 48 && c <= 57; c = text.charCodeAt(++at)) digits = digits * 10 + (c - 48);
    const length = at - first;
    if (length === 0 || (length > 1 && text.charCodeAt(first) === 48) || c === 101 || c === 69) return undefined;
    if (c !== 46) {
      if (length > MAX_NUMBER_LENGTH) return undefined;
      this.at = at;
      // Up to this number, no step has rounded, and larger integers are never rounded down to it.
      if (digits <= Number.MAX_SAFE_INTEGER) return negative && digits !== 0 ? -digits : digits;
      return BigInt(text.slice(start, at));
    }
    const point = at;
    c = text.charCodeAt(++at);
    for (; c >= 48 && c <= 57; c = text.charCodeAt(++at)) digits = digits * 10 + (c - 48);
    const decimals = at - point - 1;
    if (decimals === 0 || c === 101 || c === 69 || c === 46) return undefined;
    this.at = at;
    if (length + decimals > MAX_EXACT_DIGITS) return double(Number(text.slice(start, at)));
    // Both integers are exact, so the quotient is the double nearest to the decimal number (Clinger 1990).
    const value = digits / (POWERS[decimals] as number);
    return double(negative ? -value : value);
  }

  #anyNumber(): Value {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (match === null) throw this.#unexpected('a digit');
    const [token, fraction, exponent] = match;
    this.at += token.length;
    const next = this.text.charCodeAt(this.at);
    if ((next >= 48 && next <= 57) || next === 46) throw this.#unexpected('the end of the number');
    if (fraction !== undefined || exponent !== undefined) return double(Number(token));
    if (token.length <= MAX_EXACT_DIGITS) return token === '-0' ? 0 : Number(token);
    if (token.length > MAX_NUMBER_LENGTH) {
      throw new JsonSyntaxError(`A number has more than ${MAX_NUMBER_LENGTH} digits`, this.at - token.length);
    }
    return integer(BigInt(token));
  }

  /** Reads the string whose opening quote is at the current offset. Throws `JsonSyntaxError`. */
  string(): string {
    const { text } = this;
    const start = this.at + 1;
    if (this.#nextBackslash < start) this.#nextBackslash = find(text, '\\', start);
    if (this.#nextControl < start) this.#nextControl = this.lfOnly ? find(text, '\n', start) : findControl(text, start);
    const close = find(text, '"', start);
    if (this.#nextBackslash < close) return this.#escapedString(start, this.#nextBackslash);
    if (this.#nextControl < close) throw this.#badCharacter(this.#nextControl);
    if (close === NOWHERE) throw this.#badCharacter(text.length);
    this.at = close + 1;
    return text.slice(start, close);
  }

  #escapedString(start: number, firstEscape: number): string {
    if (this.#nextControl < firstEscape) throw this.#badCharacter(this.#nextControl);
    const { text } = this;
    // Finds the closing quote: a quote after an even number of backslashes.
    let close = find(text, '"', firstEscape);
    while (close !== NOWHERE && isEscaped(text, close)) close = find(text, '"', close + 1);
    try {
      const string = JSON.parse(text.slice(start - 1, close + 1)) as string;
      this.at = close + 1;
      return string;
    } catch {
      // The string is not valid JSON. The slow path finds the wrong character.
      return this.#escapedCharacters(start, firstEscape);
    }
  }

  #escapedCharacters(start: number, firstEscape: number): string {
    const { text } = this;
    let result = text.slice(start, firstEscape);
    let from = firstEscape;
    let at = firstEscape;
    for (;;) {
      const c = text.charCodeAt(at);
      if (c === 34) {
        this.at = at + 1;
        return result + text.slice(from, at);
      }
      if (c === 92) {
        result += text.slice(from, at);
        const escaped = text[at + 1] ?? '';
        if (escaped === 'u') {
          HEX.lastIndex = at + 2;
          const digits = HEX.exec(text)?.[0];
          if (digits === undefined) throw new JsonSyntaxError('Expected four hexadecimal digits after \\u', at);
          result += String.fromCharCode(Number.parseInt(digits, 16));
          at += 6;
        } else {
          const character = ESCAPES[escaped];
          if (character === undefined) throw new JsonSyntaxError(`Unknown escape \\${escaped} in a JSON string`, at);
          result += character;
          at += 2;
        }
        from = at;
      } else if (c < 32 || at >= text.length) {
        throw this.#badCharacter(at);
      } else at++;
    }
  }

  #badCharacter(at: number): JsonSyntaxError {
    if (at >= this.text.length) return new JsonSyntaxError('The text ends inside a JSON string', at);
    return new JsonSyntaxError(
      `A control character (code ${this.text.charCodeAt(at)}) must be escaped in a JSON string`,
      at,
    );
  }

  #unexpected(expected: string): JsonSyntaxError {
    if (this.at >= this.text.length)
      return new JsonSyntaxError(`Expected ${expected}, found the end of the text`, this.at);
    const found = String.fromCodePoint(this.text.codePointAt(this.at) as number);
    return new JsonSyntaxError(`Expected ${expected}, found ${JSON.stringify(found)}`, this.at);
  }
}

/** Returns the next position of a character, or `NOWHERE` if there is none. */
function find(text: string, wanted: string, from: number): number {
  const at = text.indexOf(wanted, from);
  return at < 0 ? NOWHERE : at;
}

/** Returns the next position of a control character, or `NOWHERE` if there is none. */
function findControl(text: string, from: number): number {
  CONTROL.lastIndex = from;
  return CONTROL.test(text) ? CONTROL.lastIndex - 1 : NOWHERE;
}

/** Returns true if the character at this position follows an unescaped backslash. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (first > 0 && text.charCodeAt(first - 1) === 92) first--;
  return (at - first) % 2 === 1;
}
