import {
  DocumentTable,
  integerText,
  LazyColumn,
  type ModuleReference,
  type RecordDecoder,
  type RecordSink,
  SourceText,
} from '@headrace/engine';
import { TextBlocks } from '@headrace/formats/charsets';
import { type CsvDialect, CsvParser, type CsvRows } from '@headrace/formats/records/csv';
import type { TextFormat } from '@headrace/languages/java/text';
import { idFieldsOf, idFormatOf } from '../id-settings.ts';
import { type CsvLayout, FROM_ID, FROM_LINE, FROM_PATH, readHeader } from './csv-header.ts';
import type { CsvSettings } from './csv-settings.ts';

const MANY_COLUMNS = 50;
const WIDE_BLOCK_BYTES = 48 * 1024;

/** The options that are equal for all chunks of files with the same header. They are plain data. */
export interface CsvDecoderOptions {
  readonly header: readonly string[];
  readonly settings: CsvSettings;
  readonly dialect: CsvDialect;
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
  /** The record numbers of the rows that wait to become a table, and their ids if columns form the ids. */
  #records: number[] = [];
  #ids: string[] = [];
  /** True if one of these rows has an ignored term. */
  #partial = false;
  /** The text of these rows, and the texts that all rows of a file share. */
  #source: SourceText | undefined;
  #shared: SourceText | undefined;
  /** True if `"` is not part of simple cells. */
  readonly #quotes: boolean;
  readonly #ignoresEmpty: boolean;

