import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of the files in a directory, as far as it and they are still there. */
export function directoryBytes(directory: string): number {
  if (!existsSync(directory)) return 0;
  const files = readdirSync(directory).map((name) => statSync(join(directory, name), { throwIfNoEntry: false }));
  return files.reduce((bytes, file) => bytes + (file?.isFile() === true ? file.size : 0), 0);
}
