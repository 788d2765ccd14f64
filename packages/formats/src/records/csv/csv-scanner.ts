import type { RecordScanner } from '../split/record-splitter.ts';
import type { CsvDialect } from './csv-dialect.ts';
import { isEscaped } from './escaped.ts';
import { find, NOWHERE } from './find.ts';

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const BACKSLASH = 92;

/** At the start of a cell, the only position where a quote opens. */
const START = 0;
const TEXT = 1;
const QUOTED = 2;
/** After a quote inside quotes. It closes the cell, or the next character doubles it. */
const QUOTE_IN_QUOTED = 3;
const BACKSLASH_IN_QUOTED = 4;
/** After a CR that ends a record, unless an LF follows. */
const AFTER_CR = 5;
/** After a record. Not possible between two scans. */
const ENDED = 6;
/** After a closing quote and white space. Only the end of the cell should follow. */
const AFTER_QUOTE = 7;
/** At the start of a record, if comments are possible. */
const RECORD = 8;
const COMMENT = 9;
/** After a CR that ends a comment, unless an LF follows. */
const COMMENT_CR = 10;
/** After a comment. Not possible between two scans. */
const COMMENT_ENDED = 11;

/** The bytes of a text. V8 allocates short texts with its young objects, whose memory is used again. */
const TEXT_BYTES = 64 * 1024;

/** The maximum number of stored positions of stray text. */
const MAX_STRAYS = 10;

/** A position in a file. Line and column are counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/**
 * Finds the ends of CSV records. It uses only the syntax that decides which line ends are inside quotes: where quotes
 * open and where cells start. `CsvParser` reads the same syntax from text. It reads the bytes as Latin-1 text, one
 * character per byte, because short searches are fastest in a string. Without quotes it jumps from line end to line end.
 */
export class CsvScanner implements RecordScanner {
  records = 0;
  line: number;
  /** The number of cells with text after their closing quote, and the positions of the first ones. */
  strayCount = 0;
  readonly strays: TextPlace[] = [];
  readonly #dialect: CsvDialect;
  /** The separator, as Latin-1 text of its bytes. */
  readonly #separator: string;
  readonly #quote: number;
  /** The start of a comment, as Latin-1 text of its bytes. */
  readonly #comment: string;
  /** The state at the start of a record. */
  readonly #begin: typeof START | typeof RECORD;
  #state: number;
  /** Where the separator after the current cell may begin. It is negative if the cell began in an earlier text. */
  #cell = 0;
  /** The number of bytes at the end of the last text that must be read again, because more bytes decide what they are. */
  #unread = 0;
  /** The number of line ends inside the current record. */
  #innerLines = 0;
  #text = '';
  // The next position of each special character in the text, searched again after the last one was passed.
  #nextLf = 0;
  #nextCr = 0;
  #nextQuote = 0;
  #nextBackslash = 0;
  #nextSeparator = 0;

  /** @param line the line of the first byte */
  constructor(dialect: CsvDialect, line = 1) {
    this.#dialect = dialect;
    this.line = line;
    this.#separator = Buffer.from(dialect.separator).toString('latin1');
    // NaN equals no byte.
    this.#quote = dialect.quote.charCodeAt(0);
    this.#comment = Buffer.from(dialect.comment).toString('latin1');
    this.#begin = this.#state = this.#comment === '' ? START : RECORD;
  }

  scan(bytes: Uint8Array, from: number, to: number, first: boolean): number {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, to);
    if (first) return this.#scanPart(buffer, 0, from, to, true);
    let end = -1;
    let at = from;
    while (at < to) {
      // A text begins where a record begins. In a long record, texts double, so that its bytes are read about twice.
      const base = Math.max(0, end);
      const stop = Math.min(to, at + Math.max(TEXT_BYTES, at - base));
      end = Math.max(end, this.#scanPart(buffer, base, at, stop, false));
      at = stop;
    }
    return end;
  }

