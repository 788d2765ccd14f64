import { type Column, copyValue, readJson, type Value } from 'headrace/engine';
import { parquetSchema, type SchemaElement, type SchemaTree } from 'hyparquet';
import { NestedReader } from './assemble.ts';
import { type ConvertSettings, converterOf, logicalType } from './convert.ts';
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
  /** The columns that are not in the file, with the JSON of the value that all rows have; null if they have none. */
  readonly constants?: readonly (readonly [column: string, json: string | null])[];
  /** A bit for each row that the table has deleted; undefined if it has deleted none of them. */
  readonly deleted?: Uint8Array;
}

/** Rows that were decoded together. */
export interface RowBlock {
  /** The number of the first row in the file, counted from 1. */
  readonly firstRow: number;
  readonly ids: readonly (Value | undefined)[];
  readonly columns: readonly { readonly name: string; readonly values: Column }[];
  /** Returns whether a row passes the filter; undefined if all rows do. */
  readonly passes: ((row: number) => boolean) | undefined;
}

/** The most rows that are decoded together. Their values stay in the caches of the processor. */
const MAX_BLOCK_ROWS = 1024;
/** About the most values that are decoded together. If they fill the young generation, each collection copies them. */
const MAX_BLOCK_VALUES = 64 * 1024;
/** Each column of a block has a cost, so this number of rows may have more values. */
const FEW_ROWS = 64;
/** About the most bytes, compressed, that are decoded together. */
const MAX_BLOCK_BYTES = 1024 ** 2;

interface Rows {
  take(count: number): (Value | undefined)[];
  skip(count: number): void;
}

/** How the columns of row groups are read, for all files with the same schema. */
export class ReadingPlan {
  readonly options: RowGroupOptions;
  readonly filters: readonly { readonly column: string; readonly filter: ColumnFilter }[];
  readonly #root: SchemaTree;
  readonly #topLevel: ReadonlyMap<string, SchemaTree>;

  constructor(options: RowGroupOptions) {
    this.options = options;
    this.#root = parquetSchema({ schema: options.schema } as never);
    this.#topLevel = new Map(this.#root.children.toReversed().map((child) => [child.element.name, child]));
    const columns = [...new Set(options.filter.map(({ column }) => column))];
    this.filters = columns.map((column) => {
      const comparisons = options.filter.filter((one) => one.column === column);
      return { column, filter: new ColumnFilter(this.schemaOf(column).element, comparisons) };
    });
  }

  schemaOf(column: string): SchemaTree {
    return this.pathOf([column])[1] as SchemaTree;
  }

  /** Returns the elements of the schema from the root to a column. */
  pathOf(path: readonly string[]): SchemaTree[] {
    const found = [this.#root];
    for (const [depth, name] of path.entries()) {
      const child =
        depth === 0
          ? this.#topLevel.get(name)
          : (found.at(-1) as SchemaTree).children.find(({ element }) => element.name === name);
      if (child === undefined) throw new Error(`the file has no column ${path.join('.')}`);
      found.push(child);
    }
    return found;
  }
}

/** Reads the rows of a chunk in blocks. */
export class RowGroupReader {
  readonly #plan: ReadingPlan;
  readonly #bytes: Uint8Array;
  readonly #place: RowGroupPosition;
  readonly #chunks: ReadonlyMap<string, ColumnChunkPlace>;
  readonly #constants: ReadonlyMap<string, string | null>;
  readonly #leaves: LeafReader<unknown>[] = [];
  readonly #ids: Rows;
  readonly #columns: readonly { readonly name: string; readonly rows: Rows }[];
  readonly #tests: readonly { readonly filter: ColumnFilter; readonly keys: LeafReader<string | number | bigint> }[];
  readonly #blockRows: number;
  #decoded = 0;
  /** The number of rows before the last block. */
  #before = 0;

