import { pairsOf, plainTextEnd } from './plain-text.ts';
import {
  AMPERSAND,
  CLOSE_BRACKET,
  DOUBLE_QUOTE,
  EQUALS,
  EXCLAMATION,
  GREATER,
  HASH,
  LESS,
  LF,
  MEANING,
  NAME,
  NAME_START,
  OPEN_BRACKET,
  QUESTION,
  SEMICOLON,
  SINGLE_QUOTE,
  SLASH,
  SPACE,
  sameBytes,
  startsWith,
  VALUE_STOPS,
} from './xml-bytes.ts';
import { standsAt, standsClosed, type XmlName, XmlNames } from './xml-names.ts';
import type { XmlRecordFinder } from './xml-record-finder.ts';
import { XmlSyntaxError } from './xml-syntax-error.ts';

const MAX_DEPTH = 100_000;
const MAX_REFERENCE = 1024;
const PREDEFINED = ['amp;', 'lt;', 'gt;', 'quot;', 'apos;'].map((text) => Buffer.from(text));
const COMMENT = Buffer.from('<!--');
const CDATA = Buffer.from('<![CDATA[');
const DOCTYPE = Buffer.from('<!DOCTYPE');
const COMMENT_END = Buffer.from('-->');
const INSTRUCTION_END = Buffer.from('?>');
const DOUBLE = Buffer.from('"');
const SINGLE = Buffer.from("'");
/** The ends of these parts. The end of a comment is searched by its two hyphens, which may only occur there. */
const ENDS = { comment: Buffer.from('--'), cdata: Buffer.from(']]>'), instruction: INSTRUCTION_END };

/** The part that contains the next byte. All parts except content may be longer than the bytes in memory. */
type Inside = 'content' | 'comment' | 'cdata' | 'instruction';

/**
 * Reads XML as UTF-8 bytes that arrive in pieces. Checks that it is well-formed, and reports its elements and texts to
 * a finder. Declarations in a document type are skipped: no entity is expanded, and no other file is read.
 *
 * It works on bytes because the run thread scans whole files. saxes, which creates texts and events for everything,
 * takes more than twice as long (`bench/libraries/records.mjs`), and does not know the byte position of an element.
 */
export class XmlScanner {
  /** The current line, counted from 1. */
  line = 1;
  /** The position of the text or the tag with the error, after `scan` has thrown one, and its line. */
  failedAt = 0;
  failedLine = 1;
  readonly #finder: XmlRecordFinder;
  readonly #names = new XmlNames();
  #inside: Inside = 'content';
  #started = false;
  #rootSeen = false;
  #doctypeSeen = false;
  // The range of the current scan.
  #bytes: Uint8Array = new Uint8Array();
  #pairs: Uint16Array = new Uint16Array();
  #to = 0;

  constructor(finder: XmlRecordFinder) {
    this.#finder = finder;
  }

  /**
   * Continues the scan over `bytes[from..to)`.
   * @returns the position where the scan stopped: at `to`, or before an incomplete tag, reference or declaration
   * @throws XmlSyntaxError
   */
  scan(bytes: Uint8Array, from: number, to: number): number {
    this.#bytes = bytes;
    this.#pairs = pairsOf(bytes);
    this.#to = to;
    let at = from;
    let { line } = this;
    try {
      while (at < to) {
        line = this.line;
        const inside = this.#inside;
        const next = inside === 'content' ? this.#content(at) : this.#passOver(at, inside);
        if (next < 0) {
          this.line = line;
          return at;
        }
        this.#started = true;
        at = next;
      }
    } catch (error) {
      this.failedAt = at;
      this.failedLine = line;
      throw error;
    }
    return at;
  }

  /**
   * Searches the end of a record with an error, or the start of the next record, in `bytes[from..to)`, which begins in
   * `line`. Then the scan can continue there.
   * @returns the position where the scan continues, or -1 if there is none
   */
  recover(bytes: Uint8Array, from: number, to: number): number {
    const { recordName } = this.#finder;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, to).toString('latin1', from);
    const name = Buffer.from(recordName)
      .toString('latin1')
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const found = new RegExp(`</${name}\\s*>|<${name}(?=[\\s/>])`).exec(text);
    if (found === null) return -1;
    const end = from + found.index + (found[0].startsWith('</') ? found[0].length : 0);
    this.#bytes = bytes;
    this.#countLines(from, end);
    this.#inside = 'content';
    this.#finder.leaveRecord();
    return end;
  }

