import fs from 'node:fs';
import { basename, join } from 'node:path';
import { allowedPath } from '@headrace/engine';
import { access, open, opendir, stat } from '../local-files/local-files.ts';
import { moveFile } from '../local-files/move-file.ts';
import { type FileUri, localFileUri } from './file-uri.ts';
import { type ListOptions, type RangedFile, type Storage, type StoredFile, shortRange } from './storage.ts';

/** The number of folder entries that are checked concurrently. */
const TOGETHER = 64;
const READ_BYTES = 256 * 1024;

/** Reads the files of this machine. Folders are walked in the order in which the system lists their entries. */
export class LocalStorage implements Storage {
  async *list(start: FileUri, options: ListOptions): AsyncGenerator<StoredFile> {
    const found = await stat(start.path, { bigint: true });
    if (!found.isDirectory())
      yield* keepFiles([{ path: start.path, uri: localFileUri(start.path), stats: found }], options);
    else if (!options.skips(localFileUri(start.path))) yield* listFolder(start.path, options);
  }

  async checkAccess({ path }: FileUri): Promise<void> {
    await access(path, fs.constants.R_OK);
  }

  async stat({ path }: FileUri): Promise<StoredFile> {
    const stats = await stat(path, { bigint: true });
    if (!stats.isFile()) throw new Error(stats.isDirectory() ? 'it is a folder' : 'it is not a regular file');
    return storedFile(path, localFileUri(path), stats);
  }

  async *read({ path }: FileUri): AsyncGenerator<Uint8Array> {
    // Without O_NONBLOCK, a pipe without a writer would block a thread of the process forever.
    const handle = await open(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    try {
      const { size } = await handle.stat();
      const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, size + 1));
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
        // These are all bytes that the file had when it was opened. Another read takes a fifth of the time for a small file.
        if (bytesRead === size) return;
      }
    } finally {
      await handle.close();
    }
  }

  async openRanges({ path }: FileUri): Promise<RangedFile> {
    const handle = await open(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    const { size } = await handle.stat();
    return {
      size,
      read: async (start, end) => {
        const bytes = Buffer.allocUnsafeSlow(end - start);
        let filled = 0;
        while (filled < bytes.length) {
          const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
          if (bytesRead === 0) throw shortRange(path, start, end, filled);
          filled += bytesRead;
        }
        return bytes;
      },
      close: () => handle.close(),
    };
  }

  async move({ path }: FileUri, folder: FileUri): Promise<void> {
    await moveFile(path, folder.path, 'rename');
  }

  async close(): Promise<void> {}
}

async function* listFolder(path: string, options: ListOptions): AsyncGenerator<StoredFile> {
  const uri = localFileUri(path);
  const prefix = uri.endsWith('/') ? uri : `${uri}/`;
  let folder: fs.Dir;
  try {
    folder = await opendir(path, { bufferSize: TOGETHER });
  } catch (error) {
    if (!isGone(error)) options.onProblem(prefix, error);
    return;
  }
  try {
    for (;;) {
      const entries: fs.Dirent[] = [];
      for (let entry = await folder.read(); entry !== null; entry = await folder.read()) {
        if (entries.push(entry) === TOGETHER) break;
      }
      if (entries.length === 0 || options.signal.aborted) return;
      yield* listEntries(path, prefix, entries, options);
    }
  } catch (error) {
    options.onProblem(prefix, error);
  } finally {
    await folder.close().catch(() => undefined);
  }
}

/** Yields files in the order of the folder; the content of a subfolder comes at its position. */
async function* listEntries(
  path: string,
  prefix: string,
  entries: readonly fs.Dirent[],
  options: ListOptions,
): AsyncGenerator<StoredFile> {
  const looked = await Promise.all(
    entries.map((entry) => lookAt(join(path, entry.name), prefix + escapeName(entry.name))),
  );
  let from = 0;
  for (const [i, entry] of looked.entries()) {
    if (!(entry.stats?.isDirectory() === true && !entry.isLink)) continue;
    yield* keepFiles(looked.slice(from, i), options);
    from = i + 1;
    if (!options.skips(entry.uri)) yield* listFolder(entry.path, options);
  }
  yield* keepFiles(looked.slice(from), options);
}

function* keepFiles(looked: readonly Looked[], options: ListOptions): Generator<StoredFile> {
  for (const { path, uri, stats, isLink, error } of looked) {
    if (stats?.isFile() === true) {
      if (options.omits?.(path, stats) !== true) yield storedFile(path, uri, stats);
    } else if (stats !== undefined) {
      const what =
        isLink === true && stats.isDirectory() ? 'a link to a folder, which is not followed' : 'not a regular file';
      options.onProblem(uri, new Error(`it is ${what}`));
    } else if (isLink === true || !isGone(error)) options.onProblem(uri, error);
    else if (uri.includes('%EF%BF%BD')) options.onProblem(uri, new Error('its name is not UTF-8'));
  }
}

/** An entry of a folder; `stats` is undefined if the entry could not be read. */
interface Looked {
  readonly path: string;
  readonly uri: string;
  /** The stats of the target if the entry is a link. */
  readonly stats?: fs.BigIntStats;
  readonly isLink?: boolean;
  readonly error?: unknown;
}

function lookAt(path: string, uri: string): Promise<Looked> {
  let real: string;
  try {
    real = allowedPath(path, 'read');
  } catch (error) {
    return Promise.resolve({ path, uri, error });
  }
  return new Promise((resolve) => {
    fs.lstat(path, { bigint: true }, (error, stats) => {
      if (error !== null) resolve({ path, uri, error });
      else if (!stats.isSymbolicLink()) resolve({ path, uri, stats });
      else {
        fs.stat(real, { bigint: true }, (error, target) => {
          resolve(error === null ? { path, uri, stats: target, isLink: true } : { path, uri, isLink: true, error });
        });
      }
    });
  });
}

function storedFile(path: string, uri: string, stats: fs.BigIntStats): StoredFile {
  return {
    uri: { scheme: 'file', authority: '', path },
    path: uri,
    name: basename(path),
    size: Number(stats.size),
    modified: stats.mtimeNs,
    created: stats.birthtimeNs,
  };
}

const PLAIN_NAME = /^[A-Za-z0-9_.~!*'():@&=+$,;-]*$/;

function escapeName(name: string): string {
  return PLAIN_NAME.test(name) ? name : localFileUri(name).slice('file://'.length);
}

/** Returns whether a file or folder vanished after its folder was read. This is normal and not reported. */
export function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}
