import { type ArchiveEntry, zipEntries } from '@headrace/formats/archives';
import { open } from '../local-files/local-files.ts';

/** Returns the files in a local zip archive, as `zipEntries` does. */
export async function* localZipEntries(path: string): AsyncGenerator<ArchiveEntry> {
  const file = await open(path, 'r');
  try {
    yield* zipEntries(file);
  } finally {
    await file.close();
  }
}
