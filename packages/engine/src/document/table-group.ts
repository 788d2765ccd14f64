import type { Document } from './document.ts';
import type { DocumentTable } from './document-table.ts';
import type { Shape } from './shape.ts';
import type { SourceTexts } from './source-text.ts';
import { TableBuilder } from './table-builder.ts';
import { TableRows } from './table-rows.ts';

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
  readonly #children: readonly (boolean | undefined)[] | undefined;

  /**
   * @param positions for each place: the position of the input document in its batch; undefined if they are equal
   * @param children for each place: true if the document is a child; undefined if there are no children
   */
  constructor(
    tables: readonly DocumentTable[],
    skipped: readonly DocumentTable[] = [],
    positions?: readonly number[],
    children?: readonly (boolean | undefined)[],
  ) {
    this.tables = tables;
    this.skipped = skipped;
    this.#positions = positions;
    this.#children = children;
  }

  /** The only table, if all documents are in it. */
  get only(): DocumentTable | undefined {
    return this.tables.length === 1 && this.skipped.length === 0 ? this.tables[0] : undefined;
  }

  get hasChildren(): boolean {
    return this.#children !== undefined;
  }

  /** Returns the position in the batch of the document at a place, or of the input document of a child. */
  position(place: number): number {
    return this.#positions === undefined ? place : (this.#positions[place] as number);
  }

  isChild(place: number): boolean {
    return this.#children?.[place] === true;
  }

  /** Returns a group with other tables of the same documents. */
  #with(tables: readonly DocumentTable[], skipped: readonly DocumentTable[]): TableGroup {
    return new TableGroup(tables, skipped, this.#positions, this.#children);
  }

  /**
   * Returns the group without its dropped documents, and with the skipped documents among those that skip the remaining
   * stages. Returns also the numbers of dropped inputs and children.
   */
  withoutBypassed(): { others: TableGroup; inputs: number; children: number } {
    const tables: DocumentTable[] = [];
    const skipped = [...this.skipped];
    let [inputs, children] = [0, 0];
    for (const table of this.tables) {
      if (!table.hasBypassed) {
        tables.push(table);
        continue;
      }
      const drops = table.column('___dropped');
      const skips = table.column('___skipped');
      const rows: number[] = [];
      const skippedRows: number[] = [];
      for (let row = 0; row < table.count; row++) {
        if (drops?.[row] !== undefined) {
          if (this.hasChildren && this.isChild(table.position(row))) children++;
          else inputs++;
        } else if (skips?.[row] !== undefined) skippedRows.push(row);
        else rows.push(row);
      }
      if (skippedRows.length > 0) skipped.push(table.select(skippedRows));
      if (rows.length === 0) continue;
      const kept = table.select(rows);
      kept.delete('___dropped');
      kept.delete('___skipped');
      tables.push(kept);
    }
    return { others: this.#with(tables, skipped), inputs, children };
  }

  /** Calls a function for each document, in order. The number of the table counts `tables`, then `skipped`. */
  each(visit: (table: DocumentTable, row: number, number: number) => void): void {
    const tables: DocumentTable[] = [];
    const rows: number[] = [];
    for (const list of [this.tables, this.skipped]) {
      for (const table of list) {
        tables.push(table);
        rows.push(0);
      }
    }
    if (tables.length === 1) {
      const table = tables[0] as DocumentTable;
      for (let row = 0; row < table.count; row++) visit(table, row, 0);
      return;
    }
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

/** Builds a group of documents. Documents of the tables of another group keep the columns that they do not change. */
export class GroupBuilder {
  /** The rows of the tables of the other group, by the number of the table. */
  readonly #rows: readonly TableRows[];
  /** The other group, if it has a single table and no children. */
  readonly #single: TableGroup | undefined;
  #inputs = new Builders();
  #children = new Builders();
  #skipped = new Builders();
  #positions: number[] = [];
  #isChild: boolean[] = [];
  #hasChildren = false;

  /** @param group the group whose documents will be added, if the documents are rows of tables */
  constructor(group?: TableGroup) {
    const rows: TableRows[] = [];
    if (group !== undefined) {
      const count = group.tables.length + group.skipped.length;
      const most = Math.max(1, Math.floor(MAX_TABLES / Math.max(1, count)));
      for (const list of [group.tables, group.skipped]) for (const table of list) rows.push(new TableRows(table, most));
    }
    this.#rows = rows;
    this.#single = group?.hasChildren === false && rows.length === 1 ? group : undefined;
  }

  /** The number of documents. */
  get count(): number {
    return this.#positions.length;
  }

  /** The number of documents of the other group that had their own values when they were added. */
  get copied(): number {
    return this.#rows.reduce((sum, rows) => sum + rows.copied, 0);
  }

  get isFull(): boolean {
    return this.count >= MAX_DOCUMENTS;
  }

  /** Returns a document of a table of the other group. */
  document(table: number, row: number): Document {
    return (this.#rows[table] as TableRows).document(row);
  }

  /**
   * Adds a document after the others. The group owns its values afterwards.
   * @param position the position in the batch of the document, or of the input document of a child
   * @param table the number of the table if `document` has returned this document, and its row
   * @returns false if the document fits into no table; then call `take` and add the document again
   */
  add(document: Document, position: number, isChild: boolean, table?: number, row = 0): boolean {
    if (table !== undefined) {
      if (!(this.#rows[table] as TableRows).keep(document, row, this.count)) return false;
    } else {
      const builders = document.bypassed ? this.#skipped : isChild ? this.#children : this.#inputs;
      if (!builders.add(document, this.count)) return false;
    }
    this.#positions.push(position);
    this.#isChild.push(isChild);
    if (isChild) this.#hasChildren = true;
    return true;
  }

  /**
   * Adds documents of the only table of the other group, as long as they have the fields of the last added document.
   * Much faster than `add`.
   * @param documents the documents of all rows; a document is undefined if it must be omitted
   * @returns the row after the last added document
   */
  addRun(documents: readonly (Document | undefined)[], start: number, end: number): number {
    const group = this.#single;
    if (group === undefined) return start;
    const { count } = this;
    const last = Math.min(end, start + MAX_DOCUMENTS - count);
    const until = (this.#rows[0] as TableRows).keepRun(documents, start, last, count);
    const table = group.only as DocumentTable;
    for (let row = start; row < until; row++) {
      this.#positions.push(group.position(table.position(row)));
      this.#isChild.push(false);
    }
    return until;
  }

  /**
   * Returns a group with all documents since the last call.
   * @param source where all texts of new documents come from
   */
  take(source?: SourceTexts): TableGroup {
    const tables: DocumentTable[] = [];
    const skipped: DocumentTable[] = [];
    this.#children.take(tables, source);
    this.#inputs.take(tables, source);
    this.#skipped.take(skipped, source);
    for (const rows of this.#rows) {
      for (const table of rows.take(false)) tables.push(table);
      for (const table of rows.take(true)) skipped.push(table);
    }
    const group = new TableGroup(tables, skipped, this.#positions, this.#hasChildren ? this.#isChild : undefined);
    this.#positions = [];
    this.#isChild = [];
    this.#hasChildren = false;
    return group;
  }
}

/** The tables that are built for documents of one kind. */
class Builders {
  #builders: TableBuilder[] = [];
  #known: Map<Shape, TableBuilder> | undefined;
  #shape: Shape | undefined;
  #last: TableBuilder | undefined;

  add(document: Document, place: number): boolean {
    const { shape } = document;
    if (shape !== this.#shape || shape.changing) {
      const builder = this.#known?.get(shape);
      if (builder === undefined) return this.#addFirst(document, place);
      this.#shape = shape;
      this.#last = builder;
    }
    return (this.#last as TableBuilder).add(document, place);
  }

  /** Appends the tables of all documents since the last call to a list. */
  take(tables: DocumentTable[], source: SourceTexts | undefined): void {
    for (const builder of this.#builders) tables.push(builder.take(source));
    this.#builders = [];
    this.#known?.clear();
    this.#shape = this.#last = undefined;
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
    this.#known ??= new Map();
    if (!shape.changing) this.#known.set(shape, builder);
    this.#shape = shape;
    this.#last = builder;
    return true;
  }
}
