import type { Children, StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { DocumentList } from '../document/document-list.ts';
import type { DocumentTable } from '../document/document-table.ts';
import type { GroupBuilder, TableGroup } from '../document/table-group.ts';
import type { CallEnd } from './stage-call.ts';
import type { StageError } from './stage-error.ts';

/** The rows of a group or a list as documents, with their origin. A document is undefined after it has failed. */
export class RowDocuments implements CallEnd {
  readonly documents: (Document | undefined)[];
  result: Children | Promise<StageResult> | undefined = undefined;
  error: StageError | undefined = undefined;
  readonly #source: TableGroup | DocumentList;
  /** For each document: its place in the group, the number of its table, and its row. Undefined for a single table. */
  readonly #origins: { places: number[]; tables: number[]; rows: number[] } | undefined = undefined;

  /**
   * @param source a group or a list
   * @param builder the builder for the documents of a group; if it is undefined, they get their own values
   */
  constructor(source: TableGroup | DocumentList, builder?: GroupBuilder) {
    this.#source = source;
    const only = source instanceof DocumentList ? source : source.only;
    if (only !== undefined) {
      this.documents = new Array(only.count);
      for (let row = 0; row < only.count; row++) {
        this.documents[row] = builder === undefined ? only.document(row) : builder.document(0, row);
      }
      return;
    }
    const documents: Document[] = [];
    const origins = { places: [] as number[], tables: [] as number[], rows: [] as number[] };
    (source as TableGroup).each((table, row, number) => {
      documents.push(builder === undefined ? table.document(row) : builder.document(number, row));
      origins.places.push(table.position(row));
      origins.tables.push(number);
      origins.rows.push(row);
    });
    this.documents = documents;
    this.#origins = origins;
  }

  table(at: number): number {
    return this.#origins === undefined ? 0 : (this.#origins.tables[at] as number);
  }

  row(at: number): number {
    return this.#origins === undefined ? at : (this.#origins.rows[at] as number);
  }

  /** Returns the position in the batch of a document, or of the input document of a child. */
  position(at: number): number {
    const source = this.#source;
    return source instanceof DocumentList ? source.position(at) : source.position(this.#place(source, at));
  }

  isChild(at: number): boolean {
    const source = this.#source;
    return !(source instanceof DocumentList) && source.isChild(this.#place(source, at));
  }

  #place({ only }: TableGroup, at: number): number {
    return this.#origins === undefined ? (only as DocumentTable).position(at) : (this.#origins.places[at] as number);
  }
}