  /** Scans some of the bytes. The current record begins at `base` or before. */
  #scanPart(buffer: Buffer, base: number, from: number, to: number, first: boolean): number {
    this.#text = buffer.toString('latin1', base, to);
    // The texts of two scans overlap: a cell keeps its distance from the first new byte.
    this.#cell += from - base;
    const hopped = first ? -1 : this.#hop(from - base);
    const start = Math.max(from - base, hopped);
    this.#nextLf = find(this.#text, '\n', start);
    this.#nextCr = find(this.#text, '\r', start);
    this.#nextQuote = this.#findQuote(start);
    this.#nextBackslash = this.#dialect.escapes ? find(this.#text, '\\', start) : NOWHERE;
    // A line end or separator that the last scan saw only in part also counts.
    this.#nextSeparator = find(
      this.#text,
      this.#separator,
      Math.max(0, this.#cell, start - this.#separator.length + 1),
    );
    const last = Math.max(hopped, this.#scanText(start, first));
    this.#cell -= first && last >= 0 ? last : to - base;
    this.#text = '';
    return last < 0 ? -1 : last + base;
  }

  /**
   * Returns the offset after the last record of the text (the first one if `first` is set), or -1 if no record ends.
   */
  #scanText(start: number, first: boolean): number {
    if (first || this.#nextQuote === NOWHERE || !this.#canHopQuotes(start)) return this.#walk(start, first);
    // The first record may have begun in an earlier scan, and the last one may continue in the next scan.
    const begin = this.#walk(start, true);
    if (begin < 0) return -1;
    const hopped = this.#hopQuotes(begin);
    return Math.max(begin, hopped, this.#walk(Math.max(begin, hopped), false));
  }

  #findQuote(from: number): number {
    return this.#dialect.quote === '' ? NOWHERE : find(this.#text, this.#dialect.quote, from);
  }

  /** Returns whether the syntax is so simple that only quotes and line ends matter. */
  #canHopQuotes(start: number): boolean {
    if (this.#separator.length > 1 || this.#comment !== '') return false;
    const text = this.#text;
    // A CR without an LF after it is a separate line end.
    for (let cr = this.#nextCr; cr < text.length; cr = find(text, '\r', cr + 1)) {
      if (text.charCodeAt(cr + 1) !== LF) return false;
    }
    return start < text.length;
  }

  /**
   * Jumps from quote to quote and from line end to line end, starting at a record. Returns the offset after the last
   * finished record, or -1 if there is none. The unfinished record is not counted.
   */
  #hopQuotes(start: number): number {
    const text = this.#text;
    const separator = this.#separator.charCodeAt(0);
    let end = -1;
    let counted = this.strayCount;
    let quote = this.#findQuote(start);
    let lf = find(text, '\n', start);
    for (;;) {
      while (lf < quote) {
        this.records++;
        this.line += this.#innerLines + 1;
        this.#innerLines = 0;
        counted = this.strayCount;
        end = lf + 1;
        lf = find(text, '\n', end);
      }
      if (quote === NOWHERE) break;
      if (!this.#opens(quote, Math.max(start, end))) {
        quote = this.#findQuote(quote + 1);
        continue;
      }
      const close = this.#closingQuote(quote + 1);
      // Only the next bytes show whether this quote is doubled.
      if (close + 1 >= text.length) break;
      for (; lf < close; lf = find(text, '\n', lf + 1)) this.#innerLines++;
      const next = text.charCodeAt(close + 1);
      let after = close + 1;
      if (next !== separator && next !== LF && next !== CR) after = this.#passStray(after);
      // The next cell is usually quoted too.
      quote = next === separator && text.charCodeAt(close + 2) === this.#quote ? close + 2 : this.#findQuote(after);
    }
    // The unfinished record is read again.
    this.strayCount = counted;
    this.strays.length = Math.min(counted, MAX_STRAYS);
    this.#innerLines = 0;
    if (this.#dialect.escapes) this.#nextBackslash = find(text, '\\', Math.max(start, end));
    return end;
  }

  /** Returns the position of the next quote that is neither doubled nor escaped. */
  #closingQuote(start: number): number {
    const text = this.#text;
    let from = start;
    let close = this.#findQuote(from);
    for (;;) {
      if (this.#nextBackslash < from && this.#dialect.escapes) this.#nextBackslash = find(text, '\\', from);
      const backslash = this.#nextBackslash;
      if (backslash < close) {
        const next = text.charCodeAt(backslash + 1);
        from = next === this.#quote || next === BACKSLASH ? backslash + 2 : backslash + 1;
        if (close < from) close = this.#findQuote(from);
      } else if (text.charCodeAt(close + 1) === this.#quote) {
        from = close + 2;
        close = this.#findQuote(from);
      } else return close;
    }
  }

