import type { Document } from './document.ts';
import { DocumentTable } from './document-table.ts';
import { mergeNames } from './merge-names.ts';
import type { Shape } from './shape.ts';
import type { Value } from './value.ts';

/**
 * Builds a table of documents. Their fields may differ, but not the order of the fields that they have in common.
 */
export class TableBuilder {
  #names: readonly string[] = [];
  #columns: (Value | undefined)[][] = [];
  #sparse: boolean[] = [];
  #positions: number[] = [];
  /** The shape of the last document, and for each column its position in documents of that shape, or -1. */
  #shape: Shape | undefined = undefined;
  #places: readonly number[] = [];
  /** These positions for the shapes so far. */
  #known = new Map<Shape, readonly number[]>();

  /** How many documents it has. */
  get count(): number {
    return this.#positions.length;
  }

  /**
   * Adds a document; its values belong to the table then.
   * @param position its position in the batch
   * @returns false if its fields are in another order than those of the documents before it: call `take`, and add it
   *   again
   */
  add({ shape, fieldValues }: Document, position: number): boolean {
    if ((shape !== this.#shape || shape.changing) && !this.#learn(shape)) return false;
    const columns = this.#columns;
    const places = this.#places;
    for (let i = 0; i < columns.length; i++) {
      const at = places[i] as number;
      (columns[i] as (Value | undefined)[]).push(at < 0 ? undefined : fieldValues[at]);
    }
    this.#positions.push(position);
    return true;
  }

  /** The table of all documents since the last call. */
  take(): DocumentTable {
    const table = new DocumentTable(this.#names, this.#columns, this.count, this.#sparse, this.#positions);
    this.#positions = [];
    this.#names = this.#columns = this.#sparse = [];
    this.#shape = undefined;
    this.#known.clear();
    return table;
  }

  /** Prepares for documents of this shape. Returns false if their fields are in another order. */
  #learn(shape: Shape): boolean {
    const known = this.#known.get(shape);
    if (known !== undefined) {
      this.#places = known;
      this.#shape = shape;
      return true;
    }
    const { count } = this;
    const names = count === 0 ? shape.names : mergeNames(this.#names, shape.names);
    if (names === undefined) return false;
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
