import {
  Document,
  Double,
  JsonObjectReader,
  JsonSyntaxError,
  type ModuleReference,
  messageOf,
  type RecordDecoder,
  type RecordSink,
  readJson,
  readNonFiniteJson,
  Shape,
  SourceText,
  textOf,
  type Value,
} from '@headrace/engine';
import { TextBlocks } from '@headrace/formats/charsets';
import { BETWEEN_VALUES, hasNoControlsButLf, JsonValueScanner } from '@headrace/formats/records/json';
import type { TextFormat } from '@headrace/languages/java/text';
import { idFieldsOf, idFormatOf } from '../id-settings.ts';
import type { JsonLayout } from './json-layout.ts';
import { type JsonSettings, keepsField } from './json-settings.ts';

/** The options that are equal for all files of a connector. They are plain data. */
export interface JsonDecoderOptions {
  readonly settings: JsonSettings;
  readonly docIdPrefix: string;
}

/** The position of a chunk, which its decoder needs. It is plain data. */
export interface JsonPosition {
  /** The path of the file as the user wrote it. */
  readonly path: string;
  readonly layout: JsonLayout;
  /** The line in which the chunk begins, counted from 1. */
  readonly line: number;
  /** Whether the chunk begins at the start of that line. */
  readonly lineStart: boolean;
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const NO_FIELDS = Shape.of([]);
/** The bytes that are decoded together if values may begin anywhere. Values are slices of the text, as in `TextBlocks`. */
const PIECE_BYTES = 32 * 1024;
/**
 * In longer records, one value is often most of the text. A search in the whole text takes longer than one in the
 * values that are written unchanged.
 */
const LONG_RECORD = 2048;

/** Decodes JSON objects into documents. */
export class JsonDecoder implements RecordDecoder {
  readonly #settings: JsonSettings;
  readonly #prefix: string;
  readonly #idFields: readonly string[];
  readonly #idFormat: TextFormat;
  readonly #filters: boolean;
  readonly #reader = new JsonObjectReader();
  /** The words of the current record that became null, and the function that collects them. */
  readonly #nonFinite: string[] = [];
  readonly #onNonFinite: ((word: string) => void) | undefined;
  #warnedOfId = false;
  /** True if all texts of a document, the id included, are cut from the text of its object. */
  readonly #keepsTexts: boolean;
  #source: SourceText | undefined;
  /** The length of the last record. */
  #recordLength = 0;
  // The position of the current record.
  #path = '';
  #line = 0;
  /** Undefined if the record is the first one of its line, or not known. */
  #column: number | undefined;
  #bytes: Buffer = Buffer.alloc(0);
  #bytesLineStart = true;
  /** True if the bytes have no control characters except LF. */
  #lfOnly = false;
  #offset = 0;
  // The fields of the last object. Documents with the same field names share a shape.
  #shape: Shape = NO_FIELDS;
  #values: Value[] = [];
  #idAt = -1;

  constructor({ settings, docIdPrefix }: JsonDecoderOptions) {
    this.#settings = settings;
    this.#prefix = docIdPrefix;
    this.#idFields = idFieldsOf(settings);
    this.#idFormat = idFormatOf(settings);
    if (settings.nonFinite === 'null') this.#onNonFinite = (word) => void this.#nonFinite.push(word);
    this.#keepsTexts = docIdPrefix === '' && this.#idFields.length === 0;
    this.#filters = (settings.whitelist?.length ?? 0) > 0 || (settings.blacklist?.length ?? 0) > 0;
  }

