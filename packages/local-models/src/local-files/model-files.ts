import { constants, promises } from 'node:fs';
import { join } from 'node:path';
import { allowedPath, HeadraceError, isRestricted, messageOf, parseJson } from 'headrace/engine';

/** With a policy, `allowedPath` returns the real path. If it becomes a link afterwards, the link is not followed. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** Reads the files of the folder of a model. All paths are relative to the folder. */
export class ModelFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Returns the content of a file; undefined if it does not exist. Throws `HR_SOURCE_UNREADABLE` for other errors. */
  async read(name: string): Promise<Buffer<ArrayBuffer> | undefined> {
    const path = join(this.folder, name);
    try {
      const file = await promises.open(
        allowedPath(path, 'read'),
        constants.O_RDONLY | (isRestricted() ? NO_FOLLOW : 0),
      );
      try {
        const { size } = await file.stat();
        // A new buffer is aligned, so numbers can be read without a copy.
        const content = Buffer.from(new ArrayBuffer(size));
        let at = 0;
        while (at < size) {
          const { bytesRead } = await file.read(content, at, Math.min(size - at, 1 << 30), at);
          if (bytesRead === 0) throw new Error('the file was changed while it was read');
          at += bytesRead;
        }
        return content;
      } finally {
        await file.close();
      }
    } catch (error) {
      if (error instanceof HeadraceError) throw error;
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw new HeadraceError('HR_SOURCE_UNREADABLE', `Cannot read ${path}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Returns whether the folder exists. */
  async exists(): Promise<boolean> {
    const found = await promises.stat(allowedPath(this.folder, 'read')).catch(() => undefined);
    return found?.isDirectory() === true;
  }

  /** Returns the value in a JSON file; undefined if the file does not exist. */
  async readJson(name: string): Promise<unknown> {
    const content = await this.read(name);
    if (content === undefined) return undefined;
    try {
      return parseJson(content.toString());
    } catch (error) {
      throw new Error(`${join(this.folder, name)} is not JSON: ${messageOf(error)}`);
    }
  }
}
