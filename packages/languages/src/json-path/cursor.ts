/** An error in a path, with its position. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
  readonly path: string;
  /** Index into the path, from 0. */
  readonly position: number;

  constructor(path: string, position: number, problem: string) {
    super(`${problem}, at position ${position + 1} of the JSON path "${path}"`);
    this.path = path;
    this.position = position;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** A position in the text of a path. */
export class Cursor {
  readonly text: string;
  position: number;

  constructor(text: string, position = 0) {
    this.text = text;
    this.position = position;
  }

  get done(): boolean {
    return this.position >= this.text.length;
  }

  /** Returns the character here, or the empty string at the end. */
  get char(): string {
    return this.text.charAt(this.position);
  }

  fail(problem: string, position = this.position): never {
    throw new JsonPathError(this.text, position, problem);
  }

  skipBlanks(): this {
    while (' \t\r\n'.includes(this.char) && !this.done) this.position++;
    return this;
  }

  /** Reads `expected` if it is next. */
  take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.position)) return false;
    this.position += expected.length;
    return true;
  }

  /** Reads `expected` after optional blanks. */
  expect(expected: string): void {
    if (!this.skipBlanks().take(expected)) this.fail(`Expected ${expected}`);
  }

  /** Reads the match of a sticky expression; the empty string if it does not match. */
  takeMatch(expression: RegExp): string {
    expression.lastIndex = this.position;
    const found = expression.exec(this.text)?.[0] ?? '';
    this.position += found.length;
    return found;
  }

  /** Reads a text in single or double quotes. */
  takeQuoted(): string {
    const start = this.position;
    const quote = this.char;
    let value = '';
    this.position++;
    while (this.char !== quote) {
      if (this.done) this.fail(`The quote ${quote} is not closed`, start);
      value += this.char === '\\' ? this.#takeEscape() : this.char;
      this.position++;
    }
    this.position++;
    return value;
  }

  /** Reads an escape and returns its character. The position is then on the last character of the escape. */
  #takeEscape(): string {
    this.position++;
    const char = this.char;
    if (char !== 'u') return ESCAPES[char] ?? char;
    const code = this.text.slice(this.position + 1, this.position + 5);
    if (!/^[0-9A-Fa-f]{4}$/.test(code)) this.fail('The escape \\u needs four hexadecimal digits');
    this.position += 4;
    return String.fromCharCode(Number.parseInt(code, 16));
  }
}
