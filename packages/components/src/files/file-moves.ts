import { type Logger, messageOf } from '@headrace/engine';
import type { WalkNotes } from '../file-formats/walk-notes.ts';
import type { FileUri } from '../storage/file-uri.ts';
import type { StoredFile } from '../storage/storage.ts';
import type { Storages } from '../storage/storages.ts';

/** How many files are moved concurrently. */
const TOGETHER = 8;

/** A completely published file. `source` is undefined if the file is inside an archive. */
export interface PublishedFile {
  readonly path: string;
  readonly source: StoredFile | undefined;
}

/** Moves files to the folders for finished or unreadable files. A file that cannot be moved stays, and is reported. */
export class FileMoves {
  readonly #storages: Storages;
  readonly #log: Logger;
  readonly #notes: WalkNotes;

  constructor(storages: Storages, log: Logger, notes: WalkNotes) {
    this.#storages = storages;
    this.#log = log;
    this.#notes = notes;
  }

  /** Moves files. Returns the paths of the moved files, including the files inside moved archives. */
  async moveAll(files: readonly PublishedFile[], folder: FileUri): Promise<Set<string>> {
    const moved = new Set<string>();
    for (let i = 0; i < files.length; i += TOGETHER) {
      await Promise.all(
        files.slice(i, i + TOGETHER).map(async ({ path, source }) => {
          if (source === undefined || (await this.move(source, folder))) moved.add(path);
        }),
      );
    }
    return moved;
  }

  /** Moves one file. Returns whether it was moved. */
  async move({ uri, path }: StoredFile, folder: FileUri): Promise<boolean> {
    try {
      await (await this.#storages.of(uri)).move(uri, folder);
      return true;
    } catch (error) {
      const reason = `${path} was not moved to ${folder.path}: ${messageOf(error)}`;
      this.#log.warn(reason);
      this.#notes.add('files that could not be moved', reason);
      return false;
    }
  }
}
