import type { Document } from './document.ts';
import { DocumentTable } from './document-table.ts';
import { FieldUnion } from './field-union.ts';
import type { Shape } from './shape.ts';
import type { SourceTexts } from './source-text.ts';
import type { Value } from './value.ts';

/** Consecutive documents with the same fields. */
interface Run {
  readonly shape: Shape;
  /** The names of the table when the run began, and for each of them the position in the documents, or -1. */
  readonly names: readonly string[];
  readonly places: readonly number[];
  /** The number of the first row. */
  readonly start: number;
}

/**
 * Builds a table of documents. The documents may have different fields, but most fields must be common, and the order
 * of common fields must be the same.
 */
export class TableBuilder {
  readonly #fields = new FieldUnion();
  /** The values of each document. The columns are made at the end, when their length is known. */
  #rows: (readonly Value[])[] = [];
  #positions: number[] = [];
  #runs: Run[] = [];
  /** The shape of the last document. */
  #shape: Shape | undefined = undefined;

  /** The number of documents. */
  get count(): number {
    return this.#rows.length;
  }

  /**
   * Adds a document. The table owns its values afterwards.
   * @param position the position of the document in the batch
   * @returns false if the fields differ too much from the documents before, or their order differs; then call `take` and
   * add the document again
   */
  add({ shape, fieldValues }: Document, position: number): boolean {
    if ((shape !== this.#shape || shape.changing) && !this.#learn(shape)) return false;
    this.#rows.push(fieldValues);
    this.#positions.push(position);
    return true;
  }

  /**
   * Returns a table with all documents since the last call.
   * @param source where all their texts come from
   */
  take(source?: SourceTexts): DocumentTable {
    const { names, sparse } = this.#fields;
    const rows = this.#rows;
    const columns: (Value | undefined)[][] = [];
    for (let i = 0; i < names.length; i++) columns.push(new Array(rows.length));
    for (let r = 0; r < this.#runs.length; r++) {
      const run = this.#runs[r] as Run;
      const places = run.names === names ? run.places : placesOf(run.shape, names);
      const end = this.#runs[r + 1]?.start ?? rows.length;
      for (let i = 0; i < names.length; i++) {
        fill(columns[i] as (Value | undefined)[], rows, places[i] as number, run.start, end);
      }
    }
    const table = new DocumentTable(names, columns, rows.length, sparse, this.#positions, source);
    this.#rows = [];
    this.#positions = [];
    this.#runs = [];
    this.#shape = undefined;
    this.#fields.clear();
    return table;
  }

  /** Begins a run of documents with this shape. Returns false if such documents do not fit into this table. */
  #learn(shape: Shape): boolean {
    const places = this.#fields.add(shape);
    if (places === undefined) return false;
    this.#runs.push({ shape, names: this.#fields.names, places, start: this.count });
    this.#shape = shape;
    return true;
  }
}

/** Returns for each name its position in documents of a shape, or -1. */
function placesOf(shape: Shape, names: readonly string[]): number[] {
  const places: number[] = [];
  for (let i = 0; i < names.length; i++) places.push(shape.position(names[i] as string));
  return places;
}

/** Copies one value of each document of a run into a column. */
function fill(
  column: (Value | undefined)[],
  rows: readonly (readonly Value[])[],
  place: number,
  start: number,
  end: number,
): void {
  for (let row = start; row < end; row++) column[row] = place < 0 ? undefined : (rows[row] as readonly Value[])[place];
}
