import { TextBlocks } from '@headrace/charsets';
import {
  type Column,
  Document,
  DocumentTable,
  integerText,
  type ModuleReference,
  type RecordDecoder,
  type RecordSink,
  Shape,
  SourceText,
  type Value,
} from '@headrace/engine';
import type { TextFormat } from '@headrace/java-text/text';
import { CsvParser } from '@headrace/records/csv';
import { idFieldsOf, idFormatOf } from '../id-settings.ts';
import { type CsvLayout, FROM_ID, FROM_LINE, FROM_NAME, FROM_PATH, readHeader } from './csv-header.ts';
import { type CsvSettings, dialectOf, MAX_LINES_PER_CELL } from './csv-settings.ts';

const MANY_COLUMNS = 50;
const WIDE_BLOCK_BYTES = 48 * 1024;

/** The options that are equal for all chunks of files with the same header. They are plain data. */
export interface CsvDecoderOptions {
  readonly header: readonly string[];
  readonly settings: CsvSettings;
  readonly docIdPrefix: string;
}

/** The position of a chunk, which its decoder needs. It is plain data. */
export interface CsvPosition {
  /** The path of the file as the user wrote it, and the name of the file. */
  readonly path: string;
  readonly name: string;
  /** The number of the first record, counted from 1 after the header. */
  readonly record: number;
  /** The line in which the first record begins, counted from 1. */
  readonly line: number;
}

/** Decodes the rows of CSV files into documents. */
export class CsvDecoder implements RecordDecoder {
  readonly #layout: CsvLayout;
  readonly #shape: Shape;
  /** For each field, its only source. It is valid if no terms are ignored. */
  readonly #sources: readonly number[];
  readonly #parser: CsvParser;
  readonly #prefix: string;
  readonly #idFields: readonly string[];
  readonly #idFormat: TextFormat;
  readonly #ignored: ReadonlySet<string>;
  /** For each length, true if an ignored term has it. Most cells need no other look-up. */
  readonly #ignoredLengths: boolean[] = [];
  readonly #maxLines: number;
  #warnedOfId = false;
  /** The number and the line of the next record. */
  #record = 0;
  #line = 0;
  /**
   * The rows that wait to become a table: their cells by column, their record numbers, and their ids if columns form
   * the ids. A cell is undefined if the document lacks the field.
   */
  #cells: (Value | undefined)[][];
  /** For each column, true if cells are undefined. */
  #sparse: boolean[] = [];
  #records: number[] = [];
  #ids: string[] = [];
  /** The text of the waiting rows, and the texts that all rows of a file share. */
  #source: SourceText | undefined;
  #shared: SourceText | undefined;
  readonly #quotes: boolean;

