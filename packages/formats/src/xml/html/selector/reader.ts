/** The error for an invalid selector. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

/** A compiled regular expression. `test` returns whether it matches anywhere in a text. */
export interface Pattern {
  test(text: string): boolean;
}

/** Compiles a regular expression. It throws an error that describes the problem. */
export type CompilePattern = (pattern: string) => Pattern;

/** Reads a selector character by character. */
export class SelectorReader {
  readonly #text: string;
  readonly #compilePattern: CompilePattern;
  #at = 0;

  constructor(text: string, compilePattern: CompilePattern) {
    this.#text = text;
    this.#compilePattern = compilePattern;
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Returns the next character, or an empty text at the end. */
  get next(): string {
    return this.#text.charAt(this.#at);
  }

  get rest(): string {
    return this.#text.slice(this.#at);
  }

  skip(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  skipSpace(): boolean {
    const from = this.#at;
    while (/[ \t\n\f\r]/.test(this.next)) this.#at++;
    return this.#at > from;
  }

  /** Reads the match at this position. Returns an empty text if there is none. */
  take(pattern: RegExp): string {
    const sticky = new RegExp(pattern.source, 'uy');
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  /** Reads a name, in which a backslash escapes the next character. */
  identifier(what: string, more = ''): string {
    const found = this.take(new RegExp(`(?:\\\\.|[\\p{L}\\p{Nd}_\\-${more}])+`)).replace(/\\(.)/gsu, '$1');
    if (found === '') throw this.error(`${what} is missing`);
    return found;
  }

  /** Reads the text in brackets, without the brackets. The text may contain more brackets, and quotes. */
  balanced(open: '(' | '[', close: ')' | ']', what: string): string {
    if (!this.skip(open)) throw this.error(`${what} needs something in ${open}${close}`);
    const from = this.#at;
    let depth = 1;
    let quote = '';
    for (; !this.done; this.#at++) {
      const char = this.next;
      if (char === '\\') {
        this.#at++;
        continue;
      }
      if (char === '"' || char === "'") quote = quote === '' ? char : quote === char ? '' : quote;
      if (quote !== '') continue;
      if (char === open) depth++;
      else if (char === close && --depth === 0) return this.#text.slice(from, this.#at++);
    }
    throw this.error(`a "${open}" is never closed`);
  }

  /** Compiles a regular expression of the selector. Throws `SelectorError` if it is invalid. */
  pattern(pattern: string): Pattern {
    try {
      return this.#compilePattern(pattern);
    } catch (error) {
      throw new SelectorError(error instanceof Error ? error.message : String(error));
    }
  }

  error(message: string): SelectorError {
    return new SelectorError(`${message} in the selector "${this.#text}"`);
  }
}
