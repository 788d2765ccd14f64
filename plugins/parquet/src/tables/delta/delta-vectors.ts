import { maxValueBytes } from 'headrace/engine';
import type { FileUri, Storage } from 'headrace/storage';
import { DeletedRows } from '../deleted-rows.ts';
import { addVector, storedVector } from '../deletion-vector.ts';
import { tablePath } from '../table-path.ts';
import { z85Bytes } from '../z85.ts';
import type { VectorPlace } from './log-actions.ts';

/** The characters of a UUID in Z85. */
const UUID_CHARACTERS = 20;

/** Reads the rows of a file that a deletion vector deletes. @param rows the number of rows of the file */
export async function deltaDeletedRows(
  storage: Storage,
  root: FileUri,
  place: VectorPlace,
  rows: number,
): Promise<DeletedRows> {
  const { sizeInBytes, cardinality } = place;
  if (sizeInBytes > maxValueBytes()) throw new Error(`its deletion vector has ${sizeInBytes} bytes`);
  const deleted = new DeletedRows(rows);
  addVector(await vectorBytes(storage, root, place), cardinality, deleted);
  return deleted;
}

async function vectorBytes(storage: Storage, root: FileUri, place: VectorPlace): Promise<Uint8Array> {
  const { storageType, pathOrInlineDv, offset, sizeInBytes } = place;
  if (storageType === 'i') return z85Bytes(pathOrInlineDv).subarray(0, sizeInBytes);
  const file = await storage.openRanges(vectorFile(root, storageType, pathOrInlineDv));
  try {
    // Before the vector is its length, after it its checksum.
    const end = offset + sizeInBytes + 8;
    if (end > file.size) throw new Error('the file of its deletion vector is too short');
    return storedVector(await file.read(offset, end), sizeInBytes);
  } finally {
    await file.close();
  }
}

function vectorFile(root: FileUri, storageType: string, text: string): FileUri {
  if (storageType === 'p') return tablePath(root, decodeURIComponent(text));
  if (storageType !== 'u') throw new Error(`its deletion vector has the unknown storage ${storageType}`);
  const prefix = text.slice(0, -UUID_CHARACTERS);
  const hex = Buffer.from(z85Bytes(text.slice(-UUID_CHARACTERS))).toString('hex');
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return tablePath(root, `${prefix === '' ? '' : `${prefix}/`}deletion_vector_${uuid}.bin`);
}
