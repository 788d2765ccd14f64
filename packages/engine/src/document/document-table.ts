import { HeadraceError } from '../errors/headrace-error.ts';
import { Document } from './document.ts';
import { checkWritable, internName } from './names.ts';
import { Shape } from './shape.ts';
import type { Value } from './value.ts';

/** The values of one field in all documents of a table; undefined where a document does not have the field. */
export type Column = readonly (Value | undefined)[];

/** Of so many names one is found sooner by looking at each. */
const FEW_FIELDS = 64;

/** What a table was at some time. */
export interface TableState {
  readonly names: readonly string[];
  readonly columns: readonly Column[];
  readonly sparse: readonly boolean[];
}

/**
 * Documents of the same fields, column by column. A stage that can work on columns does in one tight loop what it
 * would do document by document otherwise; renaming or removing a field costs nothing for each document. (Source of
 * the idea: Boncz, Zukowski, Nes: MonetDB/X100: Hyper-Pipelining Query Execution, CIDR 2005.)
 *
 * A column is never changed in place, a changed one takes its place: what was before can be had back, and columns
 * may be shared between fields as long as their values are texts, numbers and the like.
 */
export class DocumentTable {
  /** How many documents. */
  readonly count: number;
  #fieldNames: string[];
  #columns: Column[];
  /** Whether some documents do not have the field. */
  #sparse: boolean[];
  /** The shape of documents that have all fields, until the fields change. */
  #shape: Shape | undefined;
  /** Where each field stands, in a table of many fields that was asked for one. */
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

  /** The values of a field; undefined when no document has it. */
  column(name: string): Column | undefined {
    const at = this.#place(name);
    return at < 0 ? undefined : this.#columns[at];
  }

  /**
   * Gives a field these values; a new field goes behind the others. Throws when the field is there and some documents
   * lack it: for those it would be a new field at the end, which a column cannot say.
   */
  set(name: string, column: Column, sparse: boolean): void {
    checkWritable(name);
    this.put(name, column, sparse);
  }

  /** As `set`, for the engine's own fields too. */
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

  /** Gives all documents this value, a text, a number or the like. */
  fill(name: string, value: string | number | boolean | null): void {
    this.put(name, new Array<Value>(this.count).fill(value), false);
  }

  remove(name: string): void {
    checkWritable(name);
    const at = this.#place(name);
    if (at >= 0) this.#removeAt(at);
  }

  /** Renames a field, which then stands behind all others. Throws when there is a field of the new name. */
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

  /** What the table is now, for `restore`. */
  save(): TableState {
    return { names: [...this.#fieldNames], columns: [...this.#columns], sparse: [...this.#sparse] };
  }

  restore({ names, columns, sparse }: TableState): void {
    this.#fieldNames = [...names];
    this.#columns = [...columns];
    this.#sparse = [...sparse];
    this.#shape = this.#places = undefined;
  }

  /** One of the documents. Its values are the table's: take each only once. */
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

  /** Where a field stands, or -1. */
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

/** Thrown by a change that a table cannot take: the documents then go on one by one. */
export class NotTabular extends HeadraceError {
  constructor() {
    super('HR_INTERNAL', 'The documents of this table can only be changed one by one');
  }
}