  static reference(options: JsonDecoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'JsonDecoder', options };
  }

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    const { path, layout, line, lineStart } = position as JsonPosition;
    this.#path = path;
    this.#line = line;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#bytesLineStart = lineStart;
    this.#lfOnly = hasNoControlsButLf(bytes);
    this.#offset = 0;
    if (layout === 'lines') this.#decodeLines(sink);
    else this.#decodeValues(sink);
  }

  #decodeLines(sink: RecordSink): void {
    const blocks = new TextBlocks(this.#bytes);
    for (let text = blocks.next(); text !== undefined; text = blocks.next()) {
      this.#load(text);
      for (let at = 0; at < text.length; this.#line++) {
        const lf = text.indexOf('\n', at);
        const end = lf < 0 ? text.length : lf;
        this.#decodeLine(text, at, end, sink);
        at = end + 1;
      }
    }
  }

  /** Decodes a line. Nearly all lines are one object. */
  #decodeLine(text: string, from: number, end: number, sink: RecordSink): void {
    const start = skipSpace(text, from, end);
    if (start === end) return;
    if (!this.#reader.read(start, end)) this.#decodeInLine(text, from, start, end, sink);
    else {
      this.#recordLength = end - start;
      this.#publishRead(sink);
      const after = this.#reader.end;
      if (after < end && skipSpace(text, after, end) < end) this.#decodeInLine(text, from, after, end, sink);
    }
  }

  /**
   * Decodes the values of a line from a position on: objects one after another, with or without commas, in arrays or
   * not. An object with a mistake ends where its braces do. Any other text rejects the rest of the line, because it may
   * belong to an object that was cut at the wrong place.
   */
  #decodeInLine(text: string, from: number, first: number, end: number, sink: RecordSink): void {
    const reader = this.#reader;
    let isFirst = skipSpace(text, from, first) === first;
    let openArrays = 0;
    for (let at = first; at < end; ) {
      const c = text.charCodeAt(at);
      if (c === OPEN_ARRAY) openArrays++;
      else if (c === CLOSE_ARRAY && openArrays > 0) openArrays--;
      if (isBetween(c)) {
        at++;
        continue;
      }
      if (!isFirst) this.#column = at - from + 1;
      if (reader.read(at, end)) {
        this.#recordLength = reader.end - at;
        this.#publishRead(sink);
        at = reader.end;
      } else {
        const valueEnd = c === OPEN_OBJECT ? endOfObject(text, at, end) : undefined;
        if (c !== OPEN_OBJECT && !isFirst)
          this.#reject('this is not an object: the rest of the line was not read', sink);
        else if (this.#readAnything(text, at, from, valueEnd ?? end, sink)) this.#publish(sink);
        if (valueEnd === undefined) openArrays = 0;
        at = valueEnd ?? end;
      }
      isFirst = false;
    }
    this.#column = undefined;
    // The last line of a file may have no line end. The thread that reads the file checks such a line.
    if (openArrays > 0 && end < text.length) this.#reject('the line ends inside an array', sink);
  }

  /** The values may begin and end anywhere. */
  #decodeValues(sink: RecordSink): void {
    const { length } = this.#bytes;
    for (let at = 0; at < length; ) {
      const pieceEnd = Math.min(at + PIECE_BYTES, length);
      const start = at;
      at = this.#decodeObjects(start, pieceEnd, sink);
      // The object there is unusual or longer than the piece. Unusual objects seldom come alone.
      if (at === start) while (at < pieceEnd) at = this.#decodeValue(at, sink);
    }
  }

  /**
   * Decodes the objects from a position on, up to the first object that the fast reader does not support. The reader
   * finds the end of each object, so no other code looks at its characters. Returns the position after the last object.
   */
  #decodeObjects(from: number, to: number, sink: RecordSink): number {
    const buffer = this.#bytes;
    const reader = this.#reader;
    let end = to;
    // A character must not be cut.
    while (end < buffer.length && end > from && ((buffer[end] as number) & 0xc0) === 0x80) end--;
    const text = buffer.toString('utf8', from, end);
    // U+FFFD may replace one to three bytes, so the position in the bytes would be unknown.
    if (text.includes('\ufffd')) return from;
    this.#load(text);
    let done = 0;
    let lineEnd = text.indexOf('\n');
    for (;;) {
      const start = skipBetween(text, done);
      if (start === text.length) done = start;
      if (start === text.length || !reader.read(start, text.length)) break;
      const { end: objectEnd } = reader;
      this.#recordLength = objectEnd - start;
      for (; lineEnd >= 0 && lineEnd < start; lineEnd = text.indexOf('\n', lineEnd + 1)) this.#line++;
      this.#publishRead(sink);
      for (; lineEnd >= 0 && lineEnd < objectEnd; lineEnd = text.indexOf('\n', lineEnd + 1)) this.#line++;
      done = objectEnd;
    }
    const after = text.length === end - from ? done : Buffer.byteLength(text.slice(0, done));
    for (; lineEnd >= 0 && lineEnd < done; lineEnd = text.indexOf('\n', lineEnd + 1)) this.#line++;
    return from + after;
  }

  #load(text: string): void {
    this.#reader.load(text, this.#lfOnly);
    // A text between quotes without a backslash has no quotes and no line ends.
    this.#source =
      this.#keepsTexts && this.#recordLength < LONG_RECORD ? new SourceText(text, [], this.#lfOnly) : undefined;
  }

  /** Decodes one value, and returns the position after it. */
  #decodeValue(at: number, sink: RecordSink): number {
    const buffer = this.#bytes;
    const scanner = new JsonValueScanner(this.#line);
    const found = scanner.scan(buffer, at, buffer.length, true);
    const end = found < 0 ? buffer.length : found;
    const text = buffer.toString('utf8', at, end);
    const between = (BETWEEN_VALUES.exec(text) as RegExpExecArray)[0];
    this.#line += countLineEnds(between);
    this.#offset = at + between.length;
    this.#load(text);
    this.#record(text, between.length, text.length, sink);
    this.#line = scanner.line;
    return end;
  }

  /** Creates a document from the record in this range of the text. */
  #record(text: string, from: number, end: number, sink: RecordSink): void {
    const start = skipSpace(text, from, end);
    if (start === end) return;
    this.#recordLength = end - start;
    if (this.#reader.read(start, end)) this.#publishRead(sink);
    else if (this.#readAnything(text, start, from, end, sink)) this.#publish(sink);
  }

  /** Publishes the object of the fast reader. */
  #publishRead(sink: RecordSink): void {
    this.#values = this.#reader.values;
    if (this.#shape !== this.#reader.shape) this.#learn(this.#reader.shape);
    this.#publish(sink);
  }

  /** Reports what became null since the last call, for the record that follows. */
  #reportNonFinite(sink: RecordSink): void {
    if (this.#nonFinite.length === 0) return;
    const place = { file: this.#path, line: this.#line };
    for (const value of this.#nonFinite) sink.notice('json.nonFinite', { ...place, value });
    this.#nonFinite.length = 0;
  }

  #learn(shape: Shape): void {
    this.#shape = shape;
    this.#idAt = shape.position('id');
  }

  /** Reads records that the fast reader does not support. Rejects a record that is not an object, and returns false. */
  #readAnything(text: string, start: number, from: number, end: number, sink: RecordSink): boolean {
    try {
      const source = text.slice(start, end);
      const value = this.#onNonFinite === undefined ? readJson(source) : readNonFiniteJson(source, this.#onNonFinite);
      if (value instanceof Map) {
        this.#learn(Shape.common([...value.keys()]));
        this.#values = [...value.values()];
        this.#reportNonFinite(sink);
        return true;
      }
      this.#nonFinite.length = 0;
      this.#reject('a document must be a JSON object', sink);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      this.#nonFinite.length = 0;
      sink.reject({ place: this.#placeOf(text.slice(from, start + error.at)), message: messageOf(error) });
    }
    return false;
  }

  /** Returns the position after the given beginning of the record. The column is omitted if it is not known. */
  #placeOf(before: string): string {
    const place = `${this.#path}:${this.#line + countLineEnds(before)}`;
    const lineEnd = before.lastIndexOf('\n');
    if (lineEnd >= 0) return `${place}:${before.length - lineEnd}`;
    // The start of the line is searched only here, because a value may begin anywhere in its line.
    const start = this.#offset === 0 ? 0 : this.#bytes.lastIndexOf('\n', this.#offset - 1) + 1;
    if (start === 0 && !this.#bytesLineStart) return place;
    return `${place}:${this.#bytes.toString('utf8', start, this.#offset).length + before.length + 1}`;
  }

  #publish(sink: RecordSink): void {
    const id = this.#idFields.length === 0 ? this.#ownId(sink) : this.#madeId(sink);
    if (id === undefined) return;
    const shape = this.#shape;
    const values = this.#values;
    const idAt = this.#idAt;
    if (!this.#filters && idAt >= 0) {
      values[idAt] = id;
      sink.document(new Document(shape, values), this.#source);
      return;
    }
    const kept: string[] = [];
    const keptValues: Value[] = [];
    for (const [i, name] of shape.names.entries()) {
      if (!keepsField(this.#settings, name)) continue;
      kept.push(name);
      keptValues.push(i === idAt ? id : (values[i] as Value));
    }
    if (!kept.includes('id')) {
      kept.push('id');
      keptValues.push(id);
    }
    sink.document(new Document(Shape.common(kept), keptValues), this.#source);
  }

  /** Returns the id in the object, with the prefix. It may be a text, or a number, which becomes a text. */
  #ownId(sink: RecordSink): string | undefined {
    const value = this.#values[this.#idAt];
    if (typeof value === 'string' && value !== '') return this.#prefix === '' ? value : this.#prefix + value;
    if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Double) {
      return this.#prefix + textOf(value);
    }
    const message =
      value === undefined || value === null
        ? 'the object has no id'
        : value === ''
          ? 'the id is empty'
          : 'the id is neither a text nor a number';
    return this.#reject(message, sink);
  }

  /** Returns the id that is built from the id fields, with the prefix. */
  #madeId(sink: RecordSink): string | undefined {
    const texts = this.#idFields.map((field) => {
      const at = this.#shape.position(field);
      const value = at < 0 ? null : (this.#values[at] as Value);
      const text = textOf(value) ?? '';
      if (text === '') sink.notice('id.blank', { file: this.#path, line: this.#line, field });
      if (text === '' && !this.#warnedOfId) {
        this.#warnedOfId = true;
        sink.warn(
          `${this.#path}:${this.#line}: the id field ${field} has no text, so several documents may get the same id (logged once)`,
        );
      }
      return text;
    });
    const id = this.#prefix + this.#idFormat(texts);
    return id === '' ? this.#reject(`${this.#idFields.join(', ')} is empty: there is no id`, sink) : id;
  }

  #reject(message: string, sink: RecordSink): undefined {
    const column = this.#column === undefined ? '' : `:${this.#column}`;
    sink.reject({ place: `${this.#path}:${this.#line}${column}`, message });
  }
}

function skipSpace(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** Returns the position of the next value. */
function skipBetween(text: string, from: number): number {
  let at = from;
  while (isBetween(text.charCodeAt(at))) at++;
  return at;
}

/** Returns whether a character separates values, as in `JsonValueScanner`. */
function isBetween(c: number): boolean {
  return isSpace(c) || c === COMMA || c === OPEN_ARRAY || c === CLOSE_ARRAY;
}

function isSpace(c: number): boolean {
  return c <= 32 && c !== 0;
}

/** Returns the position after the object that begins at a position, or undefined if it is not closed. */
function endOfObject(text: string, from: number, end: number): number | undefined {
  let braces = 0;
  let inString = false;
  for (let at = from; at < end; at++) {
    const c = text.charCodeAt(at);
    if (inString && c === BACKSLASH) at++;
    else if (c === QUOTE) inString = !inString;
    else if (inString) continue;
    else if (c === OPEN_OBJECT) braces++;
    else if (c === CLOSE_OBJECT && --braces === 0) return at + 1;
  }
  return undefined;
}

function countLineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
