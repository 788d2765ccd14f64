import type { Document } from './document.ts';
import { DocumentTable } from './document-table.ts';
import { mergeNames } from './merge-names.ts';
import type { Shape } from './shape.ts';
import type { Value } from './value.ts';

/**
 * A table has at most this many times the fields of each of its documents, and some more. Above that, empty cells take
 * longer than the values.
 */
const MAX_SPARSENESS = 4;
const FEW_FIELDS = 16;

/**
 * Builds a table of documents. The documents may have different fields, but most fields must be common, and the order
 * of common fields must be the same.
 */
export class TableBuilder {
  #names: readonly string[] = [];
  #columns: (Value | undefined)[][] = [];
  #sparse: boolean[] = [];
  #positions: number[] = [];
  /** The shape of the last document, and the position of each column in documents of that shape, or -1. */
  #shape: Shape | undefined = undefined;
  #places: readonly number[] = [];
  /** The positions for the shapes that were already seen. */
  #known = new Map<Shape, readonly number[]>();

  /** The number of documents. */
  get count(): number {
    return this.#positions.length;
  }

  /**
   * Adds a document. The table owns its values afterwards.
   * @param position the position of the document in the batch
   * @returns false if the fields differ too much from the documents before, or their order differs; then call `take` and
   * add the document again
   */
  add({ shape, fieldValues }: Document, position: number): boolean {
    if ((shape !== this.#shape || shape.changing) && !this.#learn(shape)) return false;
    const columns = this.#columns;
    const places = this.#places;
    const row = this.#positions.length;
    for (let i = 0; i < columns.length; i++) {
      const at = places[i] as number;
      (columns[i] as (Value | undefined)[])[row] = at < 0 ? undefined : fieldValues[at];
    }
    this.#positions.push(position);
    return true;
  }

  /** Returns a table with all documents since the last call. */
  take(): DocumentTable {
    const table = new DocumentTable(this.#names, this.#columns, this.count, this.#sparse, this.#positions);
    this.#positions = [];
    this.#names = this.#columns = this.#sparse = [];
    this.#shape = undefined;
    this.#known.clear();
    return table;
  }

  /** Prepares the columns for documents of this shape. Returns false if such documents do not fit into this table. */
  #learn(shape: Shape): boolean {
    const known = this.#known.get(shape);
    if (known !== undefined) {
      this.#places = known;
      this.#shape = shape;
      return true;
    }
    const { count } = this;
    const places = placesIn(this.#names, shape.names);
    if (places !== undefined && this.#names.length <= MAX_SPARSENESS * shape.names.length + FEW_FIELDS) {
      for (let i = 0; i < places.length; i++) if ((places[i] as number) < 0) this.#sparse[i] = true;
      this.#places = places;
      if (!shape.changing) this.#known.set(shape, places);
      this.#shape = shape;
      return true;
    }
    const names = count === 0 ? shape.names : mergeNames(this.#names, shape.names);
    if (names === undefined || names.length > MAX_SPARSENESS * shape.names.length + FEW_FIELDS) return false;
    const columns = new Map(this.#names.map((name, i) => [name, i]));
    const had = this.#columns;
    const wereSparse = this.#sparse;
    this.#columns = names.map((name) => had[columns.get(name) ?? -1] ?? new Array(count).fill(undefined));
    this.#places = names.map((name) => shape.position(name));
    this.#sparse = names.map((name, i) => {
      const at = columns.get(name);
      return (at === undefined ? count > 0 : (wereSparse[at] as boolean)) || (this.#places[i] as number) < 0;
    });
    if (names.length > this.#names.length) this.#known.clear();
    if (!shape.changing) this.#known.set(shape, this.#places);
    this.#names = [...names];
    this.#shape = shape;
    return true;
  }
}

/**
 * Returns for each name its position in other names, or -1. Returns undefined if the other names contain more, or have
 * another order. Much faster than `mergeNames`, and sufficient for most documents that lack optional fields.
 */
function placesIn(names: readonly string[], others: readonly string[]): number[] | undefined {
  const places: number[] = new Array(names.length);
  let next = 0;
  for (let i = 0; i < places.length; i++) places[i] = names[i] === others[next] ? next++ : -1;
  return next === others.length ? places : undefined;
}
