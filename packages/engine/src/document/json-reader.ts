import { HeadraceError } from '../errors/headrace-error.ts';
import { Document } from './document.ts';
import { internName } from './names.ts';
import { double, integer, type JsonObject, type Value } from './value.ts';

/** Deeper nesting is refused, as in the reference's parser, because it would exhaust the stack. */
const MAX_DEPTH = 1000;
/**
 * Longer numbers are refused, as in the reference's parser, because the time to read them grows with the square of
 * their length.
 */
const MAX_NUMBER_LENGTH = 1000;

/** Thrown for text that is not JSON; `at` is the offset of the offending character. */
export class JsonSyntaxError extends HeadraceError {
  readonly at: number;

  constructor(message: string, at: number) {
    super('HR_DOCUMENT_SYNTAX', message);
    this.at = at;
  }
}

/** A document from the JSON object that starts the text; what follows the object is ignored. */
export function readDocument(text: string): Document {
  const value = readJson(text);
  if (!(value instanceof Map)) {
    throw new HeadraceError('HR_DOCUMENT_NOT_AN_OBJECT', `A document is a JSON object, not ${kindOf(value)}`);
  }
  return Document.fromObject(value);
}

/**
 * The JSON value at the start of the text, without loss: objects are ordered maps, `1.0` is a double, long integers are
 * exact. Of duplicate keys the last one counts, at the position of the first. Text after the value is ignored, as in
 * the reference; `readJsonSequence` reads it too. Throws `JsonSyntaxError`.
 */
export function readJson(text: string): Value {
  const reader = new JsonReader(text);
  reader.skipSpace();
  if (reader.at >= text.length)
    throw new JsonSyntaxError('Expected a JSON value, found the end of the text', reader.at);
  return reader.value(0);
}

/** All JSON values of the text in sequence, separated by white space or nothing, each with its offset. */
export function* readJsonSequence(text: string): Generator<{ value: Value; at: number; end: number }> {
  const reader = new JsonReader(text);
  for (reader.skipSpace(); reader.at < text.length; reader.skipSpace()) {
    const at = reader.at;
    yield { value: reader.value(0), at, end: reader.at };
  }
}

function kindOf(value: Value): string {
  if (Array.isArray(value)) return 'an array';
  if (value === null) return 'null';
  return typeof value === 'string' ? 'a text' : typeof value === 'boolean' ? 'a boolean' : 'a number';
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

/** Powers of ten that a double expresses exactly, and that the digits of `MAX_EXACT_DIGITS` need. */
const POWERS = Array.from({ length: 16 }, (_, i) => 10 ** i);
/** Integers of so many digits are exact as numbers. */
const MAX_EXACT_DIGITS = 15;
const CONTROL = /[\u0000-\u001f]/g;
/** Beyond the end of every text, but still a small integer. */
const NOWHERE = 0x3fffffff;

/** Reads JSON values from a text, from its start to its end. */
export class JsonReader {
  readonly text: string;
  /** The offset of the next character. It only increases. */
  at = 0;
  // The next backslash and the next control character, looked up again only after they have been passed. One native
  // search covers many strings.
  #nextBackslash = -1;
  #nextControl = -1;

  constructor(text: string) {
    this.text = text;
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
   * Reads the value that begins here. Throws `JsonSyntaxError`.
   * @param depth in how many objects and arrays it is
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
    if (c === 45 || (c >= 48 && c <= 57)) return this.#number();
    throw this.#unexpected('a JSON value');
  }

  #object(depth: number): JsonObject {
    this.#enter(depth);
    const object: JsonObject = new Map();
    this.skipSpace();
    if (this.text.charCodeAt(this.at) === 125) {
      this.at++;
      return object;
    }
    for (;;) {
      if (this.text.charCodeAt(this.at) !== 34) throw this.#unexpected('a key in double quotes');
      const key = internName(this.string());
      this.skipSpace();
      if (this.text.charCodeAt(this.at) !== 58) throw this.#unexpected('":"');
      this.at++;
      this.skipSpace();
      object.set(key, this.value(depth));
      this.skipSpace();
      const c = this.text.charCodeAt(this.at);
      if (c !== 44 && c !== 125) throw this.#unexpected('"," or "}"');
      this.at++;
      if (c === 125) return object;
      this.skipSpace();
    }
  }

  #array(depth: number): Value[] {
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
    return this.#shortNumber() ?? this.#anyNumber();
  }

  /** A number of few digits without an exponent; undefined if it is something else. */
  #shortNumber(): Value | undefined {
    const { text } = this;
    const negative = text.charCodeAt(this.at) === 45;
    const first = negative ? this.at + 1 : this.at;
    let at = first;
    let digits = 0;
    let c = text.charCodeAt(at);
    for (; c >= 48 && c <= 57; c = text.charCodeAt(++at)) digits = digits * 10 + (c - 48);
    const length = at - first;
    if (length === 0 || length > MAX_EXACT_DIGITS || (length > 1 && text.charCodeAt(first) === 48)) return undefined;
    if (c !== 46) {
      if (c === 101 || c === 69) return undefined;
      this.at = at;
      return negative && digits !== 0 ? -digits : digits;
    }
    const point = at;
    c = text.charCodeAt(++at);
    for (; c >= 48 && c <= 57; c = text.charCodeAt(++at)) digits = digits * 10 + (c - 48);
    const decimals = at - point - 1;
    if (decimals === 0 || length + decimals > MAX_EXACT_DIGITS || c === 101 || c === 69 || c === 46) return undefined;
    this.at = at;
    // Both numbers are exact, so the quotient is the double that is nearest to the decimal number (Clinger 1990).
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

  /** Reads the string whose opening quote is here. Throws `JsonSyntaxError`. */
  string(): string {
    const { text } = this;
    const start = this.at + 1;
    if (this.#nextBackslash < start) this.#nextBackslash = find(text, '\\', start);
    if (this.#nextControl < start) {
      CONTROL.lastIndex = start;
      this.#nextControl = CONTROL.test(text) ? CONTROL.lastIndex - 1 : NOWHERE;
    }
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
    // The quote after an even number of backslashes.
    let close = find(text, '"', firstEscape);
    while (close !== NOWHERE && isEscaped(text, close)) close = find(text, '"', close + 1);
    try {
      const string = JSON.parse(text.slice(start - 1, close + 1)) as string;
      this.at = close + 1;
      return string;
    } catch {
      // It is not JSON. The loop below finds the character that is wrong.
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

/** The next position of the text; beyond the end if it does not occur. */
function find(text: string, wanted: string, from: number): number {
  const at = text.indexOf(wanted, from);
  return at < 0 ? NOWHERE : at;
}

/** Whether an unescaped backslash is before the character at this position. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (first > 0 && text.charCodeAt(first - 1) === 92) first--;
  return (at - first) % 2 === 1;
}
