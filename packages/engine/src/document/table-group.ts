import type { Document } from './document.ts';
import type { DocumentTable } from './document-table.ts';
import type { Shape } from './shape.ts';
import { TableBuilder } from './table-builder.ts';

/** The maximum number of tables of one kind (inputs, children) in a group. */
const MAX_TABLES = 4;
/** A group is large enough at this number of documents. More would only take memory. */
const MAX_DOCUMENTS = 1024;

/**
 * Documents of a batch and their children in several tables, because their fields differ: children seldom have the
 * fields of their parents, and a stage may move a field of some documents. `position` of a row of these tables is the
 * place of the document in the group. The documents leave the pipeline in the order of their places. Children come
 * before their parents.
 */
export class TableGroup {
  /** The documents in the stages. */
  readonly tables: readonly DocumentTable[];
  /** The documents that skip the remaining stages. */
  readonly skipped: readonly DocumentTable[];
  readonly #positions: readonly number[] | undefined;
  readonly #children: readonly boolean[] | undefined;

  /**
   * @param positions for each place: the position of the input document in its batch; undefined if they are equal
   * @param children for each place: whether the document is a child; undefined if there are no children
   */
  constructor(
    tables: readonly DocumentTable[],
    skipped: readonly DocumentTable[] = [],
    positions?: readonly number[],
    children?: readonly boolean[],
  ) {
    this.tables = tables;
    this.skipped = skipped;
    this.#positions = positions;
    this.#children = children;
  }

  get hasChildren(): boolean {
    return this.#children !== undefined;
  }

  /** Returns the position in the batch of the document at a place, or of the input document of a child. */
  position(place: number): number {
    return this.#positions === undefined ? place : (this.#positions[place] as number);
  }

  isChild(place: number): boolean {
    return this.#children !== undefined && (this.#children[place] as boolean);
  }

  /** Returns a group with other tables of the same documents. */
  with(tables: readonly DocumentTable[], skipped: readonly DocumentTable[]): TableGroup {
    return new TableGroup(tables, skipped, this.#positions, this.#children);
  }

  /** Calls a function for each document, in order. The number of the table counts `tables`, then `skipped`. */
  each(visit: (table: DocumentTable, row: number, number: number) => void): void {
    const tables = [...this.tables, ...this.skipped];
    if (tables.length === 1) {
      const table = tables[0] as DocumentTable;
      for (let row = 0; row < table.count; row++) visit(table, row, 0);
      return;
    }
    const rows = tables.map(() => 0);
    for (;;) {
      let next = -1;
      let first = Number.POSITIVE_INFINITY;
      for (let i = 0; i < tables.length; i++) {
        const table = tables[i] as DocumentTable;
        const row = rows[i] as number;
        if (row === table.count) continue;
        const place = table.position(row);
        if (place < first) {
          first = place;
          next = i;
        }
      }
      if (next < 0) return;
      const row = rows[next] as number;
      rows[next] = row + 1;
      visit(tables[next] as DocumentTable, row, next);
    }
  }
}

/** Builds a group of documents. */
export class GroupBuilder {
  #inputs = new Builders();
  #children = new Builders();
  #skipped = new Builders();
  #positions: number[] = [];
  #isChild: boolean[] = [];
  #hasChildren = false;

  /** The number of documents. */
  get count(): number {
    return this.#positions.length;
  }

  get isFull(): boolean {
    return this.count >= MAX_DOCUMENTS;
  }

  /**
   * Adds a document after the others. The group owns its values afterwards.
   * @param position the position in the batch of the document, or of the input document of a child
   * @returns false if the document fits into no table; then call `take` and add the document again
   */
  add(document: Document, position: number, isChild: boolean): boolean {
    const builders = document.bypassed ? this.#skipped : isChild ? this.#children : this.#inputs;
    if (!builders.add(document, this.count)) return false;
    this.#positions.push(position);
    this.#isChild.push(isChild);
    if (isChild) this.#hasChildren = true;
    return true;
  }

  /** Returns a group with all documents since the last call. */
  take(): TableGroup {
    const tables = [...this.#children.take(), ...this.#inputs.take()];
    const children = this.#hasChildren ? this.#isChild : undefined;
    const group = new TableGroup(tables, this.#skipped.take(), this.#positions, children);
    this.#positions = [];
    this.#isChild = [];
    this.#hasChildren = false;
    return group;
  }
}

/** The tables that are built for documents of one kind. */
class Builders {
  #builders: TableBuilder[] = [];
  readonly #known = new Map<Shape, TableBuilder>();
  #shape: Shape | undefined;
  #last: TableBuilder | undefined;

  add(document: Document, place: number): boolean {
    const { shape } = document;
    if (shape !== this.#shape || shape.changing) {
      const builder = this.#known.get(shape);
      if (builder === undefined) return this.#addFirst(document, place);
      this.#shape = shape;
      this.#last = builder;
    }
    return (this.#last as TableBuilder).add(document, place);
  }

  take(): DocumentTable[] {
    const tables = this.#builders.map((builder) => builder.take());
    this.#builders = [];
    this.#known.clear();
    this.#shape = this.#last = undefined;
    return tables;
  }

  /** Adds the first document of a shape. */
  #addFirst(document: Document, place: number): boolean {
    const { shape } = document;
    let builder = this.#builders.find((known) => known.add(document, place));
    if (builder === undefined) {
      if (this.#builders.length === MAX_TABLES) return false;
      builder = new TableBuilder();
      builder.add(document, place);
      this.#builders.push(builder);
    }
    if (!shape.changing) this.#known.set(shape, builder);
    this.#shape = shape;
    this.#last = builder;
    return true;
  }
}
