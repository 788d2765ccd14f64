import { constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { access, stat, statfs } from './local-files.ts';

/** File systems of the kernel, by their `statfs` numbers: no permission allows new files there. */
const KERNEL_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x9fa0, 'proc'],
  [0x62656572, 'sysfs'],
  [0x63677270, 'cgroup2'],
  [0x1cd1, 'devpts'],
]);

/**
 * Checks that a file could be created in a folder, and that the folder could be created if it is missing. Creates
 * nothing. Throws the reason if not.
 */
export async function requireWritableFolder(path: string): Promise<void> {
  const folder = await existingFolder(resolve(path));
  await access(folder, constants.W_OK | constants.X_OK);
  const kernel = KERNEL_FILE_SYSTEMS.get((await statfs(folder)).type);
  if (kernel !== undefined) throw new Error(`${folder} is in the file system ${kernel}, which allows no new files`);
}

/** Returns the folder, or its nearest existing parent. */
async function existingFolder(path: string): Promise<string> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (found === undefined) return existingFolder(dirname(path));
  if (!found.isDirectory()) throw new Error(`${path} is not a folder`);
  return path;
}
