import type { Column, DocumentTable } from './document-table.ts';
import type { Value } from './value.ts';

/** Reads fields by name: those of a document, or of a row of a table. */
export interface FieldReader {
  /** The field's raw value; undefined if the field is missing. */
  get(name: string): Value | undefined;
  has(name: string): boolean;
}

/** Reads the rows of a table, without a document for each. */
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
