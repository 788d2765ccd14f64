import { type Document, type DocumentEncoder, type ModuleReference, writeDocument } from '@headrace/engine';
import { lucilleJson } from './lucille-json.ts';

/** Encodes a document in Lucille's format: the whole document as JSON, with its reserved fields. */
export class QueuedDocumentEncoder implements DocumentEncoder {
  static readonly reference: ModuleReference = { url: import.meta.url, name: 'QueuedDocumentEncoder', options: {} };

  encode(document: Document): string {
    return lucilleJson(writeDocument(document));
  }
}
