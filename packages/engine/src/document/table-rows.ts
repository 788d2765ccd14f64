import { Ascending } from './ascending.ts';
import { Document } from './document.ts';
import type { DocumentTable } from './document-table.ts';
import { FieldUnion } from './field-union.ts';
import type { Column } from './lazy-column.ts';
import type { NameFinder } from './name-finder.ts';
import type { Rows } from './rows.ts';
import type { Shape } from './shape.ts';
import { TableFields } from './table-fields.ts';
import type { Value } from './value.ts';

/** Documents that will form one table. */
interface Kept {
  readonly fields: FieldUnion;
  readonly skipped: boolean;
  readonly rows: Ascending;
  readonly positions: Ascending;
  /** The shape of the last document. */
  shape: Shape | undefined;
}

/**
 * The documents of a table, while stages process them one at a time. No document is copied: a document reads a field in
 * the columns when a stage asks for it. A column is copied when a document changes it for the first time. Afterwards the
 * documents form tables again, of the old columns and the changed ones.
 * A document stays valid after that: later changes are made in new copies of the columns.
 */
export class TableRows implements Rows {
  readonly sparse: boolean;
  /** The number of kept documents that had their own values. */
  copied = 0;
  readonly #table: DocumentTable;
  readonly #shape: Shape;
  readonly #maxTables: number;
  /** The columns that were used: those of the table, changed copies, and those of added fields. */
  #columns: (Column | undefined)[];
  /**
   * The rows whose value was removed, for columns that are otherwise unchanged. Often a stage removes a field of all
   * documents. Then its column is never read or copied.
   */
  readonly #gone: (Uint8Array | undefined)[] = [];
  /** True for the numbers of changed and added columns. */
  readonly #changed: boolean[] = [];
  /** The changed and added columns that are part of no table yet, so that they may be changed in place. */
  #open: ((Value | undefined)[] | undefined)[] = [];
  readonly #fields: TableFields;
  readonly #finder: NameFinder;
  #kept: Kept[] = [];
  #last: Kept | undefined = undefined;
  /** The last shape, and the column of each of its fields. */
  #slotShape: Shape;
  #slots: readonly number[];
  /** The other columns, and their number together with `#slots`. */
  #others: readonly number[] = [];
  #othersOf = 0;

  /**
   * @param table it must not change from now on
   * @param maxTables the maximum number of tables of documents that are not skipped, or that are skipped
   */
  constructor(table: DocumentTable, maxTables: number) {
    this.#table = table;
    this.#shape = this.#slotShape = table.shape;
    this.sparse = table.sparse;
    this.#maxTables = maxTables;
    const { names } = this.#shape;
    this.#fields = TableFields.of(this.#shape);
    this.#finder = this.#fields.finder;
    this.#columns = new Array(this.#fields.count).fill(undefined);
    this.#slots = names.map((_, i) => i);
    this.#othersOf = names.length;
  }

