import { Document } from './document.ts';
import type { DocumentTable } from './document-table.ts';
import { FieldUnion } from './field-union.ts';
import type { Column } from './lazy-column.ts';
import { internName } from './names.ts';
import type { Rows } from './rows.ts';
import type { Shape } from './shape.ts';
import type { Value } from './value.ts';

/** Column numbers are used again for tables of the same fields, up to this number of added names. */
const MAX_ADDED = 256;

/** The column numbers of names, for tables of documents of a shape. Names that stages add follow those of the shape. */
const numbersOf = new WeakMap<Shape, Map<string, number>>();

/** Documents that will form one table. */
interface Kept {
  readonly fields: FieldUnion;
  readonly skipped: boolean;
  readonly rows: number[];
  readonly positions: number[];
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
  /** True for the numbers of changed and added columns. */
  readonly #changed: boolean[] = [];
  /** The changed and added columns that are part of no table yet, so that they may be changed in place. */
  #open: ((Value | undefined)[] | undefined)[] = [];
  readonly #numbers: Map<string, number>;
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
    this.#numbers = columnNumbers(this.#shape);
    this.#columns = new Array(this.#numbers.size).fill(undefined);
    this.#slots = names.map((_, i) => i);
    this.#othersOf = names.length;
  }

  /** Returns a document. */
  document(row: number): Document {
    return new Document(this.#shape, undefined, this, row);
  }

  find(name: string, row: number): number {
    const at = this.#numbers.get(name);
    return at === undefined || this.#column(at)[row] === undefined ? -1 : at;
  }

  get(name: string, row: number): Value | undefined {
    const at = this.#numbers.get(name);
    return at === undefined ? undefined : this.#column(at)[row];
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
    if (!isNew) return shape;
    // The shape may contain a field that the row lacked. Now the field is the last one.
    const before = this.sparse ? shape.position(name) : -1;
    return (before < 0 ? shape : shape.without(before)).with(name);
  }

  remove(shape: Shape, name: string, row: number): Shape {
    const at = this.#number(name);
    this.write(at, row, undefined);
    return shape.without(shape === this.#shape ? at : shape.position(name));
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

  /** Returns tables with the documents that were kept since the last call. */
  take(skipped: boolean): DocumentTable[] {
    const tables = this.#kept
      .filter((kept) => kept.skipped === skipped)
      .map(({ fields: { names, sparse }, rows, positions }) => {
        const columns = names.map((name) => {
          const at = this.#number(name);
          return this.#changed[at] === true ? this.#column(at) : at;
        });
        const gaps = columns.map((column, i) => {
          return sparse[i] === true || (this.sparse && typeof column !== 'number' && column.includes(undefined));
        });
        return this.#table.with(names, columns, gaps, rows, positions);
      });
    this.#kept = this.#kept.filter((kept) => kept.skipped !== skipped);
    this.#last = undefined;
    this.#open = [];
    return tables;
  }

  #tableFor(shape: Shape, skipped: boolean): Kept | undefined {
    const some = this.#kept.filter((kept) => kept.skipped === skipped);
    let kept = some.find(({ fields }) => fields.add(shape) !== undefined);
    if (kept === undefined) {
      if (some.length === this.#maxTables) return undefined;
      kept = { fields: new FieldUnion(), skipped, rows: [], positions: [], shape };
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
    const count = this.#numbers.size;
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

  /** Returns the number of a field's column. */
  #number(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const at = this.#numbers.size;
    this.#numbers.set(internName(name), at);
    return at;
  }

  /** Returns the column of each field of a shape. */
  #slotsOf(shape: Shape): readonly number[] {
    if (shape === this.#slotShape && !shape.changing) return this.#slots;
    this.#slotShape = shape;
    this.#slots = shape.names.map((name) => this.#number(name));
    this.#othersOf = 0;
    return this.#slots;
  }

  #column(at: number): Column {
    return this.#columns[at] ?? this.#load(at);
  }

  #load(at: number): Column {
    const { names } = this.#shape;
    if (at < names.length) {
      const column = this.#table.column(names[at] as string) as Column;
      this.#columns[at] = column;
      return column;
    }
    const column = new Array(this.#table.count).fill(undefined);
    this.#columns[at] = this.#open[at] = column;
    this.#changed[at] = true;
    return column;
  }

  #copy(at: number): (Value | undefined)[] {
    const column = this.#column(at).slice();
    this.#columns[at] = this.#open[at] = column;
    this.#changed[at] = true;
    return column;
  }
}

function columnNumbers(shape: Shape): Map<string, number> {
  const known = numbersOf.get(shape);
  if (known !== undefined && known.size <= shape.names.length + MAX_ADDED) return known;
  const numbers = new Map(shape.names.map((name, i) => [name, i]));
  if (!shape.changing) numbersOf.set(shape, numbers);
  return numbers;
}
