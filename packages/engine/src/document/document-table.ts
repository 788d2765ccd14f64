import { contractError, kindOf } from '../errors/contract-error.ts';
import { HeadraceError } from '../errors/headrace-error.ts';
import type { Ascending } from './ascending.ts';
import { Document } from './document.ts';
import { type Column, LazyColumn } from './lazy-column.ts';
import { mergeNames } from './merge-names.ts';
import { checkWritable, internName } from './names.ts';
import { masksOf, Shape } from './shape.ts';
import { hasOnlyTexts, SourceTexts } from './source-text.ts';
import { columnOf, copyField, type Field, hasGaps, mergedField, newField } from './table-field.ts';
import { type Value, withoutMissing } from './value.ts';

/** Up to this number of fields, a linear search is faster than a map, because the fields of a table change often. */
const FEW_FIELDS = 400;

const samples: DocumentTable[] = [];

/**
 * Documents with the same fields, stored as columns. A stage that supports columns processes a column in one fast loop
 * instead of each document. Renaming or removing a field has no cost per document. (Source of the idea: Boncz,
 * Zukowski, Nes: MonetDB/X100: Hyper-Pipelining Query Execution, CIDR 2005.)
 * A column is never changed in place, but replaced. So an earlier state can be restored, and several fields may share a
 * column if its values are immutable (strings, numbers).
 */
export class DocumentTable {
  /** The number of documents. */
  readonly count: number;
  /**
   * Always filled by `push` or `slice`. In optimized code, `map` creates arrays of another kind (holey). A second kind
   * made V8 compile all functions that use tables again.
   */
  #fields: Field[];
  /** The row numbers in the original table, if this table was selected from another one. */
  #rows: readonly number[] | undefined = undefined;
  /** The original table, if the positions are those of its rows. */
  #origin: DocumentTable | undefined = undefined;
  #positions: readonly number[] | undefined;
  #first = 0;
  /** The shape of documents that have all fields. Reset when the fields change. */
  #shape: Shape | undefined = undefined;
  /** True if a field marks documents as dropped or skipped. Undefined if it must be computed again. */
  #bypassed: boolean | undefined = undefined;
  /** The position of each field. Created at the first look-up if the table has many fields. */
  #places: Map<string, number> | undefined = undefined;
  /** The position after the field that was found last, because many loops use the fields in order. */
  #next = 0;