  /** Returns a document. */
  document(row: number): Document {
    return new Document(this.#shape, undefined, this, row);
  }

  find(name: string, row: number): number {
    const at = this.#finder.find(name);
    return at < 0 || !this.#isPresent(at, row) ? -1 : at;
  }

  get(name: string, row: number): Value | undefined {
    const at = this.#finder.find(name);
    return at < 0 ? undefined : this.#column(at)[row];
  }

  read(column: number, row: number): Value {
    return this.#column(column)[row] as Value;
  }

  write(column: number, row: number, value: Value | undefined): void {
    (this.#open[column] ?? this.#copy(column))[row] = value;
  }

  put(shape: Shape, name: string, row: number, value: Value): Shape {
    const at = this.#number(name);
    const column = this.#open[at] ?? this.#copy(at);
    const isNew = column[row] === undefined;
    column[row] = value;
    return isNew ? this.#fields.shapeWith(shape, at) : shape;
  }

  remove(shape: Shape, at: number, row: number): Shape {
    if (this.sparse || this.#changed[at] === true || at >= this.#shape.names.length) this.write(at, row, undefined);
    else {
      this.#gone[at] ??= new Uint8Array(this.#table.count);
      this.#gone[at][row] = 1;
      this.#columns[at] = undefined;
    }
    return this.#fields.shapeWithout(shape, at);
  }

  values(shape: Shape, row: number): (Value | undefined)[] {
    const slots = this.#slotsOf(shape);
    const values: (Value | undefined)[] = [];
    for (let i = 0; i < slots.length; i++) values.push(this.#column(slots[i] as number)[row]);
    return values;
  }

  /**
   * Keeps a document for the next tables.
   * @param position the position of the document, or its place in a group
   * @returns false if the document fits into no table; then call `take` and keep the document again
   */
  keep(document: Document, row: number, position: number): boolean {
    const own = document.shapeIn(this);
    const shape = own ?? document.shape;
    let kept = this.#last;
    if (kept === undefined || shape !== kept.shape || shape.changing) {
      kept = this.#tableFor(shape, document.bypassed);
      if (kept === undefined) return false;
    }
    if (own === undefined) {
      this.copied++;
      this.#takeBack(document, row);
    }
    kept.rows.push(row);
    kept.positions.push(position);
    return true;
  }

  /**
   * Keeps the documents of some rows, as long as they have the fields of the last document that was kept.
   * @param position the position of the first of them; the positions of the others follow it
   * @returns the row after the last document that was kept
   */
  keepRun(documents: readonly (Document | undefined)[], start: number, end: number, position: number): number {
    const kept = this.#last;
    if (kept?.shape === undefined || kept.shape.changing || kept.shape.flagged) return start;
    const { shape } = kept;
    let row = start;
    while (row < end && documents[row]?.shapeIn(this) === shape) row++;
    kept.rows.pushRun(start, row);
    kept.positions.pushRun(position, position + row - start);
    return row;
  }

  /** Returns tables with the documents that were kept since the last call. */
  take(skipped: boolean): DocumentTable[] {
    const tables: DocumentTable[] = [];
    for (const kept of this.#kept) if (kept.skipped === skipped) tables.push(this.#tableOf(kept));
    this.#kept = this.#kept.filter((kept) => kept.skipped !== skipped);
    this.#last = undefined;
    this.#open = [];
    return tables;
  }

  #tableOf({ fields: { names, sparse }, rows, positions }: Kept): DocumentTable {
    const columns: (Column | number)[] = [];
    const gaps: boolean[] = [];
    for (let i = 0; i < names.length; i++) {
      const at = this.#number(names[i] as string);
      const column = this.#changed[at] === true || this.#gone[at] !== undefined ? this.#column(at) : undefined;
      columns.push(column ?? at);
      gaps.push(sparse[i] === true || (this.sparse && column?.includes(undefined) === true));
    }
    return this.#table.with(names, columns, gaps, rows, positions);
  }

  #tableFor(shape: Shape, skipped: boolean): Kept | undefined {
    const some = this.#kept.filter((kept) => kept.skipped === skipped);
    let kept = some.find(({ fields }) => fields.add(shape) !== undefined);
    if (kept === undefined) {
      if (some.length === this.#maxTables) return undefined;
      kept = { fields: new FieldUnion(), skipped, rows: new Ascending(), positions: new Ascending(), shape };
      kept.fields.add(shape);
      this.#kept.push(kept);
    }
    kept.shape = shape;
    this.#last = kept;
    return kept;
  }

  /** Writes the values of a document with its own values to its row. */
  #takeBack({ shape, fieldValues }: Document, row: number): void {
    const slots = this.#slotsOf(shape);
    const count = this.#fields.count;
    if (this.#othersOf !== count) {
      const present = new Set(slots);
      this.#others = Array.from({ length: count }, (_, at) => at).filter((at) => !present.has(at));
      this.#othersOf = count;
    }
    for (const at of this.#others) if (this.#column(at)[row] !== undefined) this.write(at, row, undefined);
    for (let i = 0; i < slots.length; i++) {
      const at = slots[i] as number;
      const value = fieldValues[i];
      if (this.#column(at)[row] !== value) this.write(at, row, value);
    }
  }

  /** Returns the column number of a field. A new field gets the next number. */
  #number(name: string): number {
    const at = this.#finder.find(name);
    return at < 0 ? this.#fields.add(name) : at;
  }

  /** Returns the column of each field of a shape. */
  #slotsOf(shape: Shape): readonly number[] {
    if (shape === this.#slotShape && !shape.changing) return this.#slots;
    this.#slotShape = shape;
    this.#slots = shape.names.map((name) => this.#number(name));
    this.#othersOf = 0;
    return this.#slots;
  }

  /** Returns true if a row has a value in a column. Does not read the column if this is known without it. */
  #isPresent(at: number, row: number): boolean {
    const column = this.#columns[at];
    if (column !== undefined) return column[row] !== undefined;
    if (this.sparse || at >= this.#shape.names.length) return this.#load(at)[row] !== undefined;
    return this.#gone[at]?.[row] !== 1;
  }

  #column(at: number): Column {
    return this.#columns[at] ?? this.#load(at);
  }

  #load(at: number): Column {
    const { names } = this.#shape;
    if (at >= names.length) return this.#change(at, new Array(this.#table.count).fill(undefined));
    const column = this.#table.column(names[at] as string) as Column;
    const gone = this.#gone[at];
    if (gone !== undefined) {
      this.#gone[at] = undefined;
      return this.#change(
        at,
        column.map((value, row) => (gone[row] === 1 ? undefined : value)),
      );
    }
    this.#columns[at] = column;
    return column;
  }

  /** Copies a column that is part of a table, so that it may be changed. */
  #copy(at: number): (Value | undefined)[] {
    const column = this.#column(at);
    return this.#open[at] ?? this.#change(at, column.slice());
  }

  /** Sets a new column. */
  #change(at: number, column: (Value | undefined)[]): (Value | undefined)[] {
    this.#columns[at] = this.#open[at] = column;
    this.#changed[at] = true;
    return column;
  }
}
