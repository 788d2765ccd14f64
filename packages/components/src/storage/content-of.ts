import type { Document, MemoryHold } from '@headrace/engine';
import type { Storages } from './storages.ts';

/** Where the content of a file is: at a path, or in the document itself. One of the fields is set. */
export interface ContentFields {
  /** The field with the path. */
  readonly pathField: string | undefined;
  /** The field with the bytes, or with their base64 text. */
  readonly bytesField: string | undefined;
}

/**
 * Returns the content of the file that a document names or contains; undefined if the path is missing. Throws if the
 * field contains neither bytes nor base64 text, and `FileTooLarge` if the file has more than `maxBytes`.
 * @param memory counts the bytes of the file
 */
export async function contentOf(
  document: Document,
  { pathField, bytesField = '' }: ContentFields,
  storages: Storages,
  maxBytes: number,
  memory?: MemoryHold,
): Promise<Uint8Array | undefined> {
  if (pathField !== undefined) {
    const path = document.text(pathField);
    return path === undefined ? undefined : storages.readContent(path, maxBytes, memory);
  }
  const value = document.first(bytesField);
  if (value instanceof Uint8Array) return value;
  if (typeof value !== 'string') throw new Error(`The field ${bytesField} has no bytes`);
  // Node would skip other characters.
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(value)) throw new Error(`The field ${bytesField} is not base64 text`);
  return Buffer.from(value, 'base64');
}
