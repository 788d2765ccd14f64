import {
  type Column,
  DocumentTable,
  type ModuleReference,
  messageOf,
  type RecordDecoder,
  type RecordSink,
  type RejectedRecord,
  textOf,
  type Value,
} from 'headrace/engine';
import { parquetSchema, type SchemaElement, type SchemaTree } from 'hyparquet';
import { NestedReader } from './assemble.ts';
import { type ConvertSettings, converterOf } from './convert.ts';
import { filled } from './filled-array.ts';
import { LeafReader } from './leaf-reader.ts';
import { type ColumnChunkPlace, PageReader } from './page-reader.ts';
import { ColumnFilter, type Comparison } from './row-filter.ts';
import type { Converter } from './stored-values.ts';

/** The options that are equal for all row groups of files with the same schema. Plain data. */
export interface RowGroupOptions {
  readonly schema: readonly SchemaElement[];
  /** The columns that become fields, in order. */
  readonly columns: readonly string[];
  readonly idField: string;
  readonly docIdPrefix: string;
  readonly filter: readonly Comparison[];
  readonly convert: ConvertSettings;
}

/** The rows of a chunk. Plain data. */
export interface RowGroupPosition {
  /** The path of the file, for messages. */
  readonly path: string;
  /** The number of the row group in the file, counted from 1. */
  readonly rowGroup: number;
  /** The number of the first row of the row group in the file, counted from 1. */
  readonly firstRow: number;
  /** How many rows to skip at the start of the row group. */
  readonly skip: number;
  /** How many rows to read after these. */
  readonly rows: number;
  readonly columns: readonly ColumnChunkPlace[];
}

/** Returns the report of the rows of a row group that cannot be read. With a filter, it is unknown how many pass. */
export function lostRows(
  { path, rowGroup }: Pick<RowGroupPosition, 'path' | 'rowGroup'>,
  rows: number,
  { filter }: RowGroupOptions,
  error: unknown,
): RejectedRecord {
  const message = `${rows} rows cannot be read: ${messageOf(error)}`;
  return { place: `${path} row group ${rowGroup}`, message, ...(filter.length === 0 ? { count: rows } : {}) };
}

interface Rows {
  take(count: number): (Value | undefined)[];
}

/** The rows that are decoded together. Their values stay in the caches of the processor. */
const BLOCK_ROWS = 1024;

/** Decodes the column chunks of a row group into documents. */
export class RowGroupDecoder implements RecordDecoder {
  readonly #options: RowGroupOptions;
  readonly #root: SchemaTree;
  readonly #filters: readonly { readonly column: string; readonly filter: ColumnFilter }[];

  constructor(options: RowGroupOptions) {
    this.#options = options;
    this.#root = parquetSchema({ schema: options.schema } as never);
    const columns = [...new Set(options.filter.map(({ column }) => column))];
    this.#filters = columns.map((column) => {
      const comparisons = options.filter.filter((one) => one.column === column);
      return { column, filter: new ColumnFilter(this.#schemaOf(column).element, comparisons) };
    });
  }

