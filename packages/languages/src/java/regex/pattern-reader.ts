import { JavaRegexError } from './java-regex-error.ts';

/** Added to a code point between `\Q` and `\E`, so that it is different from every special character. */
const QUOTED = 0x200000;

/** The maximum depth of groups: far above real patterns, and far below the limit of the stack. */
const MAX_DEPTH = 250;

/** The value that the reader returns after the end. */
export const END = -1;

export const code = (character: string): number => character.codePointAt(0)!;

/** Reads a pattern code point by code point, with quotations (`\Q…\E`) resolved. */
export class PatternReader {
  readonly pattern: string;
  /** True if blanks and comments are skipped (flag COMMENTS). The parser sets it when flags change. */
  comments = false;
  /** True if only `\n` ends a comment (flag UNIX_LINES). */
  unixLines = false;
  readonly #codes: number[] = [];
  readonly #positions: number[] = [];
  #cursor = 0;
  #depth = 0;

  constructor(pattern: string, literal: boolean) {
    this.pattern = pattern;
    let quoted = literal;
    for (let at = 0; at < pattern.length; ) {
      if (!literal && pattern.startsWith(quoted ? '\\E' : '\\Q', at)) {
        quoted = !quoted;
        at += 2;
        continue;
      }
      at = this.#push(at, quoted);
      // The character after a backslash belongs to it: `\\Q` is no quotation.
      if (!quoted && this.#codes.at(-1) === 0x5c && at < pattern.length) at = this.#push(at, false);
    }
  }

  #push(at: number, quoted: boolean): number {
    const codePoint = this.pattern.codePointAt(at)!;
    this.#codes.push(quoted ? codePoint | QUOTED : codePoint);
    this.#positions.push(at);
    return at + (codePoint > 0xffff ? 2 : 1);
  }

  /** Returns the offset of the next character in the pattern. */
  get position(): number {
    return this.#positions[this.#cursor] ?? this.pattern.length;
  }

  /** Returns the next character, marked if it is quoted, or END after the last. */
  peek(ahead = 0): number {
    return this.#codes[this.#cursor + ahead] ?? END;
  }

  /** Reads the next character. */
  next(): number {
    const codePoint = this.peek();
    if (codePoint !== END) this.#cursor++;
    return codePoint;
  }

  /** Reads the given text if it is next. */
  take(text: string): boolean {
    for (let index = 0; index < text.length; index++) {
      if (this.peek(index) !== text.charCodeAt(index)) return false;
    }
    this.#cursor += text.length;
    return true;
  }

  /** Skips blanks and comments if the flag COMMENTS is set. */
  skipComments(): void {
    while (this.comments) {
      const codePoint = this.peek();
      if (isBlank(codePoint)) this.#cursor++;
      else if (codePoint === 0x23) while (!this.#endsComment(this.peek())) this.#cursor++;
      else return;
    }
  }

  #endsComment(codePoint: number): boolean {
    if (codePoint === END || codePoint === 0x0a) return true;
    if (this.unixLines) return false;
    return codePoint === 0x0d || codePoint === 0x85 || codePoint === 0x2028 || codePoint === 0x2029;
  }

  /** Reads the content of a group or a class. */
  nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw this.error(`groups and classes are nested more than ${MAX_DEPTH} deep`);
    const result = read();
    this.#depth--;
    return result;
  }

  /** Returns the code point without the mark of a quoted character. */
  plain(codePoint: number): number {
    return codePoint & ~QUOTED;
  }

  error(problem: string, position = this.position): JavaRegexError {
    return new JavaRegexError(problem, this.pattern, position);
  }
}

function isBlank(codePoint: number): boolean {
  return codePoint === 0x20 || (codePoint >= 0x09 && codePoint <= 0x0d);
}
