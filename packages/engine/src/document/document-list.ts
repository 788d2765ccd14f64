import type { Document } from './document.ts';
import type { DocumentTable } from './document-table.ts';
import { TableBuilder } from './table-builder.ts';

/** Consecutive documents of a batch, as a table or as a list. */
export interface DocumentRows {
  readonly count: number;
  /** Returns a document. Call this only once for each row. */
  document(row: number): Document;
  /** Returns the position of a document in its batch. */
  position(row: number): number;
}

/** Documents that were decoded one at a time. */
export class DocumentList implements DocumentRows {
  readonly #documents: Document[] = [];
  readonly #first: number;

  /** @param first the position of the first document in the batch; the other documents follow it */
  constructor(first: number) {
    this.#first = first;
  }

  get count(): number {
    return this.#documents.length;
  }

  add(document: Document): void {
    this.#documents.push(document);
  }

  document(row: number): Document {
    return this.#documents[row] as Document;
  }

  position(row: number): number {
    return this.#first + row;
  }

  /**
   * Returns the documents as tables, in order. Usually one table, or several if the fields differ much or in order.
   * @param isEnough called with the number of documents of each complete table; if it returns false, no table is
   *   returned, and the documents stay usable
   */
  tables(isEnough: (documents: number) => boolean = () => true): DocumentTable[] | undefined {
    const tables: DocumentTable[] = [];
    const builder = new TableBuilder();
    for (let row = 0; row < this.count; row++) {
      const document = this.document(row);
      if (builder.add(document, this.position(row))) continue;
      const table = builder.take();
      if (!isEnough(table.count)) return undefined;
      tables.push(table);
      builder.add(document, this.position(row));
    }
    tables.push(builder.take());
    return tables;
  }
}
