import { parseNumber } from '../tree/number.ts';
import type { ProblemCode } from '../tree/problem.ts';
import { asciiClass, endsWord, isSpace, RESERVED, SPACE } from './characters.ts';
import { readQuoted } from './quoted-string.ts';
import type { Position } from './substitution.ts';
import { readSubstitution } from './substitution.ts';
import type { TokenKind, TokenProblem } from './token.ts';
import { singleToken, Token } from './token.ts';
import { gapBelow, readTriple } from './triple-string.ts';

/** Matches the most common substitutions: words separated by dots. */
const PLAIN_SUBSTITUTION = /\$\{(\??)([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)\}/y;

/** The minimum number of tokens that are read in a substitution. */
const LEAST_BUDGET = 64;

const NEWLINE = 10;
const QUOTE = 34;
const HASH = 35;
const DOLLAR = 36;
const PLUS = 43;
const MINUS = 45;
const SLASH = 47;
const BACKSLASH = 92;

/**
 * Splits a text into tokens. One object reads the whole text, and {@link next} overwrites its fields. Comments are
 * skipped. This has no effect on the tokens, because a newline or the end of the text follows each comment.
 */
export class Lexer {
  readonly source: string;
  readonly #json: boolean;
  readonly #stringEnds: ReadonlyMap<number, number> | undefined;

  kind: TokenKind = Token.end;
  /** The offsets of the token, and of the white space before it. */
  start = 0;
  end = 0;
  spaceStart = 0;
  /** The line of the token, and the offset of the start of that line. */
  line = 1;
  lineStart = 0;
  /** The content of a string, or the text of another simple value as written. */
  text = '';
  /** For a number: its value, and whether the reference stores it as floating point. */
  number: number | bigint = 0;
  float = false;
  /** For a substitution: its path, or its error. */
  path: string[] | string = [];
  optional = false;
  problem: TokenProblem | undefined;
  /**
   * True while the lexer reads a path. A comment is then a mistake, and a nested `${` is a separate token, which avoids
   * recursion.
   */
  inPath = false;
  /** True after the text ended inside a token, so that the end is not reported again. */
  cutOff = false;

  /** True after a substitution or a string that should probably have ended earlier. */
  hasGaps = false;

  #at = 0;
  #line = 1;
  #lineStart = 0;
  /** The lexer for the content of substitutions. */
  #inner: Lexer | undefined;
  /** The amount of text that may be read again because a substitution was not closed. */
  #budget: number;

  /**
   * @param stringEnds if given, substitutions and strings end at their probable ends; it contains the ends of the
   * strings that end before the end of their line, by their start offsets
   */
  constructor(source: string, json: boolean, stringEnds?: ReadonlyMap<number, number>) {
    this.source = source;
    this.#json = json;
    this.#stringEnds = stringEnds;
    this.#budget = 4 * source.length;
  }

  /** Returns the white space before the token. */
  space(): string {
    return this.source.slice(this.spaceStart, this.start);
  }

  /** Returns the position at which the search for the next token starts. */
  position(): Position {
    return { at: this.#at, line: this.#line, lineStart: this.#lineStart };
  }

  /** Continues reading at another position. */
  seek({ at, line, lineStart }: Position): void {
    this.#at = at;
    this.#line = line;
    this.#lineStart = lineStart;
  }

  /** Skips the rest of the text. */
  jumpToEnd(): void {
    this.#at = this.source.length;
  }

  next(): void {
    const source = this.source;
    let at = this.#at;
    this.spaceStart = at;
    let code = source.charCodeAt(at);
    for (;;) {
      if (code === NEWLINE || Number.isNaN(code)) break;
      if (code < 128 ? asciiClass[code] === SPACE : isSpace(code)) {
        code = source.charCodeAt(++at);
      } else if (!this.#json && (code === HASH || (code === SLASH && source.charCodeAt(at + 1) === SLASH))) {
        const newline = source.indexOf('\n', at);
        const end = newline < 0 ? source.length : newline;
        if (this.inPath) {
          this.kind = Token.comment;
          this.start = at;
          this.#at = this.end = end;
          return;
        }
        at = end;
        code = source.charCodeAt(at);
      } else break;
    }
    this.start = at;
    this.line = this.#line;
    this.lineStart = this.#lineStart;
    if (Number.isNaN(code)) {
      this.kind = Token.end;
      this.#at = this.end = at;
      return;
    }
    if (code === NEWLINE) {
      this.kind = Token.newline;
      this.#at = this.end = at + 1;
      this.#line++;
      this.#lineStart = at + 1;
      return;
    }
    const single = code < 128 ? (singleToken[code] as TokenKind) : 0;
    if (single !== 0) {
      this.kind = single;
      this.#at = this.end = at + 1;
    } else if (code === QUOTE) this.#string(at);
    else if (code === MINUS || (code >= 48 && code <= 57)) this.#number(at);
    else if (code < 128 && asciiClass[code] === RESERVED) this.#reserved(at, code);
    else this.#word(at, code);
  }

  #fail(code: ProblemCode, message: string, at: number, hint?: string): void {
    this.kind = Token.problem;
    this.problem = { code, message, hint };
    this.#at = this.end = at;
  }

  #reserved(at: number, code: number): void {
    if (code === DOLLAR && this.inPath && this.source.charCodeAt(at + 1) === 123) {
      this.kind = Token.substitution;
      this.#at = this.end = at + (this.source.charCodeAt(at + 2) === 63 ? 3 : 2);
    } else if (code === PLUS && this.source.charCodeAt(at + 1) === 61) {
      this.kind = Token.plusEquals;
      this.#at = this.end = at + 2;
    } else if (code === DOLLAR && this.source.charCodeAt(at + 1) === 123) this.#substitution(at);
    else this.#failReserved(at);
  }

  #failReserved(at: number): void {
    const c = this.source.charAt(at);
    this.#fail('reserved-character', `"${c}" must be in quotes`, at + 1, 'put double quotes around the whole value');
  }

  #word(at: number, first: number): void {
    const source = this.source;
    let end = at;
    // A keyword ends its token, even inside a longer word: `truely` is `true` and `ly`, which are joined again later.
    if (first === 116 && source.startsWith('true', at)) {
      this.kind = Token.true;
      end = at + 4;
    } else if (first === 102 && source.startsWith('false', at)) {
      this.kind = Token.false;
      end = at + 5;
    } else if (first === 110 && source.startsWith('null', at)) {
      this.kind = Token.null;
      end = at + 4;
    } else {
      this.kind = Token.unquoted;
      let code = first;
      do {
        code = source.charCodeAt(++end);
      } while (
        !Number.isNaN(code) &&
        !endsWord(code) &&
        !(code === SLASH && !this.#json && source.charCodeAt(end + 1) === SLASH)
      );
    }
    this.text = source.slice(at, end);
    this.#at = this.end = end;
  }

  #number(at: number): void {
    const source = this.source;
    let end = at;
    let code = source.charCodeAt(at);
    let digits = 0;
    let value = 0;
    const negative = code === MINUS;
    if (negative) code = source.charCodeAt(++end);
    while (code >= 48 && code <= 57) {
      value = value * 10 + code - 48;
      digits++;
      code = source.charCodeAt(++end);
    }
    if (digits > 0 && digits <= 15 && !continuesNumber(code)) {
      this.kind = Token.number;
      this.number = negative && value !== 0 ? -value : value;
      this.float = false;
      this.text = source.slice(at, end);
      this.#at = this.end = end;
      return;
    }
    while (continuesNumber(code)) code = source.charCodeAt(++end);
    this.#longNumber(at, end);
  }

  #longNumber(at: number, end: number): void {
    const text = this.source.slice(at, end);
    const number = parseNumber(text);
    if (number !== undefined) {
      this.kind = Token.number;
      this.number = number.value;
      this.float = number.float;
    } else if (text.includes('+')) {
      this.#failReserved(at + text.indexOf('+'));
      return;
    } else this.kind = Token.unquoted;
    this.text = text;
    this.#at = this.end = end;
  }

  #string(at: number): void {
    const source = this.source;
    if (source.charCodeAt(at + 1) === QUOTE) {
      if (source.charCodeAt(at + 2) === QUOTE) this.#tripleString(at);
      else {
        this.kind = Token.string;
        this.text = '';
        this.#at = this.end = at + 2;
      }
      return;
    }
    let end = at + 1;
    let code = source.charCodeAt(end);
    while (code >= 32 && code !== QUOTE && code !== BACKSLASH) code = source.charCodeAt(++end);
    if (code === QUOTE) {
      this.kind = Token.string;
      this.text = source.slice(at + 1, end);
      this.#at = this.end = end + 1;
      return;
    }
    const string = readQuoted(source, at);
    this.kind = string.problem === undefined ? Token.string : Token.problem;
    this.text = string.text;
    this.problem = string.problem;
    this.#at = this.end = this.#stringEnds?.get(at) ?? string.end;
    if (string.cutOff) this.#placeAtEnd();
  }

  /**
   * Places the token at the end of the text, because the text ended inside it. The reference reports this on the last
   * line.
   */
  #placeAtEnd(): void {
    this.start = this.source.length;
    this.line = this.#line;
    this.lineStart = this.#lineStart;
    this.cutOff = true;
  }

  #tripleString(at: number): void {
    const start = { at, line: this.#line, lineStart: this.#lineStart };
    const { text, next, isUnclosed } = readTriple(this.source, start);
    this.kind = Token.string;
    this.text = text;
    this.seek(next);
    this.end = next.at;
    if (!isUnclosed) return;
    const message = `the text ends inside the """ string on line ${start.line}`;
    this.#fail('unclosed-string', message, next.at, 'close the string with """');
    this.#placeAtEnd();
    const gap = gapBelow(this.source, start);
    if (gap === undefined) return;
    this.hasGaps = true;
    if (this.#stringEnds === undefined) return;
    this.cutOff = false;
    this.seek(gap);
  }

  #substitution(at: number): void {
    PLAIN_SUBSTITUTION.lastIndex = at;
    const plain = PLAIN_SUBSTITUTION.exec(this.source);
    if (plain !== null) {
      this.kind = Token.substitution;
      this.optional = plain[1] !== '';
      this.path = plain[2]!.split('.');
      this.#at = this.end = at + plain[0].length;
      return;
    }
    if (this.#inner === undefined) {
      this.#inner = new Lexer(this.source, this.#json);
      this.#inner.inPath = true;
    }
    const start = { at: at + 2, line: this.line, lineStart: this.lineStart };
    const read = readSubstitution(this.#inner, start, Math.max(this.#budget, LEAST_BUDGET));
    this.kind = read.problem === undefined ? Token.substitution : Token.problem;
    this.problem = read.problem;
    this.optional = read.optional;
    this.path = read.path;
    if (read.gap !== undefined) this.hasGaps = true;
    if (read.gap === undefined || this.#stringEnds === undefined) {
      this.seek(read.next);
      if (read.cutOff) this.cutOff = true;
    } else {
      this.#budget -= Math.max(0, this.#inner.#at - read.gap.at);
      this.seek(read.gap);
    }
    this.end = this.#at;
    if (read.noticed === undefined) return;
    this.start = read.noticed.at;
    this.line = read.noticed.line;
    this.lineStart = read.noticed.lineStart;
  }
}

/** Returns true for characters that a number may contain after its first character. */
function continuesNumber(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46 || code === 101 || code === 69 || code === PLUS || code === MINUS;
}
