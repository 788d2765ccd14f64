import type { CsvDialect } from './csv-dialect.ts';
import { CsvRows, cellText, JOINED } from './csv-rows.ts';
import { find, NOWHERE } from './find.ts';

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const BACKSLASH = 92;

const FEW_BOUNDS = 1024;

/**
 * Reads CSV records from text, one at a time. The syntax is that of RFC 4180, and correct files are read as the
 * reference's library reads them:
 * - Records end at LF, CRLF or CR.
 * - Quotes are doubled inside quotes. Line ends inside quotes are kept.
 * - White space before an opening quote is removed, and so is white space between a closing quote and the end of the
 *   cell. Other text after a closing quote is added to the cell.
 * - A quote anywhere else is a normal character.
 * - With `escapes`, a backslash is removed, and a quote, a separator or a backslash after it is literal.
 * - A line that begins with `comment` belongs to no record.
 *
 * The parser stores where the cells are. A cell becomes a text when it is read.
 */
export class CsvParser {
  /** The number of source lines of the last record. */
  lines = 0;
  /** True if the last record is a line with only white space. */
  blank = false;
  /** True if the last record is a comment, which has no cells. */
  comment = false;
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
  /** The first character of the separator, and the number of its characters. */
  readonly #separator: number;
  readonly #width: number;
  readonly #quote: number;
  readonly #doubled: string;
  #text = '';
  /**
   * The start and the end of each cell, see `cellText`: first those of the kept records and, from `#base` to `#top`, of
   * the last record.
   */
  #bounds = new Int32Array(FEW_BOUNDS);
  #base = 0;
  #top = 0;
  /** The texts of cells that were joined, see `cellText`. */
  #joined: string[] = [];
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
    this.#width = dialect.separator.length;
    // NaN equals no character.
    this.#quote = dialect.quote.charCodeAt(0);
    this.#doubled = dialect.quote + dialect.quote;
  }

  /** Sets a new text. Its first character begins a record. */
  load(text: string): void {
    this.#text = text;
    this.#joined = [];
    this.odd = [];
    this.#base = this.#top = this.at = 0;
    this.#nextLf = this.#nextSeparator = this.#nextQuote = this.#nextBackslash = this.#nextCr = -1;
  }

  /** Returns whether all records have been read. */
  get done(): boolean {
    return this.at >= this.#text.length;
  }

  /** The number of cells of the last record. */
  get count(): number {
    return (this.#top - this.#base) / 2;
  }

  /** Returns a cell of the last record. */
  cell(number: number): string {
    const at = this.#base + 2 * number;
    return cellText(
      this.#text,
      this.#joined,
      this.#doubled,
      this.#bounds[at] as number,
      this.#bounds[at + 1] as number,
    );
  }

  /** Returns the number of characters of a cell of the last record. */
  lengthOf(number: number): number {
    const at = this.#base + 2 * number;
    const start = this.#bounds[at] as number;
    return start < 0 ? this.cell(number).length : (this.#bounds[at + 1] as number) - start;
  }

  /** Returns all cells of the last record. */
  cells(): string[] {
    return Array.from({ length: this.count }, (_, i) => this.cell(i));
  }

  /** Removes the last cell of the last record. */
  dropCell(): void {
    this.#top -= 2;
  }

  /** Keeps the last record for `take`. */
  keep(): void {
    this.#base = this.#top;
  }

  /** Returns the records that were kept since `load` or the last call. All have this number of cells. */
  take(columns: number): CsvRows {
    const bounds = this.#bounds;
    const rows = new CsvRows(this.#text, bounds.slice(0, this.#base), this.#joined, this.#doubled, columns);
    // The last record stays readable.
    bounds.copyWithin(0, this.#base, this.#top);
    this.#top -= this.#base;
    this.#base = 0;
    return rows;
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

  /** Reads the next record or comment. Returns false and reads nothing if the text ends inside quotes. */
  next(): boolean {
    const { at } = this;
    const text = this.#text;
    this.#top = this.#base;
    let nextLf = this.#nextLf;
    if (nextLf < at) {
      nextLf = find(text, '\n', at);
      this.#nextLf = nextLf;
    }
    const end = nextLf === NOWHERE ? text.length : nextLf;
    const stop = end > at && text.charCodeAt(end - 1) === CR ? end - 1 : end;
    const { comment } = this.#dialect;
    if (comment !== '') {
      this.comment = text.startsWith(comment, at);
      if (this.comment) return this.#skipLine(at, end);
    }
    if (this.#hasSpecial(at, stop)) return this.#readSpecial();
    this.lines = 1;
    this.#readPlain(at, stop);
    this.at = end + 1;
    return true;
  }

  /** Skips the line of a comment, which ends at `end` or at a CR before it. */
  #skipLine(at: number, end: number): true {
    const cr = this.#text.slice(at, end).search(/\r(?!$)/);
    this.at = cr < 0 ? end + 1 : at + cr + 1;
    this.lines = 1;
    return true;
  }

  /** Returns whether this line contains special characters other than separators. */
  #hasSpecial(at: number, stop: number): boolean {
    const { quote, escapes } = this.#dialect;
    if (this.#nextCr < at) this.#nextCr = find(this.#text, '\r', at);
    if (this.#nextCr < stop) return true;
    if (quote !== '') {
      if (this.#nextQuote < at) this.#nextQuote = find(this.#text, quote, at);
      if (this.#nextQuote < stop) return true;
    }
    if (!escapes) return false;
    if (this.#nextBackslash < at) this.#nextBackslash = find(this.#text, '\\', at);
    return this.#nextBackslash < stop;
  }

  #readPlain(start: number, stop: number): void {
    const text = this.#text;
    const { separator } = this.#dialect;
    const width = this.#width;
    let at = start;
    let next = this.#nextSeparator;
    if (next < at) next = find(text, separator, at);
    while (next < stop) {
      this.#add(at, next);
      at = next + width;
      next = find(text, separator, at);
    }
    this.#add(at, stop);
    this.#nextSeparator = next;
    this.blank = at === start && isBlank(text.slice(start, stop));
  }

  /** Adds a cell, see `cellText`. */
  #add(start: number, end: number): void {
    const top = this.#top;
    if (top === this.#bounds.length) this.#grow();
    this.#bounds[top] = start;
    this.#bounds[top + 1] = end;
    this.#top = top + 2;
  }

  #grow(): void {
    const bounds = new Int32Array(this.#bounds.length * 2);
    bounds.set(this.#bounds);
    this.#bounds = bounds;
  }

  /** Adds a cell whose text differs from the source. */
  #addJoined(text: string): void {
    this.#add(JOINED, this.#joined.length);
    this.#joined.push(text);
  }

  #readSpecial(): boolean {
    const text = this.#text;
    const start = this.at;
    this.lines = 1;
    this.mostLines = 1;
    for (let at = start; ; at += this.#width) {
      at = this.#readCell(at);
      if (at < 0) return false;
      if (this.#isSeparator(at)) continue;
      const c = text.charCodeAt(at);
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
    if (this.#dialect.quote !== '') {
      const open = this.#afterBlanks(at);
      if (text.charCodeAt(open) === this.#quote) {
        const before = this.lines;
        const end = this.#readQuoted(open + 1);
        if (end < 0) this.openQuote = open;
        else if (this.lines !== before) this.#noteLines(this.lines - before + 1, open);
        return end;
      }
    }
    return this.#readUnquoted(at, '');
  }

  /** Returns whether a separator is at this offset. */
  #isSeparator(at: number): boolean {
    if (this.#text.charCodeAt(at) !== this.#separator) return false;
    return this.#width === 1 || this.#text.startsWith(this.#dialect.separator, at);
  }

  /** Returns the offset after the blanks, which do not belong to a separator. */
  #afterBlanks(from: number): number {
    const text = this.#text;
    let at = from;
    for (let c = text.charCodeAt(at); (c === SPACE || c === TAB) && !this.#isSeparator(at); c = text.charCodeAt(at))
      at++;
    return at;
  }

  #noteLines(lines: number, quote: number): void {
    if (lines <= this.mostLines) return;
    this.mostLines = lines;
    this.longestCell = quote;
  }

  #readQuoted(start: number): number {
    const text = this.#text;
    const { quote, escapes } = this.#dialect;
    const close = text.indexOf(quote, start);
    if (close < 0) return -1;
    if (this.#nextCr < start) this.#nextCr = find(text, '\r', start);
    if (escapes && this.#nextBackslash < start) this.#nextBackslash = find(text, '\\', start);
    const simple = this.#nextCr > close && (!escapes || this.#nextBackslash > close);
    if (simple && text.charCodeAt(close + 1) !== this.#quote) {
      this.#countLines(start, close);
      const end = this.#endOfCell(close + 1);
      if (end < 0) return this.#readUnquoted(close + 1, text.slice(start, close));
      this.#add(start, close);
      return end;
    }
    return this.#readQuotedSlowly(start);
  }

  /** Reads a quoted cell with doubled quotes, CR line ends or backslashes. */
  #readQuotedSlowly(start: number): number {
    const text = this.#text;
    const { quote, escapes } = this.#dialect;
    this.odd[this.count] = true;
    let close = text.indexOf(quote, start);
    while (close >= 0 && text.charCodeAt(close + 1) === this.#quote) close = text.indexOf(quote, close + 2);
    if (escapes && this.#nextBackslash < (close < 0 ? text.length : close)) return this.#readQuotedEscaped(start);
    if (close < 0) return -1;
    if (this.#nextCr > close) this.#countLines(start, close);
    else this.lines += text.slice(start, close).match(/\r\n?|\n/g)?.length ?? 0;
    const end = this.#endOfCell(close + 1);
    if (end < 0) return this.#readUnquoted(close + 1, text.slice(start, close).replaceAll(this.#doubled, quote));
    this.#add(~start, close);
    return end;
  }

  /** Returns the offset at which a cell ends after its closing quote, or -1 if other text than blanks follows. */
  #endOfCell(from: number): number {
    if (this.#endsCell(from)) return from;
    const at = this.#afterBlanks(from);
    return this.#endsCell(at) ? at : -1;
  }

  /** Returns whether a cell ends at this offset. */
  #endsCell(at: number): boolean {
    const c = this.#text.charCodeAt(at);
    return c === LF || c === CR || at >= this.#text.length || this.#isSeparator(at);
  }

  #readQuotedEscaped(start: number): number {
    const text = this.#text;
    let value = '';
    let lines = 0;
    let from = start;
    let at = start;
    for (; at < text.length; at++) {
      const c = text.charCodeAt(at);
      if (c === this.#quote) {
        value += text.slice(from, at);
        if (text.charCodeAt(at + 1) !== this.#quote) {
          this.lines += lines;
          const end = this.#endOfCell(at + 1);
          if (end < 0) return this.#readUnquoted(at + 1, value);
          this.#addJoined(value);
          return end;
        }
        from = ++at;
      } else if (c === BACKSLASH) {
        value += text.slice(from, at);
        from = at + 1;
        at += this.#escapedAt(from);
      } else if (c === LF || (c === CR && text.charCodeAt(at + 1) !== LF)) lines++;
    }
    return -1;
  }

  /** Reads up to the end of the cell and adds the cell. `before` is the part that was already read. */
  #readUnquoted(start: number, before: string): number {
    const text = this.#text;
    const { separator, quote, escapes } = this.#dialect;
    if (this.#nextSeparator < start) this.#nextSeparator = find(text, separator, start);
    if (this.#nextLf < start) this.#nextLf = find(text, '\n', start);
    if (this.#nextCr < start) this.#nextCr = find(text, '\r', start);
    if (escapes && this.#nextBackslash < start) this.#nextBackslash = find(text, '\\', start);
    const end = Math.min(this.#nextSeparator, this.#nextLf, this.#nextCr, text.length);
    if (escapes && this.#nextBackslash < end) return this.#readEscaped(start, before);
    if (this.#nextQuote < start) this.#nextQuote = quote === '' ? NOWHERE : find(text, quote, start);
    if (this.#nextQuote < end) this.odd[this.count] = true;
    if (before === '') this.#add(start, end);
    else this.#addJoined(before + text.slice(start, end));
    return end;
  }

  #readEscaped(start: number, before: string): number {
    const text = this.#text;
    this.odd[this.count] = true;
    let value = before;
    let from = start;
    let at = start;
    for (; at < text.length; at++) {
      const c = text.charCodeAt(at);
      if (c === LF || c === CR || this.#isSeparator(at)) break;
      if (c === BACKSLASH) {
        value += text.slice(from, at);
        from = at + 1;
        at += this.#escapedAt(from);
      }
    }
    this.#addJoined(from === at ? value : value + text.slice(from, at));
    return at;
  }

  /** Returns the number of characters at this offset that are literal after a backslash. */
  #escapedAt(at: number): number {
    const c = this.#text.charCodeAt(at);
    if (c === BACKSLASH || c === this.#quote) return 1;
    return this.#isSeparator(at) ? this.#width : 0;
  }

  /** Counts the line feeds between two offsets in the current cell. */
  #countLines(start: number, end: number): void {
    let next = this.#nextLf;
    if (next < start) next = find(this.#text, '\n', start);
    if (next < end) this.odd[this.count] = true;
    for (; next < end; next = find(this.#text, '\n', next + 1)) this.lines++;
    this.#nextLf = next;
  }
}

function isBlank(text: string): boolean {
  return text === '' || text.trim() === '';
}
