import { localFile } from '../file-formats/byte-source.ts';

/** Checks that a local file can be read. Throws `HR_SOURCE_UNREADABLE` with the path that the user gave. */
export async function checkFileAccess(path: string): Promise<void> {
  for await (const _ of localFile(path).bytes) return;
}
