import { constants } from 'node:fs';
import { basename, join } from 'node:path';
import { type Logger, messageOf } from '@headrace/engine';
import { copyFile, link, makeFolders, remove, unlink } from '../local-files/local-files.ts';

/** Creates the folders that files are to be moved to. */
export async function createFolders(...folders: (string | undefined)[]): Promise<void> {
  for (const folder of folders) if (folder !== undefined) await makeFolders(folder);
}

/**
 * Moves a file into a folder, never over another one. When that is not possible, it is left where it is, and told of.
 * Gives why it was not moved.
 */
export async function moveFile(file: string, folder: string, log: Logger): Promise<string | undefined> {
  const target = join(folder, basename(file));
  try {
    await linkOrCopy(file, target);
    await unlink(file);
    return undefined;
  } catch (error) {
    const reason = `${file} was not moved to ${target}: ${messageOf(error)}`;
    log.warn(reason);
    return reason;
  }
}

/** A link refuses to overwrite in one step, which a rename does not; where none can be made, a copy does the same. */
async function linkOrCopy(file: string, target: string): Promise<void> {
  try {
    await link(file, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    await copy(file, target);
  }
}

async function copy(file: string, target: string): Promise<void> {
  try {
    await copyFile(file, target, constants.COPYFILE_EXCL);
  } catch (error) {
    // Half a copy must not stay; another's file must.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await remove(target);
    throw error;
  }
}
