import { localFile } from '../formats/byte-source.ts';

/** Whether a local file can be read. Throws `HR_SOURCE_UNREADABLE`, naming the file as the user did. */
export async function reachFile(path: string): Promise<void> {
  for await (const _ of localFile(path).bytes) return;
}
