import { Document } from './document.ts';
import { readObject } from './read-object.ts';

/** Returns a document for the JSON object at the start of the text. Ignores the text after the object. */
export function readDocument(text: string): Document {
  return Document.fromObject(readObject(text));
}
