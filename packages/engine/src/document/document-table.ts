import { HeadraceError } from '../errors/headrace-error.ts';
import { Document } from './document.ts';
import { checkWritable, internName } from './names.ts';
import { Shape } from './shape.ts';
import type { Value } from './value.ts';

/** The values of one field in all documents of a table; undefined if a document does not have the field. */
export type Column = readonly (Value | undefined)[];

/** With this many names or fewer, a linear search is faster. */
const FEW_FIELDS = 64;

/** The state of a table at some time. */
export interface TableState {
  readonly names: readonly string[];
  readonly columns: readonly Column[];
  readonly sparse: readonly boolean[];
}

/**
 * Documents of the same fields, column by column. A stage that supports columns processes them in one tight loop
 * instead of document by document. To rename or remove a field costs nothing for each document. (Source of the idea:
 * Boncz, Zukowski, Nes: MonetDB/X100: Hyper-Pipelining Query Execution, CIDR 2005.)
 * A column is never changed in place, but replaced. So an earlier state can be restored, and several fields may share a
 * column if its values are immutable (texts, numbers).
 */
export class DocumentTable {
  /** How many documents. */
  readonly count: number;
  #fieldNames: string[];
  #columns: Column[];
  /** Whether some documents do not have the field. */
  #sparse: boolean[];
  /** The shape of documents that have all fields; valid until the fields change. */
  #shape: Shape | undefined;
  /** The position of each field. Created at the first look-up, in a table of many fields. */
  #places: Map<string, number> | undefined;

  /**
   * @param names distinct; one of them is `id`, whose values are texts
   * @param columns one for each name, all of `count` values, none missing
   */
  constructor(names: readonly string[], columns: readonly Column[], count: number) {
    this.#fieldNames = [...names];
    this.#columns = [...columns];
    this.#sparse = names.map(() => false);
    this.count = count;
  }

  /** Names of the fields, in their order. */
  get names(): readonly string[] {
    return this.#fieldNames;
  }

  get ids(): readonly string[] {
    return this.column('id') as readonly string[];
  }

  has(name: string): boolean {
    return this.#place(name) >= 0;
  }

  /** The values of a field; undefined if no document has it. */
  column(name: string): Column | undefined {
    const at = this.#place(name);
    return at < 0 ? undefined : this.#columns[at];
  }

  /**
   * Sets the values of a field; a new field is added after the others. Throws if the field exists but some documents
   * lack it: for those it would be a new field at the end, which a column cannot express.
   */
  set(name: string, column: Column, sparse: boolean): void {
    checkWritable(name);
    this.put(name, column, sparse);
  }

  /** As `set`, also for the engine's fields. */
  put(name: string, column: Column, sparse: boolean): void {
    const at = this.#place(name);
    if (at < 0) {
      this.#shape = undefined;
      this.#places?.set(name, this.#fieldNames.length);
      this.#fieldNames.push(internName(name));
      this.#columns.push(column);
      this.#sparse.push(sparse);
    } else {
      if (this.#sparse[at] === true && at < this.#columns.length - 1) throw new NotTabular();
      this.#columns[at] = column;
      this.#sparse[at] = sparse;
    }
  }

  /** Sets the same immutable value (a text, a number) in all documents. */
  fill(name: string, value: string | number | boolean | null): void {
    this.put(name, new Array<Value>(this.count).fill(value), false);
  }

  remove(name: string): void {
    checkWritable(name);
    const at = this.#place(name);
    if (at >= 0) this.#removeAt(at);
  }

  /** Renames a field and moves it to the end. Throws if the new name exists. */
  rename(from: string, to: string): void {
    const at = this.#place(from);
    if (at < 0) return;
    checkWritable(from);
    checkWritable(to);
    const column = this.#columns[at] as Column;
    const sparse = this.#sparse[at] as boolean;
    this.#removeAt(at);
    if (this.has(to)) throw new NotTabular();
    this.put(to, column, sparse);
  }

  /** The current state, for `restore`. */
  save(): TableState {
    return { names: [...this.#fieldNames], columns: [...this.#columns], sparse: [...this.#sparse] };
  }

  restore({ names, columns, sparse }: TableState): void {
    this.#fieldNames = [...names];
    this.#columns = [...columns];
    this.#sparse = [...sparse];
    this.#shape = this.#places = undefined;
  }

  /** One of the documents. It shares its values with the table, so take each document only once. */
  document(row: number): Document {
    const columns = this.#columns;
    const values: Value[] = [];
    for (let i = 0; i < columns.length; i++) {
      const value = (columns[i] as Column)[row];
      if (value !== undefined) values.push(value);
    }
    if (values.length === columns.length) {
      this.#shape ??= Shape.common(this.#fieldNames);
      return new Document(this.#shape, values);
    }
    const names = this.#fieldNames.filter((_, i) => (columns[i] as Column)[row] !== undefined);
    return new Document(Shape.common(names), values);
  }

  /** The position of a field, or -1. */
  #place(name: string): number {
    const fieldNames = this.#fieldNames;
    if (fieldNames.length <= FEW_FIELDS) return fieldNames.indexOf(name);
    this.#places ??= new Map(fieldNames.map((known, i) => [known, i]));
    return this.#places.get(name) ?? -1;
  }

  #removeAt(at: number): void {
    this.#shape = this.#places = undefined;
    this.#fieldNames.splice(at, 1);
    this.#columns.splice(at, 1);
    this.#sparse.splice(at, 1);
  }
}

/** Thrown by a change that a table does not support. The documents are then processed one by one. */
export class NotTabular extends HeadraceError {
  constructor() {
    super('HR_INTERNAL', 'The documents of this table can only be changed one by one');
  }
}