  constructor({ header, settings, docIdPrefix }: CsvDecoderOptions) {
    this.#layout = readHeader(header, settings, '');
    this.#shape = Shape.of(this.#layout.names);
    this.#sources = this.#layout.sources.map((sources) => sources.at(-1) as number);
    const dialect = dialectOf(settings);
    this.#parser = new CsvParser(dialect);
    this.#quotes = dialect.quotes;
    this.#prefix = docIdPrefix;
    this.#idFields = idFieldsOf(settings);
    this.#idFormat = idFormatOf(settings);
    this.#ignored = new Set(settings.ignoredTerms);
    for (const { length } of this.#ignored) this.#ignoredLengths[length] = true;
    this.#maxLines = settings.maxLinesPerCell ?? MAX_LINES_PER_CELL;
    this.#cells = this.#layout.names.map(() => []);
  }

  static reference(options: CsvDecoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'CsvDecoder', options };
  }

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    const place = position as CsvPosition;
    const parser = this.#parser;
    // A table of few rows is slow, so rows with many columns need larger blocks.
    const blocks =
      this.#layout.columns > MANY_COLUMNS ? new TextBlocks(bytes, WIDE_BLOCK_BYTES) : new TextBlocks(bytes);
    this.#record = place.record;
    this.#line = place.line;
    let open = '';
    this.#shared = new SourceText(this.#prefix + place.path + place.name, ['"', '\n', '\r']);
    for (let text = blocks.next(); text !== undefined; text = blocks.next()) {
      if (open !== '') text = open + text;
      parser.load(text);
      this.#source = new SourceText(text, this.#quotes ? [] : ['"']);
      open = this.#rows(place, sink);
      // A quoted cell is longer than the block. Larger blocks avoid parsing it repeatedly.
      if (open !== '' && parser.at === 0) blocks.enlarge();
      else blocks.reset();
      this.#sendTable(place, sink);
    }
    if (open !== '') {
      sink.reject({ place: `${place.path}:${this.#line}`, message: 'a quote is opened but never closed' });
    }
  }

  /**
   * Reads the rows of the parser's block. Returns the text of the last row if it continues in the next block.
   *
   * This is separate from `decode`, so that the compiler optimizes a function that is called often, instead of one long
   * loop.
   */
  #rows(place: CsvPosition, sink: RecordSink): string {
    const parser = this.#parser;
    while (!parser.done) {
      const start = parser.at;
      if (!parser.next()) return parser.rest();
      // Only a record of several lines can have a cell of several lines.
      if (parser.lines > this.#maxLines && parser.mostLines > this.#maxLines) this.#rejectLong(place, start, sink);
      else if (!parser.blank) this.#row(place, this.#record, this.#line, sink);
      this.#record++;
      this.#line += parser.lines;
    }
    return '';
  }

  #row(place: CsvPosition, record: number, line: number, sink: RecordSink): void {
    const { cells, count } = this.#parser;
    if (count !== this.#layout.columns) {
      this.#sendTable(place, sink);
      this.#rejectCount(place, record, line, sink);
      return;
    }
    const tabular = sink.table !== undefined;
    const isPartial = this.#ignored.size > 0 && this.#hasIgnored();
    if (tabular && !isPartial && this.#idFields.length === 0) {
      this.#addRow(record);
      return;
    }
    const id =
      this.#idFields.length === 0
        ? `${this.#prefix}${place.name}-${integerText(record)}`
        : this.#idOf(place, line, sink);
    if (tabular && id !== '') {
      if (this.#idFields.length > 0) this.#ids.push(id);
      if (isPartial) this.#addPartialRow(id, place, record);
      else this.#addRow(record);
      return;
    }
    this.#sendTable(place, sink);
    if (id === '') {
      sink.reject({ place: `${place.path}:${line}`, message: `${this.#idFields.join(', ')} is blank: there is no id` });
    } else if (isPartial) sink.document(this.#partialDocument(id, place, record));
    else {
      const sources = this.#sources;
      const values = new Array<Value>(sources.length);
      for (let i = 0; i < sources.length; i++) {
        const source = sources[i] as number;
        values[i] = source >= 0 ? (cells[source] as string) : special(source, id, place, record);
      }
      sink.document(new Document(this.#shape, values));
    }
  }

  #addRow(record: number): void {
    const { cells } = this.#parser;
    const sources = this.#sources;
    for (let i = 0; i < sources.length; i++) {
      const source = sources[i] as number;
      if (source >= 0) (this.#cells[i] as string[]).push(cells[source] as string);
    }
    this.#records.push(record);
  }

  /** Adds a row with ignored terms. */
  #addPartialRow(id: string, place: CsvPosition, record: number): void {
    for (const [i, column] of this.#cells.entries()) {
      if ((this.#sources[i] as number) < 0) continue;
      const value = this.#notIgnored(i, id, place, record);
      if (value === undefined) this.#sparse[i] = true;
      column.push(value);
    }
    this.#records.push(record);
  }

  /** Returns the value of a field from its last source without an ignored term. Returns undefined if there is none. */
  #notIgnored(field: number, id: string, place: CsvPosition, record: number): Value | undefined {
    const { cells } = this.#parser;
    const sources = this.#layout.sources[field] as readonly number[];
    const source = sources.findLast((source) => source < 0 || !this.#ignored.has(cells[source] as string));
    if (source === undefined) return undefined;
    return source >= 0 ? (cells[source] as string) : special(source, id, place, record);
  }

  /** Sends the waiting rows as a table. It must run before anything that follows these rows is sent. */
  #sendTable(place: CsvPosition, sink: RecordSink): void {
    const records = this.#records;
    const cells = this.#cells;
    const ids = this.#ids;
    const sparse = this.#sparse;
    if (records.length === 0) return;
    this.#records = [];
    this.#ids = [];
    this.#sparse = [];
    this.#cells = cells.map(() => []);
    const start = `${this.#prefix}${place.name}-`;
    const made = ids.length > 0 ? ids : records.map((record) => start + integerText(record));
    const columns = this.#sources.map((source, i): Column => {
      if (source >= 0) return cells[i] as Column;
      if (source === FROM_ID) return made;
      return source === FROM_LINE ? records : records.map(() => special(source, '', place, 0));
    });
    const { names } = this.#layout;
    const table = new DocumentTable(names, columns, records.length, sparse);
    for (let i = 0; i < sparse.length; i++) {
      const isMissing = sparse[i] === true && (columns[i] as Column).every((value) => value === undefined);
      if (isMissing) table.delete(names[i] as string);
    }
    this.#noteSources(table, ids.length > 0);
    sink.table?.(table);
  }

  /** Notes the texts that contain the values of columns. */
  #noteSources(table: DocumentTable, hasIds: boolean): void {
    const { odd } = this.#parser;
    const { names, sources } = this.#layout;
    for (const [i, source] of this.#sources.entries()) {
      // Rows with ignored terms may have a value of another source.
      if (this.#ignored.size > 0 && (sources[i] as readonly number[]).length > 1) continue;
      if (source >= 0) {
        if (odd[source] !== true) table.cut(names[i] as string, this.#source);
      } else if (source !== FROM_LINE && !(source === FROM_ID && hasIds)) table.cut(names[i] as string, this.#shared);
    }
  }

  #idOf(place: CsvPosition, line: number, sink: RecordSink): string {
    const { cells } = this.#parser;
    const { idColumns } = this.#layout;
    const values: string[] = [];
    for (const column of idColumns) {
      const value = cells[column] as string;
      if (!this.#warnedOfId && value.trim() === '') {
        this.#warnedOfId = true;
        sink.warn(
          `${place.path}:${line}: the id column ${this.#idFields[values.length]} is blank, so several documents may get the same id (logged once)`,
        );
      }
      values.push(value);
    }
    return this.#prefix + this.#idFormat(values);
  }

  #hasIgnored(): boolean {
    const { cells, count } = this.#parser;
    for (let i = 0; i < count; i++) {
      const cell = cells[i] as string;
      if (this.#ignoredLengths[cell.length] === true && this.#ignored.has(cell)) return true;
    }
    return false;
  }

  /** Returns a document without the cells that have ignored terms. */
  #partialDocument(id: string, place: CsvPosition, record: number): Document {
    const present: string[] = [];
    const values: Value[] = [];
    for (const [i, name] of this.#shape.names.entries()) {
      const value = this.#notIgnored(i, id, place, record);
      if (value === undefined) continue;
      present.push(name);
      values.push(value);
    }
    return new Document(Shape.common(present), values);
  }

  #rejectLong(place: CsvPosition, start: number, sink: RecordSink): void {
    const parser = this.#parser;
    const { lines, column } = parser.placeOf(parser.longestCell, start);
    this.#sendTable(place, sink);
    sink.reject({
      place: `${place.path}:${this.#line + lines}:${column}`,
      message:
        `the cell that this quote opens has ${parser.mostLines} lines, more than maxLinesPerCell (${this.#maxLines}): ` +
        'a quote may be missing, and rows may be inside the cell',
      ...this.#idOfLine(place, this.#record),
    });
  }

  #rejectCount(place: CsvPosition, record: number, line: number, sink: RecordSink): void {
    const { count } = this.#parser;
    const { columns } = this.#layout;
    sink.reject({
      place: `${place.path}:${line}`,
      message: `the row has ${count} ${count === 1 ? 'column' : 'columns'}, the header ${columns}`,
      ...this.#idOfLine(place, record),
    });
  }

  /** Returns the id of a rejected row if the line number forms the id. */
  #idOfLine(place: CsvPosition, record: number): { id?: string } {
    return this.#idFields.length === 0 ? { id: `${this.#prefix}${place.name}-${record}` } : {};
  }
}

function special(source: number, id: string, place: CsvPosition, record: number): Value {
  switch (source) {
    case FROM_ID:
      return id;
    case FROM_PATH:
      return place.path;
    case FROM_NAME:
      return place.name;
    case FROM_LINE:
      return record;
    default:
      throw new RangeError(`No source has the number ${source}`);
  }
}
