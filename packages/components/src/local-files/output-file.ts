import { constants, write } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { HeadraceError, messageOf, type ParameterProblem, reachHint } from '@headrace/engine';
import { access, makeFolders, open, stat } from './local-files.ts';
import { type ReleaseOutput, takeOutput } from './output-lock.ts';
import { requireWritableFolder } from './writable-folder.ts';

const STDOUT = 1;
/** The wait, in milliseconds, for a slow reader of the standard output. */
const STDOUT_WAIT = 5;

/** The destination of an indexer's bytes, in order. */
export interface Output {
  /** Writes all blocks. If that fails, removes the written part if possible, and throws. */
  write(pieces: readonly Uint8Array[]): Promise<void>;
  /**
   * Closes the output. When it resolves, the written data is durable.
   * @param failed whether the run failed: then an output without any write stays unchanged
   */
  close(failed: boolean): Promise<void>;
}

/**
 * Opens a file for output and creates its folders. Throws `HR_INDEXER_CONNECT` with the name of the file, also if
 * another run is writing it: the two would overwrite each other.
 * @param append keeps the content. Otherwise it is removed at the first write: a run that fails before must not delete
 * the output of the last run
 * @param header the beginning of an empty file
 */
export async function openOutputFile(path: string, append: boolean, header = ''): Promise<Output> {
  let handle: FileHandle;
  try {
    await makeFolders(dirname(path));
    const { O_RDWR, O_WRONLY, O_CREAT, O_APPEND } = constants;
    handle = await open(path, append ? O_WRONLY | O_CREAT | O_APPEND : O_RDWR | O_CREAT).catch((error) => {
      // The output may be write-only, such as a pipe.
      if (append || (error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
      return open(path, O_WRONLY | O_CREAT);
    });
  } catch (error) {
    throw new HeadraceError('HR_INDEXER_CONNECT', `Cannot write to ${path}: ${messageOf(error)}`);
  }
  try {
    return new OutputFile(path, handle, await takeFile(path, handle), append, Buffer.from(header));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Locks a regular file for this run. Pipes and devices may have several writers. */
async function takeFile(path: string, handle: FileHandle): Promise<ReleaseOutput> {
  const found = await handle.stat({ bigint: true });
  const release = found.isFile() ? await takeOutput(found) : async () => undefined;
  if (release !== undefined) return release;
  throw new HeadraceError('HR_INDEXER_CONNECT', `Cannot write to ${path}: another run is writing it`, {
    hint: 'Use a separate file for each run, or run them one at a time: `overlap: queue` does that for runs of one config.',
  });
}

/** Reports a URI as the path of an output. Otherwise s3://bucket/file would become a file in a new local folder `s3:`. */
export function* checkOutputPath(path: string): Generator<ParameterProblem> {
  if (!/^[a-z][a-z\d+.-]+:\/\//i.test(path)) return;
  yield {
    parameter: 'path',
    message: `${path} is a URI, but the indexer writes local files only`,
    hint: 'Write a local path, such as /data/output. Copy the file to an object store after the run.',
  };
}

/** Checks by the permissions whether a file could be written and its folders created. Throws `HR_INDEXER_CONNECT`. */
export async function reachOutputFile(path: string): Promise<void> {
  try {
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) throw new Error('it is a folder');
    if (found === undefined) await requireWritableFolder(dirname(path));
    else await access(path, constants.W_OK);
  } catch (error) {
    const hint = reachHint(error) ?? 'Name a file in a folder that exists or can be created.';
    throw new HeadraceError('HR_INDEXER_CONNECT', `Cannot write to ${path}: ${messageOf(error)}`, { hint });
  }
}

class OutputFile implements Output {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #release: ReleaseOutput;
  readonly #append: boolean;
  readonly #header: Uint8Array;
  #started = false;
  /**
   * Whether to write at explicit positions: after a failed batch was removed, the next write must not leave a gap. A
   * pipe has no positions.
   */
  #placed = false;
  /** The length of the file up to the last complete batch. */
  #length = 0;

  constructor(path: string, handle: FileHandle, release: ReleaseOutput, append: boolean, header: Uint8Array) {
    this.#path = path;
    this.#handle = handle;
    this.#release = release;
    this.#append = append;
    this.#header = header;
  }

  async write(pieces: readonly Uint8Array[]): Promise<void> {
    if (!this.#started) await this.#start();
    await this.#writeAll(pieces);
  }

  async #start(): Promise<void> {
    const found = await this.#handle.stat();
    this.#placed = !this.#append && found.isFile();
    if (this.#placed) await this.#handle.truncate(0);
    this.#length = this.#append ? found.size : 0;
    if (this.#length === 0 && this.#header.length > 0) await this.#writeAll([this.#header]);
    this.#started = true;
  }

  async #writeAll(pieces: readonly Uint8Array[]): Promise<void> {
    let written = 0;
    try {
      for (const piece of pieces) {
        for (let at = 0; at < piece.length; ) {
          const place = this.#placed ? this.#length + written : null;
          const { bytesWritten } = await this.#handle.write(piece, at, piece.length - at, place);
          at += bytesWritten;
          written += bytesWritten;
        }
      }
    } catch (error) {
      throw await this.#undo(error, written);
    }
    this.#length += written;
  }

  async close(failed: boolean): Promise<void> {
    try {
      if (!this.#started && !failed) await this.#start();
      // Devices and pipes cannot be synchronized, and cannot lose data.
      if ((await this.#handle.stat()).isFile()) await this.#handle.datasync();
    } finally {
      await this.#handle.close().finally(this.#release);
    }
  }

  /** Removes the written part of a failed batch: the next batch would continue a partial row. */
  async #undo(error: unknown, written: number): Promise<HeadraceError> {
    let message = `Cannot write to ${this.#path}: ${messageOf(error)}`;
    if (written > 0) {
      await this.#handle.truncate(this.#length).catch((cause) => {
        this.#length += written;
        message += `; it now ends with an incomplete batch, which cannot be removed: ${messageOf(cause)}`;
      });
    }
    return new HeadraceError('HR_INDEXER_FAILED', message, { cause: error });
  }
}

/** The standard output of the process, also in a thread. The stream of a thread would go through the main thread. */
export class StandardOutput implements Output {
  async write(pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) at += await writeSome(piece, at);
    }
  }

  async close(): Promise<void> {}
}

const writeTo = promisify(write);

async function writeSome(piece: Uint8Array, at: number): Promise<number> {
  try {
    return (await writeTo(STDOUT, piece, at)).bytesWritten;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') {
      throw new HeadraceError('HR_INDEXER_FAILED', `Cannot write to the standard output: ${messageOf(error)}`);
    }
    // The pipe is full: wait for its reader.
    await setTimeout(STDOUT_WAIT);
    return 0;
  }
}
