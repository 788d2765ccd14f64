import type { Document } from './document.ts';
import type { DocumentTable } from './document-table.ts';
import { TableBuilder } from './table-builder.ts';

/** Consecutive documents of a batch. A table is one form of it. */
export interface DocumentRows {
  readonly count: number;
  /** One of the documents. Take each only once. */
  document(row: number): Document;
  /** The position of a document in its batch. */
  position(row: number): number;
}

/** Documents that were decoded one by one. */
export class DocumentList implements DocumentRows {
  readonly #documents: Document[] = [];
  readonly #first: number;

  /** @param first the position in the batch of the first document; the others follow it */
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

  /** The documents as tables, in order: one, or several if their fields have different orders. */
  tables(): DocumentTable[] {
    const tables: DocumentTable[] = [];
    const builder = new TableBuilder();
    for (let row = 0; row < this.count; row++) {
      const document = this.document(row);
      if (builder.add(document, this.position(row))) continue;
      tables.push(builder.take());
      builder.add(document, this.position(row));
    }
    tables.push(builder.take());
    return tables;
  }
}
