import type { CsvDialect } from './csv-dialect.ts';
import { find, NOWHERE } from './find.ts';

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;
const BACKSLASH = 92;

/**
 * Reads CSV records from text, one at a time. The syntax is that of RFC 4180, and correct files are read as the
 * reference's library reads them:
 * - Records end at LF, CRLF or CR.
 * - Quotes are doubled inside quotes. Every line end inside quotes becomes LF.
 * - White space before an opening quote is removed. Text after a closing quote is added to the cell.
 * - A quote anywhere else is a normal character.
 * - With `escapes`, a backslash is removed, and a quote, a separator or a backslash after it is literal.
 */
export class CsvParser {
  /** The cells of the last record, in the first `count` elements. The next record overwrites them. */
  cells: string[] = [];
  count = 0;
  /** The number of source lines of the last record. */
  lines = 0;
  /** True if the last record is a line with only white space. */
  blank = false;
  /** The offset of the next record. */
  at = 0;
  /**
   * For a record of several lines: the maximum number of lines in one cell, and the offset of the quote of that cell.
   */
  mostLines = 0;
  longestCell = 0;
  /** The offset of the unclosed quote, after `next` has returned false. */
  openQuote = 0;
  /**
   * For each column, true if a cell since `load` may contain a quote or a line end. The texts of all other cells are
   * continuous parts of the text, or of two of them.
   */
  odd: boolean[] = [];
  readonly #dialect: CsvDialect;
  readonly #separator: number;
  #text = '';
  // The next position of each special character, searched again only after the position was passed. Most records
  // contain no special character, and one native search covers many records.
  #nextLf = -1;
  #nextSeparator = -1;
  #nextQuote = -1;
  #nextBackslash = -1;
  #nextCr = -1;

  constructor(dialect: CsvDialect) {
    this.#dialect = dialect;
    this.#separator = dialect.separator.charCodeAt(0);
  }

  /** Sets a new text. Its first character begins a record. */
  load(text: string): void {
    this.#text = text;
    // In an old array, each new cell would need an entry in the garbage collector's list of references to young
    // objects.
    this.cells = [];
    this.odd = [];
    this.at = 0;
    this.#nextLf = this.#nextSeparator = this.#nextQuote = this.#nextBackslash = this.#nextCr = -1;
  }

  /** Returns whether all records have been read. */
  get done(): boolean {
    return this.at >= this.#text.length;
  }

  /** Returns the text that has not been read. */
  rest(): string {
    return this.#text.slice(this.at);
  }

  /** Returns the number of lines between an earlier offset and this one, and the column in that line, from 1. */
  placeOf(offset: number, from: number): { lines: number; column: number } {
    const before = this.#text.slice(from, offset);
    const ends = [...before.matchAll(/\r\n|\r|\n/g)];
    const last = ends.at(-1);
    const start = last === undefined ? 0 : last.index + last[0].length;
    return { lines: ends.length, column: before.length - start + 1 };
  }

