import { Document } from '@headrace/engine';
import { idOfPath, instantText } from './file-batches.ts';

/**
 * The document that reports a file that has vanished to the indexer. It skips all stages.
 * @param recordsField the field in which records of the file hold its path; undefined: they do not, or there are none
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
