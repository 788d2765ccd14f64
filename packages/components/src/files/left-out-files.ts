import { resolve } from 'node:path';
import { stat } from '../local-files/local-files.ts';
import { type FileIdentity, outputsNow } from '../local-files/output-lock.ts';
import { localFileUri } from '../storage/file-uri.ts';
import { isGone } from '../storage/local-storage.ts';
import type { ListOptions } from '../storage/storage.ts';

/** What SQLite keeps beside a database while that is open. */
const BESIDE = ['', '-wal', '-shm', '-journal'];

/**
 * Files that a walk neither publishes nor moves: the files of the connector's state, which are not a source, and files
 * that a run is writing, which are incomplete and must stay where they are.
 * @param stateFile the database of that state, already opened if it will be
 * @param onOutput called for a file that a run is writing
 * @returns whether a file is one of them
 */
export async function leftOutFiles(
  stateFile: string | undefined,
  onOutput: ListOptions['onProblem'],
): Promise<NonNullable<ListOptions['leavesOut']>> {
  const paths = new Set(stateFile === undefined ? [] : BESIDE.map((end) => resolve(stateFile + end)));
  // By what they are, too: a path may lead there over links.
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