  constructor(plan: ReadingPlan, bytes: Uint8Array, place: RowGroupPosition) {
    this.#plan = plan;
    this.#bytes = bytes;
    this.#place = place;
    this.#chunks = new Map(place.columns.map((chunk) => [keyOf(chunk.path), chunk]));
    this.#constants = new Map(place.constants);
    this.#blockRows = blockRows(place);
    const { idField, columns } = plan.options;
    this.#ids = this.#rowsOf(idField);
    this.#columns = columns.map((name) => ({ name, rows: this.#rowsOf(name) }));
    this.#tests = plan.filters.map(({ column, filter }) => ({
      filter,
      keys: this.#leafOf([column], { of: filter.keyOf }),
    }));
  }

  /** The number of rows that were decoded. */
  get decoded(): number {
    return this.#decoded;
  }

  /**
   * Returns the next rows that pass the filter; undefined after the last one.
   * @param known skips blocks with no more such rows than this
   * @param skipped is called with the number of such rows in skipped blocks
   */
  next(known: number, skipped: (rows: number) => void): RowBlock | undefined {
    const { rows, skip, firstRow, deleted } = this.#place;
    let left = known;
    while (this.#decoded < rows) {
      const count = Math.min(this.#blockRows, rows - this.#decoded);
      this.#before = this.#decoded;
      for (const leaf of this.#leaves) leaf.mark();
      const tests = this.#tests.map((test) => ({ filter: test.filter, keys: test.keys.take(count) }));
      const before = this.#decoded;
      const passes = (row: number) =>
        !(deleted !== undefined && hasBit(deleted, before + row)) &&
        tests.every((test) => test.filter.passes(test.keys[row]));
      const wanted = tests.length === 0 && deleted === undefined ? count : countOf(passes, count);
      if (wanted <= left) {
        left -= wanted;
        this.#ids.skip(count);
        for (const column of this.#columns) column.rows.skip(count);
        this.#decoded += count;
        skipped(wanted);
        continue;
      }
      const block: RowBlock = {
        firstRow: firstRow + skip + this.#decoded,
        ids: this.#ids.take(count),
        columns: this.#columns.map(({ name, rows: column }) => ({ name, values: column.take(count) })),
        passes: wanted === count ? undefined : passes,
      };
      this.#decoded += count;
      return block;
    }
    return undefined;
  }

  /** The next call of `next` returns the last block again, with new objects. */
  repeat(): void {
    for (const leaf of this.#leaves) leaf.reset();
    this.#decoded = this.#before;
  }

  #rowsOf(column: string): Rows {
    const constant = this.#constants.get(column);
    if (constant !== undefined) return new Constants(constant);
    const schema = this.#plan.schemaOf(column);
    const convert = (element: SchemaElement) => converterOf(element, this.#plan.options.convert);
    if (schema.children.length === 0 && schema.element.repetition_type !== 'REPEATED') {
      const leaf = this.#leafOf([column], convert(schema.element));
      return hasObjects(schema.element) ? new Copies(leaf) : leaf;
    }
    return new NestedReader(schema, (path) => {
      const leaf = this.#plan.pathOf(path).at(-1) as SchemaTree;
      return this.#leafOf(path, convert(leaf.element));
    });
  }

  #leafOf<V>(path: readonly string[], convert: Converter<V>): LeafReader<V> {
    const { skip, rows } = this.#place;
    const chunk = this.#chunks.get(keyOf(path));
    if (chunk === undefined) throw new Error(`the row group has no column ${path.join('.')}`);
    const schemaPath = this.#plan.pathOf(path);
    const full = schemaPath.filter(({ element }, i) => i > 0 && element.repetition_type !== 'REQUIRED').length;
    const leaf = new LeafReader(new PageReader(this.#bytes, chunk, schemaPath, convert, rows), full);
    leaf.skipRows(skip - (chunk.firstRow ?? 0));
    this.#leaves.push(leaf);
    return leaf;
  }
}

function blockRows({ columns, rows }: RowGroupPosition): number {
  const bytes = columns.reduce((sum, { length }) => sum + length, 0);
  const values = Math.max(FEW_ROWS, MAX_BLOCK_VALUES / columns.length);
  const most = Math.min(values, (MAX_BLOCK_BYTES * rows) / Math.max(1, bytes));
  return Math.max(1, Math.min(MAX_BLOCK_ROWS, Math.floor(most)));
}

/** Rows of objects, which several rows of a column share. Each document gets its own. */
class Copies implements Rows {
  readonly #leaf: LeafReader<Value>;

  constructor(leaf: LeafReader<Value>) {
    this.#leaf = leaf;
  }

  take(count: number): (Value | undefined)[] {
    return this.#leaf.take(count).map((value) => (value === undefined ? undefined : copyValue(value)));
  }

  skip(count: number): void {
    this.#leaf.skip(count);
  }
}

/** Rows of a column that is not in the file. */
class Constants implements Rows {
  readonly #json: string | null;

  constructor(json: string | null) {
    this.#json = json;
  }

  take(count: number): (Value | undefined)[] {
    const json = this.#json;
    if (json === null) return filled<Value | undefined>(undefined, count);
    const value = readJson(json);
    // Each document gets its own objects.
    return typeof value === 'object'
      ? Array.from({ length: count }, () => readJson(json))
      : filled<Value>(value, count);
  }

  skip(): void {}
}

/** Returns a bit of a `RowGroupPosition.deleted`. */
export function hasBit(bits: Uint8Array, at: number): boolean {
  return (((bits[at >>> 3] as number) >>> (at & 7)) & 1) === 1;
}

function hasObjects(element: SchemaElement): boolean {
  const { type } = logicalType(element);
  return type === 'JSON' || type === 'INTERVAL';
}

function countOf(passes: (row: number) => boolean, count: number): number {
  let found = 0;
  for (let row = 0; row < count; row++) if (passes(row)) found++;
  return found;
}

function keyOf(path: readonly string[]): string {
  return path.join('\0');
}