  /** Returns whether the quote at this offset opens a cell of the record from `from`: only blanks are before it. */
  #opens(quote: number, from: number): boolean {
    const text = this.#text;
    const separator = this.#separator.charCodeAt(0);
    let before = quote - 1;
    for (; before >= from; before--) {
      const c = text.charCodeAt(before);
      if (c === separator) return !this.#dialect.escapes || !isEscaped(text, before);
      if (c !== SPACE && c !== TAB) return false;
    }
    return true;
  }

  /** Skips the text after a closing quote, up to the end of the cell. Quotes are normal characters there. */
  #passStray(from: number): number {
    const text = this.#text;
    let at = from;
    for (let c = text.charCodeAt(at); (c === SPACE || c === TAB) && text[at] !== this.#separator; at++) {
      c = text.charCodeAt(at + 1);
    }
    const c = text.charCodeAt(at);
    if (at < text.length && c !== LF && c !== CR && !text.startsWith(this.#separator, at)) this.#noteStray(at);
    let end = find(text, this.#separator, at);
    while (this.#dialect.escapes && end !== NOWHERE && isEscaped(text, end)) end = find(text, this.#separator, end + 1);
    return Math.min(end, find(text, '\n', at));
  }

  finish(): boolean {
    return this.#state !== QUOTED && this.#state !== BACKSLASH_IN_QUOTED;
  }

  /**
   * Jumps from line end to line end in a text without quotes. Returns the offset after the last line end, or -1 if there
   * is none.
   */
  #hop(from: number): number {
    const text = this.#text;
    if ((this.#state !== START && this.#state !== TEXT) || this.#comment !== '') return -1;
    if (this.#findQuote(from) !== NOWHERE) return -1;
    let nextCr = text.indexOf('\r', from);
    let lines = 0;
    let end = -1;
    for (let nextLf = text.indexOf('\n', from); nextLf >= 0; nextLf = text.indexOf('\n', end)) {
      if (nextCr >= 0 && nextCr < nextLf) {
        // A CR without an LF after it ends a separate record.
        if (nextCr < nextLf - 1) break;
        nextCr = text.indexOf('\r', nextLf);
      }
      end = nextLf + 1;
      lines++;
    }
    if (lines > 0) {
      this.#state = START;
      this.#cell = end;
    }
    this.records += lines;
    if (lines > 0) {
      // Adds the line ends in the incomplete record of the last scan.
      this.line += lines + this.#innerLines;
      this.#innerLines = 0;
    }
    return end;
  }

  /** Jumps from one special character to the next. Returns the offset after the last finished record, or -1. */
  #walk(from: number, first: boolean): number {
    const text = this.#text;
    const separator = this.#separator;
    const quote = this.#quote;
    let state = this.#state;
    let end = -1;
    let at = Math.max(0, from - this.#unread);
    this.#unread = 0;
    while (at < text.length) {
      const c = text.charCodeAt(at);
      switch (state) {
        case START:
          if (c === quote) {
            state = QUOTED;
            at++;
          } else if (this.#isCut(separator, at)) {
            this.#unread = text.length - at;
            at = text.length;
          } else if ((c === SPACE || c === TAB) && !text.startsWith(separator, at)) at++;
          else state = TEXT;
          break;
        case TEXT:
          at = this.#passText(at);
          state = this.#state;
          break;
        case AFTER_CR:
          if (c === LF) at++;
          state = ENDED;
          break;
        case QUOTED:
          at = this.#passQuoted(at);
          state = this.#state;
          break;
        case QUOTE_IN_QUOTED:
          if (c === quote) at++;
          else this.#cell = at;
          state = c === quote ? QUOTED : AFTER_QUOTE;
          break;
        case AFTER_QUOTE:
          if (this.#isCut(separator, at)) {
            this.#unread = text.length - at;
            at = text.length;
          } else if (c !== LF && c !== CR && !text.startsWith(separator, at)) {
            if (c === SPACE || c === TAB) at++;
            else {
              this.#noteStray(at);
              state = TEXT;
            }
          } else state = TEXT;
          break;
        case RECORD:
          if (this.#isCut(this.#comment, at)) {
            this.#unread = text.length - at;
            at = text.length;
          } else state = text.startsWith(this.#comment, at) ? COMMENT : START;
          break;
        case COMMENT: {
          if (this.#nextLf < at) this.#nextLf = find(text, '\n', at);
          if (this.#nextCr < at) this.#nextCr = find(text, '\r', at);
          const lineEnd = Math.min(this.#nextLf, this.#nextCr);
          if (lineEnd !== NOWHERE) state = lineEnd === this.#nextLf ? COMMENT_ENDED : COMMENT_CR;
          at = Math.min(lineEnd + 1, text.length);
          break;
        }
        case COMMENT_CR:
          if (c === LF) at++;
          state = COMMENT_ENDED;
          break;
        case BACKSLASH_IN_QUOTED:
          if (c === quote || c === BACKSLASH) at++;
          state = QUOTED;
          break;
      }
      if (state === ENDED) {
        this.records++;
        this.line += this.#innerLines + 1;
        this.#innerLines = 0;
        state = this.#begin;
        end = this.#cell = at;
        if (first) break;
      } else if (state === COMMENT_ENDED) {
        this.line++;
        state = this.#begin;
        this.#cell = at;
        // The first part of a source has its first record.
        if (!first) end = at;
      }
    }
    this.#state = state;
    return end;
  }

  /** Returns whether the text ends inside this word, which begins at this offset, or may begin there. */
  #isCut(word: string, at: number): boolean {
    return this.#text.length - at < word.length && word.startsWith(this.#text.slice(at));
  }

  #noteStray(at: number): void {
    this.strayCount++;
    if (this.strays.length >= MAX_STRAYS) return;
    const start = Math.max(this.#text.lastIndexOf('\n', at - 1), this.#text.lastIndexOf('\r', at - 1)) + 1;
    const column = Buffer.from(this.#text.slice(start, at), 'latin1').toString().length + 1;
    this.strays.push({ line: this.line + this.#innerLines, column });
  }

  /** Skips text up to the end of the cell or record. */
  #passText(at: number): number {
    const text = this.#text;
    const separator = this.#separator;
    let nextSeparator = this.#nextSeparator;
    if (nextSeparator + separator.length <= at || nextSeparator < this.#cell) {
      nextSeparator = find(text, separator, at);
      this.#nextSeparator = nextSeparator;
    }
    let nextLf = this.#nextLf;
    if (nextLf < at) {
      nextLf = find(text, '\n', at);
      this.#nextLf = nextLf;
    }
    let nextCr = this.#nextCr;
    if (nextCr < at) {
      nextCr = find(text, '\r', at);
      this.#nextCr = nextCr;
    }
    if (nextSeparator < nextLf && nextSeparator < nextCr) {
      const escaped = this.#dialect.escapes && isEscaped(text, nextSeparator);
      const after = nextSeparator + separator.length;
      this.#state = escaped ? TEXT : START;
      this.#cell = after;
      return after;
    }
    if (nextLf < nextCr) {
      this.#state = ENDED;
      return nextLf + 1;
    }
    if (nextCr === NOWHERE) {
      this.#state = TEXT;
      return text.length;
    }
    this.#state = AFTER_CR;
    return nextCr + 1;
  }

  /** Skips quoted text up to the next quote or backslash. */
  #passQuoted(at: number): number {
    const text = this.#text;
    const separator = this.#separator;
    let nextQuote = this.#nextQuote;
    if (nextQuote < at) {
      nextQuote = this.#findQuote(at);
      this.#nextQuote = nextQuote;
    }
    let nextBackslash = this.#nextBackslash;
    if (nextBackslash < at && this.#dialect.escapes) {
      nextBackslash = find(text, '\\', at);
      this.#nextBackslash = nextBackslash;
    }
    const stop = Math.min(nextQuote, nextBackslash);
    let nextLf = this.#nextLf;
    if (nextLf < stop) {
      if (nextLf < at) nextLf = find(text, '\n', at);
      for (; nextLf < stop; nextLf = find(text, '\n', nextLf + 1)) {
        if (text.charCodeAt(nextLf - 1) !== CR) this.#innerLines++;
      }
      this.#nextLf = nextLf;
    }
    let nextCr = this.#nextCr;
    if (nextCr < stop) {
      if (nextCr < at) nextCr = find(text, '\r', at);
      for (; nextCr < stop; nextCr = find(text, '\r', nextCr + 1)) this.#innerLines++;
      this.#nextCr = nextCr;
    }
    if (stop === NOWHERE) {
      this.#state = QUOTED;
      return text.length;
    }
    if (stop === nextQuote && text.startsWith(separator, stop + 1)) {
      // A separator usually follows the closing quote, and the next cell starts after it.
      this.#state = START;
      this.#cell = stop + 1 + separator.length;
      return this.#cell;
    }
    this.#state = stop === nextQuote ? QUOTE_IN_QUOTED : BACKSLASH_IN_QUOTED;
    return stop + 1;
  }
}
