import type { Document } from '../document/document.ts';
import { contractError, kindOf } from '../errors/contract-error.ts';
import type { RecordChunk, RejectedRecord } from './connector.ts';

export const IDS = 'An id is a text of at least one character.';

/**
 * Throws `HR_COMPONENT_CONTRACT` if a custom connector or decoder returned something that is not a document with an id
 * and one value for each field.
 */
export function checkDocument(document: Document): void {
  const values: unknown = (document as Partial<Document> | null | undefined)?.fieldValues;
  // A module may contain another copy of the class.
  if (!Array.isArray(values) || !Array.isArray(document.fieldNames)) {
    throw contractError(
      `A Document is expected, not ${kindOf(document)}`,
      'Create it with Document.create(id), or Document.fromObject(toValue(object)).',
    );
  }
  const { id } = document;
  if (typeof id !== 'string' || id === '') throw contractError(`A document has no id: its id is ${idOf(id)}`, IDS);
  if (values.length === document.fieldNames.length) return;
  throw contractError(
    `The document "${id}" has ${document.fieldNames.length} field names and ${values.length} values`,
    'Set its fields with set(), or give the constructor one value for each name of the shape.',
  );
}

/** Names an id that is not one, for messages. */
export function idOf(id: unknown): string {
  return id === '' ? 'empty' : kindOf(id);
}

export function checkChunk({ bytes, decoder, documents }: RecordChunk): void {
  if (!(bytes instanceof Uint8Array))
    throw contractError(`The bytes of a chunk are ${kindOf(bytes)}, not a Uint8Array`);
  if (bytes.buffer instanceof SharedArrayBuffer) throw contractError('The bytes of a chunk are in shared memory');
  if (typeof decoder?.url !== 'string' || typeof decoder.name !== 'string') {
    throw contractError('The decoder of a chunk is not { url, name, options }', 'Set url to import.meta.url.');
  }
  if (documents === undefined || (Number.isSafeInteger(documents) && documents >= 0)) return;
  throw contractError(`The number of documents of a chunk is ${String(documents)}`);
}

export function checkRejected({ place, message, count = 1 }: RejectedRecord): void {
  if (typeof place !== 'string' || place === '' || typeof message !== 'string') {
    throw contractError(`A rejected record has ${kindOf(place)} as place and ${kindOf(message)} as message, not texts`);
  }
  if (Number.isSafeInteger(count) && count >= 1) return;
  throw contractError(`A rejected record contains ${String(count)} documents, not a whole number from 1`);
}
