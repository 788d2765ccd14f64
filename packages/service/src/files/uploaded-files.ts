import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../errors/api-error.ts';
import type { Limits } from '../settings/service-settings.ts';
import { checkFileName } from './file-name.ts';

const MIB = 1024 * 1024;
/** How many files there may be. Also empty files need space. */
const MAX_FILES = 1000;
/** How the names of files start that have not arrived completely. No name of a file starts like this. */
const PART = '.part-';
/** The errors of a full disk: no space, or no more space for the user of the service. */
const NO_SPACE = new Set(['ENOSPC', 'EDQUOT']);

/** A file that a user uploaded, so that configs can read it. */
export interface UploadedFile {
  readonly name: string;
  /** The path for configs. */
  readonly path: string;
  readonly bytes: number;
  /** The time of the upload, in seconds since the epoch. */
  readonly modifiedTime: number;
}

/** What a request says about the file that it sends. */
export interface FileUpload {
  readonly name: string;
  readonly content: Readable;
  /** The size that the request announces, which HTTP enforces. */
  readonly bytes: number;
  /** Whether the file replaces one with the same name. */
  readonly replace: boolean;
}

type FileLimits = Pick<Limits, 'maxFileBytes' | 'maxFilesBytes' | 'minFreeDiskMb'>;

/**
 * The files that users uploaded. They are in one directory, and only the owner of the process may read them. A file
 * appears when it has arrived completely.
 */
export class UploadedFiles {
  readonly directory: string;
  readonly #limits: FileLimits;
  /** The names and announced sizes of the files that are arriving. */
  readonly #arriving = new Map<string, number>();

  constructor(directory: string, limits: FileLimits) {
    this.directory = directory;
    this.#limits = limits;
  }

  /** Removes what the last process left of files that did not arrive completely. */
  async clean(): Promise<void> {
    const parts = (await this.#names()).filter((name) => name.startsWith(PART));
    await Promise.all(parts.map((name) => rm(join(this.directory, name), { force: true })));
  }

  /** Returns the files by name. */
  async list(): Promise<UploadedFile[]> {
    const names = (await this.#names()).filter((name) => !name.startsWith('.')).sort();
    const files = await Promise.all(names.map((name) => this.#file(name)));
    return files.filter((file) => file !== undefined);
  }

  /** Stores a file. Refuses it before its content is read if it exists already, or is too large. */
  async put({ name, content, bytes, replace }: FileUpload): Promise<{ file: UploadedFile; replaced: boolean }> {
    checkFileName(name);
    if (this.#arriving.has(name)) throw arriving(name);
    this.#arriving.set(name, bytes);
    try {
      const old = await this.#file(name);
      if (old !== undefined && !replace) throw exists(name);
      if (old === undefined && (await this.#names()).includes(name)) throw notAFile(name);
      await mkdir(this.directory, { recursive: true, mode: 0o700 });
      await this.#checkSpace(old === undefined);
      await this.#receive(name, content);
      const file = await this.#file(name);
      // Another request has removed it since.
      if (file === undefined) throw notFound(name);
      return { file, replaced: old !== undefined };
    } finally {
      this.#arriving.delete(name);
    }
  }

  /** Removes a file. Runs that are reading it continue. */
  async remove(name: string): Promise<void> {
    checkFileName(name);
    if ((await this.#file(name)) === undefined) throw notFound(name);
    await rm(join(this.directory, name), { force: true });
  }

  async #receive(name: string, content: Readable): Promise<void> {
    const part = join(this.directory, PART + randomUUID());
    try {
      // `flush` makes the file survive the death of the machine before the answer says that it is stored.
      await pipeline(content, createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }));
      await rename(part, join(this.directory, name));
      await syncDirectory(this.directory);
    } catch (error) {
      await rm(part, { force: true });
      const { code } = error as NodeJS.ErrnoException;
      if (NO_SPACE.has(code ?? ''))
        throw new ApiError('HR_FILE_STORE_FULL', 'The disk of the uploaded files is full', { hint: FULL });
      if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE')
        throw new ApiError('HR_REQUEST_INVALID', `The connection was closed before all of ${name} had arrived`);
      throw error;
    }
  }

  /** Checks the limits for all files, including those that are arriving. A replaced file counts until it is replaced. */
  async #checkSpace(isNew: boolean): Promise<void> {
    const { maxFilesBytes, minFreeDiskMb } = this.#limits;
    const files = await this.list();
    const arriving = [...this.#arriving.values()].reduce((sum, size) => sum + size, 0);
    const total = files.reduce((sum, { bytes }) => sum + bytes, arriving);
    const full = (message: string) => new ApiError('HR_FILE_STORE_FULL', message, { hint: FULL });
    if (total > maxFilesBytes) {
      throw full(`The uploaded files would have ${total} bytes, more than limits.maxFilesBytes (${maxFilesBytes})`);
    }
    if (isNew && files.length + this.#arriving.size > MAX_FILES) throw full(`There may be ${MAX_FILES} uploaded files`);
    const { bavail, bsize } = await statfs(this.directory);
    if (bavail * bsize - arriving < minFreeDiskMb * MIB)
      throw full('The disk of the uploaded files has too little space');
  }

  /** Returns a file. Links and directories, which only an operator can make, are none. */
  async #file(name: string): Promise<UploadedFile | undefined> {
    const path = join(this.directory, name);
    try {
      const stats = await lstat(path);
      if (!stats.isFile()) return undefined;
      const { size, mtimeMs } = stats;
      return { name, path, bytes: size, modifiedTime: mtimeMs / 1000 };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}

const FULL = 'Delete uploaded files that no config needs: DELETE /v1/file/{name}, or the page System.';

function exists(name: string): ApiError {
  return new ApiError('HR_FILE_EXISTS', `The file ${name} exists already`, {
    hint: 'Send it with ?replace=true, or with another name.',
  });
}

function arriving(name: string): ApiError {
  return new ApiError('HR_FILE_EXISTS', `Another request is uploading the file ${name}`, {
    hint: 'Wait until the other upload has ended, or use another name.',
  });
}

function notAFile(name: string): ApiError {
  return new ApiError('HR_FILE_EXISTS', `${name} is a link or a directory, which the service does not replace`, {
    hint: 'Use another name.',
  });
}

/** Makes the new name of a file survive the death of the machine. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function notFound(name: string): ApiError {
  return new ApiError('HR_FILE_NOT_FOUND', `There is no uploaded file ${name}`, {
    hint: 'GET /v1/file lists the uploaded files.',
  });
}
