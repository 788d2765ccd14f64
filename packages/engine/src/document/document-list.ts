import type { Document } from './document.ts';
import { type SourceText, SourceTexts } from './source-text.ts';
import { GroupBuilder, type TableGroup } from './table-group.ts';

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
  /** Undefined if the origin of some texts is unknown. */
  #source: SourceTexts | undefined = new SourceTexts();

  /** @param first the position of the first document in the batch; the other documents follow it */
  constructor(first: number) {
    this.#first = first;
  }

  get count(): number {
    return this.#documents.length;
  }

  /** @param source the text from which all texts of the document were cut */
  add(document: Document, source?: SourceText): void {
    if (source === undefined) this.#source = undefined;
    else this.#source?.add(source);
    this.#documents.push(document);
  }

  document(row: number): Document {
    return this.#documents[row] as Document;
  }

  position(row: number): number {
    return this.#first + row;
  }

  /** Calls a function for each document, in order. */
  each(visit: (document: Document, position: number, isChild: boolean) => void): void {
    for (let row = 0; row < this.count; row++) visit(this.document(row), this.position(row), false);
  }

  /**
   * Returns the documents as groups of tables, in order. Usually one group of one table.
   * @param isEnough called with the number of documents of each complete group; if it returns false, no group is
   *   returned, and the documents stay usable
   */
  groups(isEnough: (documents: number) => boolean = () => true): TableGroup[] | undefined {
    const groups: TableGroup[] = [];
    const builder = new GroupBuilder();
    for (let row = 0; row < this.count; row++) {
      const document = this.document(row);
      if (builder.add(document, this.position(row), false)) continue;
      if (!isEnough(builder.count)) return undefined;
      groups.push(builder.take(this.#source));
      builder.add(document, this.position(row), false);
    }
    groups.push(builder.take(this.#source));
    return groups;
  }
}
