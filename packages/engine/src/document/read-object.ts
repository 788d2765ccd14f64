import { HeadraceError } from '../errors/headrace-error.ts';
import { readJson } from './json-reader.ts';
import type { JsonObject, Value } from './value.ts';

/**
 * Returns the JSON object at the start of the text, if a document can be made of it. Ignores the text after the object.
 * Throws `HR_DOCUMENT_NOT_AN_OBJECT` or `HR_DOCUMENT_NO_ID`.
 */
export function readObject(text: string): JsonObject {
  const value = readJson(text);
  if (!(value instanceof Map)) {
    throw new HeadraceError('HR_DOCUMENT_NOT_AN_OBJECT', `A document is a JSON object, not ${kindOf(value)}`);
  }
  checkId(value);
  return value;
}

/** Throws `HR_DOCUMENT_NO_ID` if the `id` of a document's object is missing, empty or not a string. */
export function checkId(object: JsonObject): void {
  const id = object.get('id');
  if (id === undefined || id === null) throw new HeadraceError('HR_DOCUMENT_NO_ID', 'id is missing');
  if (typeof id !== 'string' || id === '') {
    throw new HeadraceError('HR_DOCUMENT_NO_ID', 'id is present but null or empty or not a string');
  }
}

function kindOf(value: Value): string {
  if (Array.isArray(value)) return 'an array';
  if (value === null) return 'null';
  return typeof value === 'string' ? 'a text' : typeof value === 'boolean' ? 'a boolean' : 'a number';
}