  static {
    // V8 compiles code for properties that never change, until one changes. In many runs that is late: all functions that
    // use tables are then compiled again. So all properties change here, in a table that keeps its hidden classes alive.
    const table = new DocumentTable(['id'], [new LazyColumn(() => [])], 0, [true]);
    columnOf(table.#fields[0] as Field);
    (table.#fields[0] as Field).sparse = false;
    table.#fields = table.#fields.slice();
    table.#rows = table.#positions = [];
    table.#origin = table;
    table.#first = table.#next = 1;
    table.#bypassed = true;
    table.#shape = Shape.common([]);
    table.#places = new Map();
    samples.push(table);
  }

  /**
   * @param names distinct names; one of them is `id`, and its values are strings
   * @param columns one column for each name, with `count` values
   * @param sparse for each column: true if values are missing; defaults to false
   * @param positions the position of each document in its batch; defaults to its row
   * @param source where the texts of all columns come from
   */
  constructor(
    names: readonly string[],
    columns: readonly (Column | LazyColumn)[],
    count: number,
    sparse: readonly boolean[] = [],
    positions?: readonly number[],
    source?: SourceTexts,
  ) {
    const fields: Field[] = [];
    for (let i = 0; i < names.length; i++) {
      checkColumn(names[i] as string, columns[i] as Column | LazyColumn, count);
      fields.push(newField(names[i] as string, columns[i] as Column | LazyColumn, sparse[i] ?? false, source));
    }
    this.#fields = fields;
    this.count = count;
    this.#positions = positions;
  }

  /** The names of the fields, in order. */
  get names(): readonly string[] {
    const names: string[] = [];
    for (const { name } of this.#fields) names.push(name);
    return names;
  }

  get ids(): readonly string[] {
    return this.column('id') as readonly string[];
  }

  /** Returns the position of a document in its batch. */
  position(row: number): number {
    if (this.#positions !== undefined) return this.#positions[row] as number;
    return this.#origin === undefined ? this.#first + row : this.#origin.position(this.#rows?.[row] as number);
  }

  /** Sets the position of the first document in its batch. The other documents follow it. */
  startAt(position: number): void {
    this.#first = position;
  }

  has(name: string): boolean {
    return this.#place(name) >= 0;
  }

  /** True if some documents are marked as dropped or skipped. */
  get hasBypassed(): boolean {
    this.#bypassed ??= this.has('___dropped') || this.has('___skipped');
    return this.#bypassed;
  }

  /** Returns the values of a field. Returns undefined if no document has the field. */
  column(name: string): Column | undefined {
    const at = this.#place(name);
    return at < 0 ? undefined : columnOf(this.#fields[at] as Field);
  }

  /**
   * Returns the rows whose value of a field passes a test, in order. A missing value is undefined.
   * @param among the rows to test; defaults to all
   */
  rowsWhere(name: string, test: (value: Value | undefined) => boolean, among?: readonly number[]): number[] {
    const column = this.column(name);
    if (among !== undefined) return among.filter((row) => test(column?.[row]));
    if (column === undefined) return test(undefined) ? Array.from({ length: this.count }, (_, row) => row) : [];
    const rows: number[] = [];
    for (let row = 0; row < column.length; row++) if (test(column[row])) rows.push(row);
    return rows;
  }

  /** Returns the column of a field as it was set, if it is lazy and none of its documents was removed. */
  lazyColumn(name: string): LazyColumn | undefined {
    return this.#fields[this.#place(name)]?.lazy;
  }

  /**
   * Sets the values of a field. A new field is added after the other fields. Throws if a document gets a field that it
   * lacked before: in this document the field would be the last one, and a column cannot express that.
   */
  set(name: string, column: Column, sparse: boolean): void {
    checkWritable(name);
    checkColumn(name, column, this.count);
    this.put(name, column, sparse);
  }

  /** Sets the values of a field like `set`, but also allows the fields of the engine. */
  put(name: string, column: Column | LazyColumn, sparse: boolean): void {
    const at = this.#place(name);
    if (at < 0) {
      this.#append(newField(internName(name), column, sparse));
      return;
    }
    const field = this.#fields[at] as Field;
    const after = newField(field.name, column, sparse);
    const isLast = at === this.#fields.length - 1;
    if (!isLast && hasGaps(field) && fillsGaps(columnOf(field), columnOf(after))) throw new NotTabular();
    this.#fields[at] = after;
  }

  /** Sets the same immutable value (a string, a number) in all documents. */
  fill(name: string, value: string | number | boolean | null): void {
    this.put(name, new LazyColumn(() => new Array<Value>(this.count).fill(value)), false);
  }

  remove(name: string): void {
    checkWritable(name);
    this.delete(name);
  }

  /** Removes a field like `remove`, but also allows the fields of the engine. */
  delete(name: string): void {
    const at = this.#place(name);
    if (at >= 0) this.#removeAt(at);
  }

  /** Renames a field and moves it to the end. Throws if the new name exists. */
  rename(from: string, to: string): void {
    const at = this.#place(from);
    if (at < 0) return;
    checkWritable(from);
    checkWritable(to);
    const field = this.#fields[at] as Field;
    this.#removeAt(at);
    if (this.has(to)) throw new NotTabular();
    this.#append(copyField(field, internName(to), field.sparse));
  }

  /** Removes values of a field: `column` has undefined instead of them. The field must exist. */
  thin(name: string, column: Column): void {
    const at = this.#place(name);
    const { name: known, source } = this.#fields[at] as Field;
    this.#fields[at] = newField(known, column, true, source);
  }

  /**
   * Returns true if all values of a field are known to be texts that JSON and CSV can contain between quotes as they are.
   */
  isPlain(name: string): boolean {
    const field = this.#fields[this.#place(name)];
    if (field?.source === undefined) return false;
    return (!(field.source instanceof SourceTexts) || hasOnlyTexts(columnOf(field))) && field.source.isPlain;
  }

  /** Returns a function that restores the current fields. */
  mark(): () => void {
    const fields = this.#fields.slice();
    return () => {
      this.#fields = fields;
      this.#shape = this.#places = this.#bypassed = undefined;
    };
  }

  /** Returns one document. It shares its values with the table, so call this only once for each row. */
  document(row: number): Document {
    const fields = this.#fields;
    const values: (Value | undefined)[] = [];
    let isSparse = false;
    for (let i = 0; i < fields.length; i++) {
      const value = columnOf(fields[i] as Field)[row];
      if (value === undefined) isSparse = true;
      values.push(value);
    }
    if (!isSparse) return new Document(this.shape, values as Value[]);
    const shape = this.shape.part(masksOf(values));
    return new Document(shape, withoutMissing(values));
  }

  /** The shape of documents that have all fields. */
  get shape(): Shape {
    this.#shape ??= Shape.common(this.names);
    return this.#shape;
  }

  /** True if some documents may lack a field. */
  get sparse(): boolean {
    return this.#fields.some(({ sparse }) => sparse);
  }

  /**
   * Returns a table of some of the documents with other fields.
   * @param names the names of the fields
   * @param columns for each name: a new column, or the position of the field in this table
   * @param sparse for each name: true if values may be missing; a field of this table may have gaps anyway
   * @param rows the rows of the documents
   * @param positions the position of each of the documents
   */
  with(
    names: readonly string[],
    columns: readonly (Column | number)[],
    sparse: readonly boolean[],
    rows: Ascending,
    positions: Ascending,
  ): DocumentTable {
    const table = new DocumentTable([], [], this.count, [], positions.stored);
    table.#rows = this.#rows;
    const fields: Field[] = [];
    for (let i = 0; i < names.length; i++) {
      const column = columns[i] as Column | number;
      const mayLack = sparse[i] as boolean;
      if (typeof column !== 'number') fields.push(newField(names[i] as string, column, mayLack));
      else {
        const field = this.#fields[column] as Field;
        fields.push(mayLack && !field.sparse ? copyField(field, field.name, true) : field);
      }
    }
    table.#fields = fields;
    return rows.count === this.count ? table : table.select(rows.all, positions.all);
  }

  /**
   * Returns a table with some of the documents. Its columns are copied when they are used for the first time.
   * @param rows row numbers in ascending order
   * @param positions the position of each of the documents; defaults to that in this table
   */
  select(rows: readonly number[], positions?: readonly number[]): DocumentTable {
    const selected = new DocumentTable([], [], rows.length, [], positions);
    selected.#rows = rows;
    if (positions === undefined) selected.#origin = this;
    const fields: Field[] = [];
    for (const origin of this.#fields) {
      const { name, sparse, source } = origin;
      fields.push({ name, column: undefined, lazy: undefined, sparse, origin, rows, source });
    }
    selected.#fields = fields;
    return selected;
  }

  /** Returns a table with the documents from a row to the end. */
  selectFrom(first: number): DocumentTable {
    return this.select(Array.from({ length: this.count - first }, (_, i) => first + i));
  }

  /**
   * Copies the changes of documents that were selected from this table. This table must not have changed since. Throws
   * if the order of the fields now differs between documents.
   */
  merge(selected: DocumentTable): void {
    const rows = selected.#rows as readonly number[];
    const names = mergeNames(this.names, selected.names);
    if (names === undefined) throw new NotTabular();
    const [own, others] = [this.#fields, selected.#fields];
    const fields: Field[] = [];
    // The merged names have the order of both tables.
    let i = 0;
    let j = 0;
    for (const name of names) {
      const field = own[i]?.name === name ? own[i++] : undefined;
      const changed = others[j]?.name === name ? others[j++] : undefined;
      fields.push(
        field !== undefined && changed?.origin === field ? field : mergedField(field, changed, rows, this.count),
      );
    }
    this.#fields = fields;
    this.#shape = this.#places = this.#bypassed = undefined;
  }

  /** Returns the position of a field, or -1. */
  #place(name: string): number {
    const fields = this.#fields;
    if (fields[this.#next]?.name === name) return this.#next++;
    if (fields.length <= FEW_FIELDS) {
      for (let i = 0; i < fields.length; i++) {
        if ((fields[i] as Field).name !== name) continue;
        this.#next = i + 1;
        return i;
      }
      return -1;
    }
    this.#places ??= new Map(fields.map((field, i) => [field.name, i]));
    return this.#places.get(name) ?? -1;
  }

  #append(field: Field): void {
    this.#shape = undefined;
    if (field.name.startsWith('___')) this.#bypassed = undefined;
    this.#places?.set(field.name, this.#fields.length);
    this.#fields.push(field);
  }

  #removeAt(at: number): void {
    this.#shape = this.#places = this.#bypassed = undefined;
    this.#fields.splice(at, 1);
  }
}

/** Thrown by a change that a table does not support. The documents are then processed one at a time. */
export class NotTabular extends HeadraceError {
  constructor() {
    super('HR_INTERNAL', 'The documents of this table can only be changed one by one');
  }
}

/** Throws if a column does not have one value for each document: values would belong to other documents or be lost. */
function checkColumn(name: string, column: Column | LazyColumn, count: number): void {
  if (column instanceof LazyColumn || (Array.isArray(column) && column.length === count)) return;
  const found = Array.isArray(column) ? `${column.length} values` : kindOf(column);
  throw contractError(
    `The column ${name} of a table of ${count} documents has ${found}`,
    'A column is a list with one value for each document, undefined if the document lacks the field.',
  );
}

/** Returns true if a document that lacks a value gets one. */
function fillsGaps(before: Column, after: Column): boolean {
  for (let row = 0; row < before.length; row++) {
    if (before[row] === undefined && after[row] !== undefined) return true;
  }
  return false;
}
