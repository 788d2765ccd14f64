import { resolve } from 'node:path';
import { stat } from '../local-files/local-files.ts';
import { type FileIdentity, outputsNow } from '../local-files/output-lock.ts';
import { localFileUri } from '../storage/file-uri.ts';
import { isGone } from '../storage/local-storage.ts';
import type { ListOptions } from '../storage/storage.ts';

/** The suffixes of the files that SQLite keeps for an open database. */
const BESIDE = ['', '-wal', '-shm', '-journal'];

/**
 * Returns a function that reports whether a walk must skip a file. A walk neither publishes nor moves two kinds of
 * files: the files of the connector's state, which are not a source, and the incomplete files that a run is writing.
 * @param stateFile the database of that state; it must already be open if the run uses it
 * @param onOutput called for a file that a run is writing
 */
export async function omittedFiles(
  stateFile: string | undefined,
  onOutput: ListOptions['onProblem'],
): Promise<NonNullable<ListOptions['omits']>> {
  const paths = new Set(stateFile === undefined ? [] : BESIDE.map((end) => resolve(stateFile + end)));
  // Files are also compared by device and inode, because a path may lead to them through links.
  const identities = new Set<string>();
  for (const path of paths) {
    const found = await stat(path, { bigint: true }).catch((error) => {
      if (!isGone(error)) throw error;
    });
    if (found !== undefined) identities.add(identityOf(found as unknown as FileIdentity));
  }
  const isOutput = await outputsNow();
  return (path, file) => {
    if (paths.size > 0 && (paths.has(path) || identities.has(identityOf(file)))) return true;
    if (!isOutput(file)) return false;
    onOutput(localFileUri(path), new Error('a run is writing it'));
    return true;
  };
}

function identityOf({ dev, ino }: FileIdentity): string {
  return `${dev}-${ino}`;
}
