import { constants } from 'node:fs';
import { basename, dirname, join, parse } from 'node:path';
import { copyFile, link, makeFolders, open, remove, rename, stat, unlink } from './local-files.ts';

/**
 * Moves a file into a folder, which is created if it is missing. Never overwrites a file.
 * @param whenTaken what to do if the name is taken: `rename` chooses another name, such as `a.3f9c2e1b.csv` for
 * `a.csv`; `leave` throws an error
 */
export async function moveFile(file: string, folder: string, whenTaken: 'rename' | 'leave'): Promise<void> {
  await makeFolders(folder);
  // The file is already in the folder, possibly reached by another path.
  if (await isSame(dirname(file), folder)) return;
  const target = join(folder, basename(file));
  const place = whenTaken === 'rename' ? underFreeName : underOneName;
  try {
    await place(target, (name) => give(file, name));
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    await moveAcrossDisks(file, folder, (part) => place(target, (name) => give(part, name)));
  }
}

function underOneName(path: string, take: (name: string) => Promise<void>): Promise<void> {
  return take(path);
}

/** Calls `take` with names until one is free, beginning with the given name. */
async function underFreeName(path: string, take: (name: string) => Promise<void>): Promise<void> {
  for (let name = path; ; name = otherName(path)) {
    try {
      return await take(name);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  }
}

/** Chooses a random suffix. A counter would be slow if thousands of files had the same name. */
function otherName(path: string): string {
  const { dir, name, ext } = parse(path);
  return join(dir, `${name}.${randomName()}${ext}`);
}

function randomName(): string {
  return Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
}

/**
 * Renames a file on the same disk. Throws `EEXIST` if the new name is taken; a plain rename would overwrite that file.
 */
async function give(file: string, target: string): Promise<void> {
  try {
    await link(file, target);
  } catch (error) {
    // A process that was killed between the two steps has left the file in both places.
    const isMoved = codeOf(error) === 'EEXIST' && (await isSame(file, target));
    if (!isMoved) {
      if (['EEXIST', 'EXDEV', 'ENOENT'].includes(codeOf(error) ?? '')) throw error;
      await renameToFreeName(file, target);
      return;
    }
  }
  try {
    await unlink(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    // Otherwise the file would be in both places, and the next run would read it again.
    await remove(target);
    throw error;
  }
}

async function isSame(path: string, other: string): Promise<boolean> {
  const [one, two] = await Promise.all([stat(path, { bigint: true }), stat(other, { bigint: true })]);
  return one.dev === two.dev && one.ino === two.ino;
}

/** Renames a file if links are not possible, for example on files of another user. An empty file reserves the name. */
async function renameToFreeName(file: string, target: string): Promise<void> {
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  await (await open(target, O_CREAT | O_EXCL | O_WRONLY)).close();
  try {
    await rename(file, target);
  } catch (error) {
    await remove(target);
    throw error;
  }
}

async function moveAcrossDisks(file: string, folder: string, place: (part: string) => Promise<void>): Promise<void> {
  const part = join(folder, `.${randomName()}.part`);
  try {
    await copyFile(file, part, constants.COPYFILE_EXCL);
    await place(part);
  } catch (error) {
    // An incomplete copy must not stay.
    await remove(part);
    throw error;
  }
  await unlink(file);
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
