import type { Document } from './document.ts';
import { DocumentTable } from './document-table.ts';
import { FieldUnion } from './field-union.ts';
import type { Shape } from './shape.ts';
import type { SourceTexts } from './source-text.ts';
import type { Value } from './value.ts';

/**
 * Builds a table of documents. The documents may have different fields, but most fields must be common, and the order
 * of common fields must be the same.
 */
export class TableBuilder {
  readonly #fields = new FieldUnion();
  #columns: (Value | undefined)[][] = [];
  #positions: number[] = [];
  /** The shape of the last document, and the position of each column in documents of that shape, or -1. */
  #shape: Shape | undefined = undefined;
  #places: readonly number[] = [];

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

  /**
   * Returns a table with all documents since the last call.
   * @param source where all their texts come from
   */
  take(source?: SourceTexts): DocumentTable {
    const { names, sparse } = this.#fields;
    const table = new DocumentTable(names, this.#columns, this.count, sparse, this.#positions, source);
    this.#positions = [];
    this.#columns = [];
    this.#shape = undefined;
    this.#fields.clear();
    return table;
  }

  /** Prepares the columns for documents of this shape. Returns false if such documents do not fit into this table. */
  #learn(shape: Shape): boolean {
    const { names } = this.#fields;
    const places = this.#fields.add(shape);
    if (places === undefined) return false;
    this.#places = places;
    this.#shape = shape;
    if (this.#fields.names !== names) {
      const columns = new Map(names.map((name, i) => [name, this.#columns[i]]));
      this.#columns = this.#fields.names.map((name) => columns.get(name) ?? new Array(this.count).fill(undefined));
    }
    return true;
  }
}