  /** Skips bytes in which `recover` has found nothing. */
  skip(bytes: Uint8Array, from: number, to: number): void {
    this.#bytes = bytes;
    this.#countLines(from, to);
  }

  /** Ends the scan. Throws `XmlSyntaxError` if the document is incomplete. */
  finish(unscanned: number): void {
    const { innermost } = this.#finder;
    const endsEarly = (message: string) => new XmlSyntaxError(message, this.line, true);
    if (innermost !== undefined) throw endsEarly(`the file ends inside <${innermost.text}>`);
    if (this.#inside !== 'content' || unscanned > 0)
      throw endsEarly('the file ends inside a tag, comment or declaration');
    if (!this.#rootSeen) throw endsEarly('there is no root element');
  }

  /** Returns an error at the current line. */
  error(message: string): XmlSyntaxError {
    return new XmlSyntaxError(message, this.line);
  }

  /** Reads a run of text or one tag. Returns the offset after it, or -1 if it is incomplete. */
  #content(at: number): number {
    const bytes = this.#bytes;
    if (bytes[at] !== LESS) return this.#text(at);
    if (at + 1 === this.#to) return -1;
    switch (bytes[at + 1]) {
      case SLASH:
        return this.#endTag(at);
      case EXCLAMATION:
        return this.#declaration(at);
      case QUESTION:
        return this.#instruction(at);
      default:
        return this.#startTag(at);
    }
  }

  #text(from: number): number {
    const bytes = this.#bytes;
    const to = this.#to;
    if (this.#finder.depth === 0) return this.#between(from);
    let at = from;
    for (; ; at++) {
      at = plainTextEnd(bytes, this.#pairs, at, to);
      if (at === to) break;
      const byte = bytes[at];
      if (byte === LF) this.line++;
      else if (byte === LESS) break;
      else if (byte === AMPERSAND) {
        const end = this.#reference(at);
        if (end < 0) {
          // The text before the control character is finished.
          if (at === from) return -1;
          break;
        }
        at = end - 1;
      } else if (byte !== CLOSE_BRACKET) throw this.error(`the control character ${byte} is not allowed`);
      else if (at + 2 >= to) {
        if (at === from) return -1;
        break;
      } else if (bytes[at + 1] === CLOSE_BRACKET && bytes[at + 2] === GREATER) {
        throw this.error('"]]>" is not allowed in text');
      }
    }
    this.#finder.text(from, at, false);
    return at;
  }

  /** Returns the offset after the white space outside the root element. */
  #between(from: number): number {
    const at = this.#skipSpace(from);
    if (at < this.#to && this.#bytes[at] !== LESS) throw this.error('there is text outside the root element');
    return at;
  }

  /** Returns the offset after the reference at this position, or -1 if it is incomplete. */
  #reference(at: number): number {
    const bytes = this.#bytes;
    const to = this.#to;
    const from = at + 1;
    const known = PREDEFINED.find((text) => from + text.length <= to && startsWith(bytes, from, to, text));
    if (known !== undefined) return from + known.length;
    let end = from;
    while (end < to && bytes[end] !== SEMICOLON) {
      const meaning = MEANING[bytes[end] as number] as number;
      if ((meaning & NAME) === 0 && !(end === from && bytes[end] === HASH))
        throw this.error('a "&" must be written as &amp;');
      if (++end - from > MAX_REFERENCE) throw this.error('a reference has no end');
    }
    if (end === to) return -1;
    const name = Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from).toString();
    const isKnown = bytes[from] === HASH ? isCharacter(name) : this.#doctypeSeen && name !== '';
    if (!isKnown) throw this.error(`&${name}; is not a known entity`);
    return end + 1;
  }

  #startTag(at: number): number {
    const bytes = this.#bytes;
    const to = this.#to;
    const expected = this.#names.expected(bytes, at + 1, to);
    if (expected !== undefined) {
      this.#opened(at, expected);
      return at + 2 + expected.bytes.length;
    }
    const nameEnd = this.#nameEnd(at + 1, 'the name of an element');
    if (nameEnd === to) return -1;
    const attributes: number[] = [];
    for (let i = nameEnd; ; ) {
      const afterSpace = this.#skipSpace(i);
      if (afterSpace === to) return -1;
      const byte = bytes[afterSpace];
      if (byte === GREATER) {
        this.#opened(at, this.#names.follow(bytes, at + 1, nameEnd));
        return afterSpace + 1;
      }
      if (byte === SLASH) {
        if (afterSpace + 1 === to) return -1;
        if (bytes[afterSpace + 1] !== GREATER) throw this.error('a "/" in a tag must be followed by ">"');
        this.#opened(at, this.#names.follow(bytes, at + 1, nameEnd));
        this.#finder.closed(afterSpace + 2);
        return afterSpace + 2;
      }
      if (afterSpace === i) throw this.error('white space is missing before an attribute');
      i = this.#attribute(afterSpace, attributes);
      if (i < 0) return -1;
    }
  }

