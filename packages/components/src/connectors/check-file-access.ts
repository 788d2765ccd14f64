import { localFile } from '../file-formats/byte-source.ts';
import { textBytes } from '../file-formats/text-bytes.ts';

/** Checks that a local file can be read. Throws `HR_SOURCE_UNREADABLE`, also for a file that is no text. */
export async function checkFileAccess(path: string): Promise<void> {
  for await (const _ of textBytes(localFile(path))) return;
}
