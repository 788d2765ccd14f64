import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the total size of the files in a directory. Ignores files that are deleted in the meantime. */
export function directoryBytes(directory: string): number {
  if (!existsSync(directory)) return 0;
  const files = readdirSync(directory).map((name) => statSync(join(directory, name), { throwIfNoEntry: false }));
  return files.reduce((bytes, file) => bytes + (file?.isFile() === true ? file.size : 0), 0);
}
