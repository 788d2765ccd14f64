import { constants, write } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  accessHint,
  contractError,
  HeadraceError,
  kindOf,
  type Logger,
  messageOf,
  type ParameterProblem,
} from '@headrace/engine';
import { endLastRow, type RowFormat } from '@headrace/formats/records/split';
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

/** How rows are written to a file. */
export interface RowOutput {
  /** The beginning of an empty file. */
  readonly header?: string;
  readonly rows: RowFormat;
  /** Whether the rows before may be those of a process that was killed. Then all of them are checked. */
  readonly continues?: boolean;
  readonly log: Logger;
}

/**
 * Opens a file for output and creates its folders. Throws `HR_INDEXER_CONNECT` with the name of the file, also if
 * another run is writing it: the two would overwrite each other.
 * @param append keeps the content, except an incomplete last row. Otherwise the content is removed at the first write: a
 * run that fails before must not delete the output of the last run
 * @param rows if the output consists of rows
 */
export async function openOutputFile(path: string, append: boolean, rows?: RowOutput): Promise<Output> {
  let handle: FileHandle;
  try {
    await makeFolders(dirname(path));
    const { O_RDWR, O_WRONLY, O_CREAT, O_APPEND } = constants;
    const flags = append ? O_CREAT | O_APPEND : O_CREAT;
    handle = await open(path, flags | O_RDWR).catch((error) => {
      // The output may be write-only, such as a pipe.
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
      return open(path, flags | O_WRONLY);
    });
  } catch (error) {
    throw new HeadraceError('HR_INDEXER_CONNECT', `Cannot write to ${path}: ${messageOf(error)}`);
  }
  try {
    return new OutputFile(path, handle, await takeFile(path, handle), append, rows);
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
export async function checkOutputFileAccess(path: string): Promise<void> {
  try {
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) throw new Error('it is a folder');
    if (found === undefined) await requireWritableFolder(dirname(path));
    else await access(path, constants.W_OK);
  } catch (error) {
    const hint = accessHint(error) ?? 'Name a file in a folder that exists or can be created.';
    throw new HeadraceError('HR_INDEXER_CONNECT', `Cannot write to ${path}: ${messageOf(error)}`, { hint });
  }
}

class OutputFile implements Output {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #release: ReleaseOutput;
  readonly #append: boolean;
  readonly #rows: RowOutput | undefined;
  #started = false;
  /**
   * Whether to write at explicit positions: after a failed batch was removed, the next write must not leave a gap. A
   * pipe has no positions.
   */
  #placed = false;
  /** The length of the file up to the last complete batch. */
  #length = 0;

  constructor(path: string, handle: FileHandle, release: ReleaseOutput, append: boolean, rows?: RowOutput) {
    this.#path = path;
    this.#handle = handle;
    this.#release = release;
    this.#append = append;
    this.#rows = rows;
  }

  async write(pieces: readonly Uint8Array[]): Promise<void> {
    requirePieces(pieces);
    if (!this.#started) await this.#start();
    await this.#writeAll(pieces);
  }

  async #start(): Promise<void> {
    const found = await this.#handle.stat();
    this.#placed = !this.#append && found.isFile();
    if (this.#placed) await this.#handle.truncate(0);
    this.#length = this.#append ? found.size : 0;
    if (this.#append && found.isFile() && this.#rows !== undefined) await this.#endLastRow(this.#rows);
    const { header = '' } = this.#rows ?? {};
    if (this.#length === 0 && header !== '') await this.#writeAll([Buffer.from(header)]);
    this.#started = true;
  }

  /** Removes the incomplete row that a killed process has left, because the next row would continue it. */
  async #endLastRow({ rows, continues = false, log }: RowOutput): Promise<void> {
    let length: number | undefined;
    try {
      length = await endLastRow(this.#handle, this.#length, rows, continues);
    } catch (error) {
      // The file may only be written.
      if ((error as NodeJS.ErrnoException).code === 'EBADF') return;
      throw new HeadraceError('HR_INDEXER_FAILED', `Cannot read the end of ${this.#path}: ${messageOf(error)}`);
    }
    if (length === undefined) {
      throw new HeadraceError('HR_INDEXER_FAILED', `Cannot add rows to ${this.#path}: its last row does not end`, {
        hint: 'Write to another file, or correct the end of this one.',
      });
    }
    const removed = this.#length - length;
    this.#length = length;
    if (removed > 0) log.warn(`${this.#path} ended with an incomplete row. Removed its ${removed} bytes`);
  }

  async #writeAll(pieces: readonly Uint8Array[]): Promise<void> {
    let written = 0;
    try {
      // One call writes all pieces, so that the end of this thread leaves no part of them.
      const total = pieces.reduce((sum, { length }) => sum + length, 0);
      while (written < total) {
        const rest = written === 0 ? pieces : [Buffer.concat(pieces).subarray(written)];
        const { bytesWritten } = await this.#handle.writev(rest, this.#placed ? this.#length + written : undefined);
        written += bytesWritten;
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

/** Throws `HR_COMPONENT_CONTRACT` for bytes that are not in a list: nothing would be written. */
function requirePieces(pieces: unknown): void {
  if (Array.isArray(pieces) && pieces.every((piece) => piece instanceof Uint8Array)) return;
  throw contractError(`write() of an output received ${kindOf(pieces)}, not a list of Uint8Array`);
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