  /** Returns the offset after the attribute at this position, or -1 if it is incomplete. */
  #attribute(at: number, others: number[]): number {
    const bytes = this.#bytes;
    const to = this.#to;
    const nameEnd = this.#nameEnd(at, 'the name of an attribute');
    const equals = this.#skipSpace(nameEnd);
    if (equals === to) return -1;
    if (bytes[equals] !== EQUALS) throw this.error('an attribute has no value');
    const open = this.#skipSpace(equals + 1);
    if (open === to) return -1;
    const quote = bytes[open];
    if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE)
      throw this.error('the value of an attribute is not in quotes');
    for (let i = 0; i < others.length; i += 2) {
      if (sameBytes(bytes, others[i] as number, others[i + 1] as number, at, nameEnd)) {
        throw this.error('an attribute is given twice');
      }
    }
    others.push(at, nameEnd);
    for (let i = open + 1; i < to; i++) {
      const byte = bytes[i] as number;
      if (VALUE_STOPS[byte] === 0) continue;
      if (byte === quote) return i + 1;
      if (byte === LF) this.line++;
      else if (byte === LESS) throw this.error('"<" is not allowed in the value of an attribute');
      else if (byte === AMPERSAND) {
        i = this.#reference(i) - 1;
        if (i < 0) return -1;
      } else if (byte < 32) throw this.error(`the control character ${byte} is not allowed`);
    }
    return -1;
  }

  #nameEnd(at: number, what: string): number {
    const bytes = this.#bytes;
    const to = this.#to;
    if (at < to && ((MEANING[bytes[at] as number] as number) & NAME_START) === 0)
      throw this.error(`${what} is missing`);
    let end = at;
    while (end < to && ((MEANING[bytes[end] as number] as number) & NAME) !== 0) end++;
    return end;
  }

  #skipSpace(at: number): number {
    const bytes = this.#bytes;
    const to = this.#to;
    let end = at;
    for (; end < to && ((MEANING[bytes[end] as number] as number) & SPACE) !== 0; end++) {
      if (bytes[end] === LF) this.line++;
    }
    return end;
  }

  #endTag(at: number): number {
    const bytes = this.#bytes;
    const to = this.#to;
    const open = this.#finder.innermost;
    if (open !== undefined && standsClosed(open, bytes, at + 2, to)) {
      const end = at + 3 + open.bytes.length;
      this.#finder.closed(end);
      return end;
    }
    const nameEnd = this.#nameEnd(at + 2, 'the name of an element');
    const end = this.#skipSpace(nameEnd);
    if (end === to) return -1;
    if (bytes[end] !== GREATER) throw this.error('an end tag must be closed with ">"');
    if (open === undefined || !standsAt(open, bytes, at + 2, nameEnd)) {
      const name = Buffer.from(bytes.subarray(at + 2, nameEnd)).toString();
      throw this.error(`</${name}> closes nothing${open === undefined ? '' : `: <${open.text}> is open`}`);
    }
    this.#finder.closed(end + 1);
    return end + 1;
  }

  #opened(at: number, name: XmlName): void {
    const { depth } = this.#finder;
    if (depth === 0) {
      if (this.#rootSeen) throw this.error('there is more than one root element');
      this.#rootSeen = true;
    } else if (depth >= MAX_DEPTH) throw this.error(`elements are nested more than ${MAX_DEPTH} deep`);
    this.#finder.opened(name, at, this.line);
  }

  #declaration(at: number): number {
    const bytes = this.#bytes;
    const to = this.#to;
    if (startsWith(bytes, at, to, COMMENT)) {
      if (to - at < COMMENT.length) return -1;
      this.#inside = 'comment';
      return at + COMMENT.length;
    }
    if (startsWith(bytes, at, to, CDATA)) {
      if (to - at < CDATA.length) return -1;
      if (this.#finder.depth === 0) throw this.error('there is text outside the root element');
      this.#inside = 'cdata';
      return at + CDATA.length;
    }
    if (!startsWith(bytes, at, to, DOCTYPE))
      throw this.error('"<!" must begin a comment, a CDATA section or the document type');
    if (this.#rootSeen || this.#doctypeSeen)
      throw this.error('the document type must be before the root element, once');
    const end = this.#doctypeEnd(at + DOCTYPE.length);
    if (end >= 0) this.#doctypeSeen = true;
    return end;
  }

  /** Returns the offset after the document type, or -1 if it is incomplete. */
  #doctypeEnd(from: number): number {
    const bytes = this.#bytes;
    const to = this.#to;
    let subset = false;
    for (let at = from; at < to; at++) {
      const byte = bytes[at];
      let end = at + 1;
      if (byte === LF) this.line++;
      else if (byte === DOUBLE_QUOTE) end = this.#afterMark(at + 1, DOUBLE);
      else if (byte === SINGLE_QUOTE) end = this.#afterMark(at + 1, SINGLE);
      else if (byte === OPEN_BRACKET) subset = true;
      else if (byte === CLOSE_BRACKET) subset = false;
      else if (byte === GREATER && !subset) return at + 1;
      else if (byte === LESS && startsWith(bytes, at, to, COMMENT)) end = this.#afterMark(at + 4, COMMENT_END);
      else if (byte === LESS && bytes[at + 1] === QUESTION) end = this.#afterMark(at + 2, INSTRUCTION_END);
      if (end < 0) return -1;
      at = end - 1;
    }
    return -1;
  }

  /** Returns the offset after the next occurrence of these bytes, or -1 if there is none. */
  #afterMark(from: number, mark: Uint8Array): number {
    const found = this.#find(mark, from);
    if (found < 0) return -1;
    this.#countLines(from, found);
    return found + mark.length;
  }

  #instruction(at: number): number {
    const bytes = this.#bytes;
    const to = this.#to;
    const nameEnd = this.#nameEnd(at + 2, 'the name of a processing instruction');
    if (nameEnd === to) return -1;
    const name = Buffer.from(bytes.subarray(at + 2, nameEnd)).toString();
    if (name.toLowerCase() === 'xml' && (this.#started || name !== 'xml')) {
      throw this.error('an XML declaration can only be at the beginning of the file');
    }
    this.#inside = 'instruction';
    return nameEnd;
  }

  /**
   * Skips to the end of a comment, CDATA section or instruction, or to the end of the bytes. Returns -1 if the end was
   * not found.
   */
  #passOver(from: number, inside: Exclude<Inside, 'content'>): number {
    const to = this.#to;
    const mark = ENDS[inside];
    const found = this.#find(mark, from);
    const complete = found >= 0 && (inside !== 'comment' || found + 2 < to);
    // The last bytes may be the beginning of the end mark.
    const stop = found >= 0 ? found : Math.max(from, to - mark.length + 1);
    this.#countLines(from, stop);
    if (inside === 'cdata') this.#finder.text(from, stop, true);
    if (!complete) return stop > from ? stop : -1;
    if (inside === 'comment' && this.#bytes[found + 2] !== GREATER)
      throw this.error('"--" is not allowed in a comment');
    this.#inside = 'content';
    return found + (inside === 'comment' ? 3 : mark.length);
  }

  #find(mark: Uint8Array, from: number): number {
    return Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#to).indexOf(mark, from);
  }

  #countLines(from: number, to: number): void {
    for (let at = from; at < to; at++) if (this.#bytes[at] === LF) this.line++;
  }
}

function isCharacter(name: string): boolean {
  const match = /^#(?:x([0-9a-fA-F]+)|([0-9]+))$/.exec(name);
  if (match === null) return false;
  const code = match[1] === undefined ? Number(match[2]) : Number.parseInt(match[1], 16);
  if (code < 32) return code === 9 || code === LF || code === 13;
  return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) && code !== 0xfffe && code !== 0xffff;
}
