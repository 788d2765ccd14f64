import { HeadraceError } from '../errors/headrace-error.ts';
import { Document } from './document.ts';
import { readJson } from './json-reader.ts';
import type { Value } from './value.ts';

/** Returns a document for the JSON object at the start of the text. Ignores the text after the object. */
export function readDocument(text: string): Document {
  const value = readJson(text);
  if (!(value instanceof Map)) {
    throw new HeadraceError('HR_DOCUMENT_NOT_AN_OBJECT', `A document is a JSON object, not ${kindOf(value)}`);
  }
  return Document.fromObject(value);
}

function kindOf(value: Value): string {
  if (Array.isArray(value)) return 'an array';
  if (value === null) return 'null';
  return typeof value === 'string' ? 'a text' : typeof value === 'boolean' ? 'a boolean' : 'a number';
}