  /** Reads the next record. Returns false and reads nothing if the text ends inside quotes. */
  next(): boolean {
    const { at } = this;
    const text = this.#text;
    let nextLf = this.#nextLf;
    if (nextLf < at) {
      nextLf = find(text, '\n', at);
      this.#nextLf = nextLf;
    }
    const end = nextLf === NOWHERE ? text.length : nextLf;
    const stop = end > at && text.charCodeAt(end - 1) === CR ? end - 1 : end;
    if (this.#hasSpecial(at, stop)) return this.#readSpecial();
    this.lines = 1;
    this.#readPlain(at, stop);
    this.at = end + 1;
    return true;
  }

  /** Returns whether this line contains special characters other than separators. */
  #hasSpecial(at: number, stop: number): boolean {
    const { quotes, escapes } = this.#dialect;
    if (this.#nextCr < at) this.#nextCr = find(this.#text, '\r', at);
    if (this.#nextCr < stop) return true;
    if (quotes) {
      if (this.#nextQuote < at) this.#nextQuote = find(this.#text, '"', at);
      if (this.#nextQuote < stop) return true;
    }
    if (!escapes) return false;
    if (this.#nextBackslash < at) this.#nextBackslash = find(this.#text, '\\', at);
    return this.#nextBackslash < stop;
  }

  #readPlain(start: number, stop: number): void {
    const { cells } = this;
    const text = this.#text;
    const { separator } = this.#dialect;
    let at = start;
    let count = 0;
    let next = this.#nextSeparator;
    if (next < at) next = find(text, separator, at);
    while (next < stop) {
      cells[count++] = text.slice(at, next);
      at = next + 1;
      next = find(text, separator, at);
    }
    cells[count++] = text.slice(at, stop);
    this.#nextSeparator = next;
    this.count = count;
    this.blank = count === 1 && isBlank(cells[0] as string);
  }

  #readSpecial(): boolean {
    const text = this.#text;
    const separator = this.#separator;
    const start = this.at;
    this.count = 0;
    this.lines = 1;
    this.mostLines = 1;
    for (let at = start; ; at++) {
      at = this.#readCell(at);
      if (at < 0) return false;
      const c = text.charCodeAt(at);
      if (c === separator) continue;
      this.at = c === CR && text.charCodeAt(at + 1) === LF ? at + 2 : at + 1;
      this.blank = this.count === 1 && isBlank(text.slice(start, at));
      return true;
    }
  }

  /**
   * Reads the cell that starts at this offset. Returns the offset of the character that ends it, or -1 if the text ends
   * inside quotes.
   */
  #readCell(at: number): number {
    const text = this.#text;
    const separator = this.#separator;
    if (this.#dialect.quotes) {
      let open = at;
      for (let c = text.charCodeAt(open); (c === SPACE || c === TAB) && c !== separator; c = text.charCodeAt(open))
        open++;
      if (text.charCodeAt(open) === QUOTE) {
        const before = this.lines;
        const end = this.#readQuoted(open + 1);
        if (end < 0) this.openQuote = open;
        else if (this.lines !== before) this.#noteLines(this.lines - before + 1, open);
        return end;
      }
    }
    return this.#readUnquoted(at, '');
  }

  #noteLines(lines: number, quote: number): void {
    if (lines <= this.mostLines) return;
    this.mostLines = lines;
    this.longestCell = quote;
  }

  #readQuoted(start: number): number {
    const text = this.#text;
    const { escapes } = this.#dialect;
    const close = text.indexOf('"', start);
    if (close < 0) return -1;
    if (this.#nextCr < start) this.#nextCr = find(text, '\r', start);
    if (escapes && this.#nextBackslash < start) this.#nextBackslash = find(text, '\\', start);
    const simple = this.#nextCr > close && (!escapes || this.#nextBackslash > close);
    const next = text.charCodeAt(close + 1);
    if (simple && next !== QUOTE) {
      const value = text.slice(start, close);
      if (this.#nextLf < start) this.#nextLf = find(text, '\n', start);
      if (this.#nextLf < close) {
        this.odd[this.count] = true;
        this.#countLines(value);
      }
      if (next !== this.#separator) return this.#readUnquoted(close + 1, value);
      this.cells[this.count++] = value;
      return close + 1;
    }
    return this.#readQuotedSlowly(start);
  }

  /** Reads a quoted cell with doubled quotes, CR line ends or backslashes. */
  #readQuotedSlowly(start: number): number {
    const text = this.#text;
    this.odd[this.count] = true;
    let value = '';
    let from = start;
    let close = text.indexOf('"', start);
    for (; close >= 0 && text.charCodeAt(close + 1) === QUOTE; close = text.indexOf('"', from)) {
      value += text.slice(from, close + 1);
      from = close + 2;
    }
    if (this.#dialect.escapes && this.#nextBackslash < (close < 0 ? text.length : close)) {
      return this.#readQuotedEscaped(start);
    }
    if (close < 0) return -1;
    value += text.slice(from, close);
    if (this.#nextCr < close) value = value.replace(/\r\n?/g, '\n');
    if (this.#nextLf < start) this.#nextLf = find(text, '\n', start);
    if (this.#nextLf < close || this.#nextCr < close) this.#countLines(value);
    if (text.charCodeAt(close + 1) !== this.#separator) return this.#readUnquoted(close + 1, value);
    this.cells[this.count++] = value;
    return close + 1;
  }

  #readQuotedEscaped(start: number): number {
    const text = this.#text;
    let value = '';
    let lines = 0;
    let from = start;
    let at = start;
    for (; at < text.length; at++) {
      const c = text.charCodeAt(at);
      if (c === QUOTE) {
        value += text.slice(from, at);
        if (text.charCodeAt(at + 1) !== QUOTE) {
          this.lines += lines;
          return this.#readUnquoted(at + 1, value);
        }
        from = ++at;
      } else if (c === BACKSLASH) {
        value += text.slice(from, at);
        from = at + 1;
        if (this.#isEscapable(text.charCodeAt(from))) at++;
      } else if (c === CR) {
        lines++;
        value += `${text.slice(from, at)}\n`;
        if (text.charCodeAt(at + 1) === LF) at++;
        from = at + 1;
      } else if (c === LF) lines++;
    }
    return -1;
  }

  /** Reads up to the end of the cell and adds the cell. `before` is the part that was already read. */
  #readUnquoted(start: number, before: string): number {
    const text = this.#text;
    const { separator, escapes } = this.#dialect;
    if (this.#nextSeparator < start) this.#nextSeparator = find(text, separator, start);
    if (this.#nextLf < start) this.#nextLf = find(text, '\n', start);
    if (this.#nextCr < start) this.#nextCr = find(text, '\r', start);
    if (escapes && this.#nextBackslash < start) this.#nextBackslash = find(text, '\\', start);
    const end = Math.min(this.#nextSeparator, this.#nextLf, this.#nextCr, text.length);
    if (escapes && this.#nextBackslash < end) return this.#readEscaped(start, before);
    const value = text.slice(start, end);
    if (this.#nextQuote < start) this.#nextQuote = find(text, '"', start);
    if (this.#nextQuote < end) this.odd[this.count] = true;
    this.cells[this.count++] = before === '' ? value : before + value;
    return end;
  }

  #readEscaped(start: number, before: string): number {
    const text = this.#text;
    this.odd[this.count] = true;
    const separator = this.#separator;
    let value = before;
    let from = start;
    let at = start;
    for (; at < text.length; at++) {
      const c = text.charCodeAt(at);
      if (c === separator || c === LF || c === CR) break;
      if (c === BACKSLASH) {
        value += text.slice(from, at);
        from = at + 1;
        if (this.#isEscapable(text.charCodeAt(from))) at++;
      }
    }
    this.cells[this.count++] = from === at ? value : value + text.slice(from, at);
    return at;
  }

  #isEscapable(c: number): boolean {
    return c === BACKSLASH || c === this.#separator || (c === QUOTE && this.#dialect.quotes);
  }

  #countLines(value: string): void {
    for (let at = value.indexOf('\n'); at >= 0; at = value.indexOf('\n', at + 1)) this.lines++;
  }
}

function isBlank(text: string): boolean {
  return text === '' || text.trim() === '';
}