  static reference(options: RowGroupOptions): ModuleReference {
    return { url: import.meta.url, name: 'RowGroupDecoder', options };
  }

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    const place = position as RowGroupPosition;
    let decoded = 0;
    try {
      const ids = this.#rowsOf(this.#options.idField, bytes, place);
      const columns = this.#options.columns.map((name) => ({ name, rows: this.#rowsOf(name, bytes, place) }));
      const tests = this.#filters.map(({ column, filter }) => ({
        filter,
        keys: this.#leafOf([column], bytes, place, { of: filter.keyOf }),
      }));
      for (; decoded < place.rows; decoded += BLOCK_ROWS) {
        const count = Math.min(BLOCK_ROWS, place.rows - decoded);
        const first = place.firstRow + place.skip + decoded;
        const taken = columns.map(({ name, rows }) => ({ name, values: rows.take(count) }));
        const keys = tests.map((test) => ({ filter: test.filter, keys: test.keys.take(count) }));
        const passes = (row: number) => keys.every((test) => test.filter.passes(test.keys[row]));
        this.#send(ids.take(count), taken, passes, `${place.path} row `, first, sink);
      }
    } catch (error) {
      sink.reject(lostRows(place, place.rows - decoded, this.#options, error));
    }
  }

  /** Sends the documents of a block, as a table if the sink accepts one. */
  #send(
    ids: readonly (Value | undefined)[],
    columns: readonly { readonly name: string; readonly values: Column }[],
    passes: (row: number) => boolean,
    place: string,
    first: number,
    sink: RecordSink,
  ): void {
    const [allRows, allTexts] = [filled(0, ids.length), filled('', ids.length)];
    let count = 0;
    for (let row = 0; row < ids.length; row++) {
      if (this.#filters.length > 0 && !passes(row)) continue;
      const id = textOf(ids[row] ?? null);
      if (id === null || id === '') {
        const what = id === null ? 'null' : 'empty';
        sink.reject({ place: place + (first + row), message: `the id column ${this.#options.idField} is ${what}` });
        continue;
      }
      allRows[count] = row;
      allTexts[count++] = this.#options.docIdPrefix + id;
    }
    if (count === 0) return;
    const all = count === ids.length;
    const rows = all ? allRows : allRows.slice(0, count);
    const names = ['id'];
    const values: Column[] = [all ? allTexts : allTexts.slice(0, count)];
    const sparse = [false];
    for (const { name, values: column } of columns) {
      const chosen = all ? column : rows.map((row) => column[row]);
      const gaps = chosen.includes(undefined);
      if (gaps && chosen.every((value) => value === undefined)) continue;
      names.push(name);
      values.push(chosen);
      sparse.push(gaps);
    }
    const table = new DocumentTable(names, values, rows.length, sparse);
    if (sink.table === undefined) for (let row = 0; row < rows.length; row++) sink.document(table.document(row));
    else sink.table(table);
  }

  #rowsOf(column: string, bytes: Uint8Array, place: RowGroupPosition): Rows {
    const schema = this.#schemaOf(column);
    const convert = (element: SchemaElement) => converterOf(element, this.#options.convert);
    if (schema.children.length === 0 && schema.element.repetition_type !== 'REPEATED') {
      return this.#leafOf([column], bytes, place, convert(schema.element));
    }
    return new NestedReader(schema, (path) => {
      const leaf = this.#pathOf(path).at(-1) as SchemaTree;
      return this.#leafOf(path, bytes, place, convert(leaf.element));
    });
  }

  #leafOf<V>(path: readonly string[], bytes: Uint8Array, place: RowGroupPosition, convert: Converter<V>) {
    const { columns, skip, rows } = place;
    const key = path.join('\0');
    const chunk = columns.find((one) => one.path.join('\0') === key);
    if (chunk === undefined) throw new Error(`the row group has no column ${path.join('.')}`);
    const schemaPath = this.#pathOf(path);
    const full = schemaPath.filter(({ element }, i) => i > 0 && element.repetition_type !== 'REQUIRED').length;
    const leaf = new LeafReader(new PageReader(bytes, chunk, schemaPath, convert, rows), full);
    leaf.skipRows(skip - (chunk.firstRow ?? 0));
    return leaf;
  }

  #schemaOf(column: string): SchemaTree {
    return this.#pathOf([column])[1] as SchemaTree;
  }

  /** Returns the elements of the schema from the root to a column. */
  #pathOf(path: readonly string[]): SchemaTree[] {
    const found = [this.#root];
    for (const name of path) {
      const child = (found.at(-1) as SchemaTree).children.find(({ element }) => element.name === name);
      if (child === undefined) throw new Error(`the file has no column ${path.join('.')}`);
      found.push(child);
    }
    return found;
  }
}
