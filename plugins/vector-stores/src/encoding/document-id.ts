import type { Document } from 'headrace/engine';

/**
 * Returns the id to write: the text of the override field, or else the id of the document. Throws if the field is empty:
 * such documents would replace each other.
 */
export function documentId(document: Document, idOverrideField: string | undefined): string {
  const id = idOverrideField === undefined ? undefined : document.text(idOverrideField);
  if (id === '') throw new Error(`The field ${idOverrideField} for the id (indexer.idOverrideField) is empty`);
  return id ?? document.id;
}
