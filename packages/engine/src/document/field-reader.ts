import type { DocumentTable } from './document-table.ts';
import type { Column } from './lazy-column.ts';
import type { Value } from './value.ts';

/** Reads fields by name, from a document or from a row of a table. */
export interface FieldReader {
  /** Returns the value of a field, or undefined if the field is missing. */
  get(name: string): Value | undefined;
  has(name: string): boolean;
}

/** Reads a row of a table without creating a document. */
export class TableRow implements FieldReader {
  row = 0;
  readonly #table: DocumentTable;
  readonly #columns = new Map<string, Column | undefined>();

  constructor(table: DocumentTable) {
    this.#table = table;
  }

  get(name: string): Value | undefined {
    let column = this.#columns.get(name);
    if (column === undefined) {
      column = this.#table.column(name);
      this.#columns.set(name, column ?? []);
    }
    return column?.[this.row];
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }
}
