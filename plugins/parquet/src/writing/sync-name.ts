import { promises } from 'node:fs';
import { dirname } from 'node:path';
import { allowedPath } from 'headrace/engine';

/** Makes the name of a file survive the death of the machine, after the file was renamed. */
export async function syncName(path: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform === 'win32') return;
  const folder = await promises.open(dirname(allowedPath(path, 'write')), 'r');
  try {
    await folder.sync();
  } catch (error) {
    // Some network file systems cannot do this for folders.
    if (!['EINVAL', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await folder.close();
  }
}
