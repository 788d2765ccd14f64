import fs, { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { allowedPath, isRestricted } from '@headrace/engine';

/**
 * The only module that opens local files. It exports the functions of Node with the same names, which accept only paths
 * that the policy of the config allows. Every call checks the policy. Every path of a config or a document must pass
 * through this module; a house test checks that.
 *
 * With a policy, the real path is opened: links are resolved once, when the path is checked. If the path becomes a link
 * afterwards, the link is not followed.
 */

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const FLAGS: Readonly<Record<'r' | 'w', number>> = {
  r: constants.O_RDONLY,
  w: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC,
};

type Flags = number | 'r' | 'w';

export function open(path: string, flags: Flags): Promise<FileHandle> {
  return fs.promises.open(...opened(path, flags));
}

export function openSync(path: string, flags: Flags): number {
  return fs.openSync(...opened(path, flags));
}

/** The largest file that is read as a whole without a limit of its reader: a certificate, a definition, a list of terms. */
const MAX_WHOLE_MIB = 64;
const MAX_WHOLE_BYTES = MAX_WHOLE_MIB * 1024 * 1024;
const PIECE_BYTES = 64 * 1024;

/**
 * Reads a small file, such as a certificate or a definition. Rejects if it has more than 64 MiB. `readLocalFile` reads
 * files of documents, within a limit and the memory of the document.
 */
export async function readFile(path: string): Promise<Buffer>;
export async function readFile(path: string, encoding: 'utf8'): Promise<string>;
export async function readFile(path: string, encoding?: 'utf8'): Promise<Buffer | string> {
  const file = await open(path, 'r');
  try {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of file.createReadStream({ autoClose: false, highWaterMark: PIECE_BYTES })) {
      bytes += piece.length;
      requireSmall(bytes, path);
      pieces.push(piece);
    }
    const content = Buffer.concat(pieces, bytes);
    return encoding === undefined ? content : content.toString(encoding);
  } finally {
    await file.close();
  }
}

/** Reads a small file, as `readFile` does. Throws if it has more than 64 MiB. */
export function readFileSync(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const pieces: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const count = fs.readSync(file, piece);
      if (count === 0) return Buffer.concat(pieces, bytes);
      bytes += count;
      requireSmall(bytes, path);
      pieces.push(piece.subarray(0, count));
    }
  } finally {
    fs.closeSync(file);
  }
}

function requireSmall(bytes: number, path: string): void {
  if (bytes > MAX_WHOLE_BYTES) throw new Error(`${path} has more than ${MAX_WHOLE_MIB} MiB`);
}

export const stat = (async (path: string, options?: fs.StatOptions) =>
  fs.promises.stat(seen(path), options)) as typeof fs.promises.stat & ((path: string) => Promise<fs.Stats>);

export async function statfs(path: string): Promise<fs.StatsFs> {
  return fs.promises.statfs(seen(path));
}

/** @param access the access that the error names if the path may be neither read nor written */
export function statSync(path: string, access: 'read' | 'write' = 'read'): fs.Stats | undefined {
  return fs.statSync(seen(path, access), { throwIfNoEntry: false });
}

export function existsSync(path: string): boolean {
  return fs.existsSync(seen(path));
}

/** @param mode the access to check, such as `constants.W_OK` */
export async function access(path: string, mode: number): Promise<void> {
  return fs.promises.access(allowedPath(path, kind((mode & constants.W_OK) !== 0)), mode);
}

export function accessSync(path: string, mode: number): void {
  fs.accessSync(allowedPath(path, kind((mode & constants.W_OK) !== 0)), mode);
}

export async function opendir(path: string, options: fs.OpenDirOptions): Promise<fs.Dir> {
  return fs.promises.opendir(allowedPath(path, 'read'), options);
}

/**
 * Creates a folder and its missing parents, one at a time. Node's recursive mkdir loops forever if the system reports a
 * missing folder and does not allow its creation, as in /proc.
 */
export async function makeFolders(path: string): Promise<void> {
  await makeFolder(resolve(allowedPath(path, 'write')));
}

async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    const above = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === path) throw error;
    await makeFolder(above);
    await makeOne(path).catch((error) => {
      throw error.code === 'ENOENT' ? new Error(`no folder can be created in ${above}`, { cause: error }) : error;
    });
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await fs.promises.mkdir(path);
  } catch (error) {
    const found = await fs.promises.stat(path).catch(() => undefined);
    if (found?.isDirectory() !== true) throw error;
  }
}

export function truncateSync(path: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_TRUNC);
  fs.closeSync(file);
}

export async function rename(from: string, to: string): Promise<void> {
  await fs.promises.rename(allowedPath(from, 'write'), allowedPath(to, 'write'));
}

export async function link(existing: string, path: string): Promise<void> {
  await fs.promises.link(allowedPath(existing, 'write'), allowedPath(path, 'write'));
}

export async function copyFile(from: string, to: string, mode?: number): Promise<void> {
  await fs.promises.copyFile(allowedPath(from, 'read'), allowedPath(to, 'write'), mode);
}

export async function unlink(path: string): Promise<void> {
  await fs.promises.unlink(allowedPath(path, 'write'));
}

/** Removes a file if it exists. */
export async function remove(path: string): Promise<void> {
  await fs.promises.rm(allowedPath(path, 'write'), { force: true });
}

function opened(path: string, flags: Flags): [string, number] {
  const number = typeof flags === 'string' ? FLAGS[flags] : flags;
  const real = allowedPath(path, kind((number & (constants.O_WRONLY | constants.O_RDWR)) !== 0));
  return [real, isRestricted() ? number | NO_FOLLOW : number];
}

/** Allows a path that may be read or written: an existence check does not know which access follows. */
function seen(path: string, access: 'read' | 'write' = 'read'): string {
  try {
    return allowedPath(path, access);
  } catch (refused) {
    try {
      return allowedPath(path, kind(access === 'read'));
    } catch {
      throw refused;
    }
  }
}

function kind(write: boolean): 'read' | 'write' {
  return write ? 'write' : 'read';
}
