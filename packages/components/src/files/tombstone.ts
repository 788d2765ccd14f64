import { Document } from '@headrace/engine';
import { idOfPath, instantText } from './file-batches.ts';

/**
 * Creates the document that reports a vanished file to the indexer. It skips all stages.
 * @param recordsField the field of the file's records that contains its path; undefined if there is none
 */
export function tombstone(path: string, docIdPrefix: string, recordsField: string | undefined): Document {
  const now = instantText(BigInt(Date.now()) * 1_000_000n);
  const document = Document.create(idOfPath(path, docIdPrefix));
  document.set('file_path', path);
  document.set('file_modification_date', now);
  document.set('file_size_bytes', 0);
  document.set('file_creation_date', now);
  document.set('file_expired', true);
  if (recordsField !== undefined) document.set('file_records_field', recordsField);
  document.skip();
  return document;
}
