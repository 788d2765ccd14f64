import { type Document, type DocumentEncoder, type ModuleReference, writeDocument } from '@headrace/engine';

/** Encodes a document as Lucille sends it: the JSON of the whole document, with its reserved fields. */
export class QueuedDocumentEncoder implements DocumentEncoder {
  static readonly reference: ModuleReference = { url: import.meta.url, name: 'QueuedDocumentEncoder', options: {} };

  encode(document: Document): string {
    return writeDocument(document);
  }
}