  constructor({ header, settings, dialect, docIdPrefix }: CsvDecoderOptions) {
    this.#layout = readHeader(header, settings, '');
    this.#sources = this.#layout.sources.map((sources) => sources.at(-1) as number);
    this.#parser = new CsvParser(dialect);
    this.#quotes = dialect.quote === '"';
    this.#ignoresEmpty = settings.emptyColumns === 'ignore';
    this.#prefix = docIdPrefix;
    this.#idFields = idFieldsOf(settings);
    this.#idFormat = idFormatOf(settings);
    this.#ignored = new Set(settings.ignoredTerms);
    for (const { length } of this.#ignored) this.#ignoredLengths[length] = true;
    this.#maxLines = settings.maxLinesPerCell;
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
    this.#shared = new SourceText(this.#prefix + place.path + place.name, ['"', '\n', '\r']);
    let open = '';
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
      if (parser.comment) {
        this.#line++;
        continue;
      }
      // Only a record of several lines can have a cell of several lines.
      if (parser.lines > this.#maxLines && parser.mostLines > this.#maxLines) this.#rejectLong(place, start, sink);
      else if (!parser.blank) this.#row(place, this.#record, this.#line, sink);
      this.#record++;
      this.#line += parser.lines;
    }
    return '';
  }

  #row(place: CsvPosition, record: number, line: number, sink: RecordSink): void {
    const parser = this.#parser;
    if (parser.count !== this.#layout.columns && !this.#dropEmptyCell(place, line, sink)) {
      this.#sendTable(place, sink);
      this.#rejectCount(place, record, line, sink);
      return;
    }
    if (this.#idFields.length > 0) {
      const id = this.#idOf(place, line, sink);
      if (id === '') {
        this.#sendTable(place, sink);
        const message = `${this.#idFields.join(', ')} is blank: there is no id`;
        sink.reject({ place: `${place.path}:${line}`, message });
        return;
      }
      this.#ids.push(id);
    }
    if (this.#layout.unnamed.length > 0) this.#countUnnamed(place, line, sink);
    if (this.#ignored.size > 0 && this.#hasIgnored()) this.#partial = true;
    parser.keep();
    this.#records.push(record);
  }

  /** Removes an empty cell after the last column. Returns whether the row then has a cell for each column. */
  #dropEmptyCell(place: CsvPosition, line: number, sink: RecordSink): boolean {
    const parser = this.#parser;
    const { columns } = this.#layout;
    if (!this.#ignoresEmpty || parser.count !== columns + 1 || parser.lengthOf(columns) > 0) return false;
    parser.dropCell();
    sink.notice('csv.extraCell', { file: place.path, line, ahead: this.#records.length });
    return true;
  }

  /** Reports the cells of columns without a name that are not empty. */
  #countUnnamed(place: CsvPosition, line: number, sink: RecordSink): void {
    const parser = this.#parser;
    for (const column of this.#layout.unnamed) {
      if (parser.lengthOf(column) === 0) continue;
      const hint = `column ${column + 1} has no name`;
      const value = parser.cell(column);
      sink.notice('csv.unnamedColumn', { file: place.path, line, value, hint, ahead: this.#records.length });
    }
  }

  /** Sends the waiting rows as a table. It must run before anything that follows these rows is sent. */
  #sendTable(place: CsvPosition, sink: RecordSink): void {
    const records = this.#records;
    if (records.length === 0) return;
    const rows = this.#parser.take(this.#layout.columns);
    const { names } = this.#layout;
    const columnOf = this.#columnsOf(rows, place);
    let table: DocumentTable;
    if (this.#partial) {
      const columns = this.#layout.sources.map(
        (sources, i) => this.#listOf(i, columnOf) ?? this.#withoutIgnored(sources, columnOf),
      );
      const sparse = columns.map(({ values }) => values.includes(undefined));
      table = new DocumentTable(names, columns, records.length, sparse);
      for (const [i, { values }] of columns.entries()) {
        if (values.every((value) => value === undefined)) table.delete(names[i] as string);
      }
    } else {
      const columns = this.#sources.map((source, i) => this.#listOf(i, columnOf) ?? columnOf(source));
      table = new DocumentTable(names, columns, records.length);
    }
    this.#records = [];
    this.#ids = [];
    this.#partial = false;
    if (sink.table !== undefined) sink.table(table);
    else for (let row = 0; row < table.count; row++) sink.document(table.document(row));
  }

  /** Returns the column of a field with the values of several columns. Returns undefined for other fields. */
  #listOf(field: number, columnOf: (source: number) => LazyColumn): LazyColumn | undefined {
    const { lists, names, sources } = this.#layout;
    if (!lists.has(names[field] as string)) return undefined;
    const columns = (sources[field] as readonly number[]).filter((source) => source >= 0).map(columnOf);
    const count = this.#records.length;
    return new LazyColumn(() =>
      Array.from({ length: count }, (_, row) => {
        const values = columns.map(({ values }) => values[row] as string).filter((value) => !this.#ignored.has(value));
        return values.length === 0 ? undefined : values;
      }),
    );
  }

  /** Returns the function that returns the column of a source. */
  #columnsOf(rows: CsvRows, place: CsvPosition): (source: number) => LazyColumn {
    const [records, ids] = [this.#records, this.#ids];
    const start = `${this.#prefix}${place.name}-`;
    return (source) =>
      new LazyColumn(() => {
        if (source >= 0) return rows.column(source);
        if (source === FROM_LINE) return records;
        if (source === FROM_ID) return ids.length > 0 ? ids : idsOf(start, records);
        return new Array<string>(records.length).fill(source === FROM_PATH ? place.path : place.name);
      }, this.#textOf(source));
  }

  /** Returns the text that contains the values of a source, if it is known. */
  #textOf(source: number): SourceText | undefined {
    if (source >= 0) return this.#parser.odd[source] === true ? undefined : this.#source;
    return source === FROM_LINE || (source === FROM_ID && this.#ids.length > 0) ? undefined : this.#shared;
  }

  /** Returns the column of a field: for each row, the value of its last source without an ignored term. */
  #withoutIgnored(sources: readonly number[], columnOf: (source: number) => LazyColumn): LazyColumn {
    const columns = sources.map(columnOf);
    const values = this.#records.map((_, row) => {
      const isIgnored = (source: number, i: number) =>
        source >= 0 && this.#ignored.has(columns[i]?.values[row] as string);
      const last = sources.findLastIndex((source, i) => !isIgnored(source, i));
      return columns[last]?.values[row];
    });
    return new LazyColumn(() => values, columns.length === 1 ? columns[0]?.source : undefined);
  }

  #idOf(place: CsvPosition, line: number, sink: RecordSink): string {
    const { idColumns } = this.#layout;
    const values: string[] = [];
    for (const column of idColumns) {
      const value = this.#parser.cell(column);
      if (value.trim() === '') {
        const field = this.#idFields[values.length];
        sink.notice('id.blank', { file: place.path, line, field, ahead: this.#records.length });
      }
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
    const parser = this.#parser;
    for (let i = 0; i < parser.count; i++) {
      if (this.#ignoredLengths[parser.lengthOf(i)] === true && this.#ignored.has(parser.cell(i))) return true;
    }
    return false;
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
      message: `the row has ${count} ${count === 1 ? 'column' : 'columns'}, the header ${columns}${count > 1 && columns === 1 ? ': if the header is in a later line, set skipLines' : ''}`,
      ...this.#idOfLine(place, record),
    });
  }

  /** Returns the id of a rejected row if the line number forms the id. */
  #idOfLine(place: CsvPosition, record: number): { id?: string } {
    return this.#idFields.length === 0 ? { id: `${this.#prefix}${place.name}-${record}` } : {};
  }
}

/** Returns the ids of rows whose record numbers form them. */
function idsOf(start: string, records: readonly number[]): string[] {
  const ids: string[] = new Array(records.length);
  for (let row = 0; row < ids.length; row++) ids[row] = start + integerText(records[row] as number);
  return ids;
}
