import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { type KeptFailure, messageOf, writeFailureLine } from '@headrace/engine';
import { CommandError, EXIT } from '../process/exit-code.ts';

const LF = 10;
/** How much of a file is read at a time to find its last line. */
const TAIL_BYTES = 64 * 1024;

/** Writes the failed documents of a run to a file while it runs, one line of JSON each. */
export class FailureFile {
  readonly #path: string;
  readonly #fd: number;
  readonly #mask: (text: string) => string;
  #started = false;
  #keeps = false;
  /** Where the next line begins. Null for pipes and devices. */
  #position: number | null = null;
  #error: unknown;

  /**
   * Opens the file. Its old content stays until the first document is written or the run ends successfully, so that a
   * refused config does not delete the failures of the previous run. Call `keep` before.
   * @param mask hides secrets in messages about a document
   */
  constructor(path: string, mask: (text: string) => string) {
    this.#mask = mask;
    this.#path = path;
    try {
      this.#fd = openSync(path, constants.O_WRONLY | constants.O_CREAT);
    } catch (error) {
      throw new CommandError(`The failed documents cannot be written to ${path}: ${messageOf(error)}`, EXIT.invalid);
    }
  }

  /** @param keeps whether to add documents to the file, because its old content is nowhere else */
  keep(keeps: boolean): void {
    this.#keeps = keeps;
  }

  /**
   * Writes failed documents immediately, so that they are not lost if the process dies. Throws if they, or documents
   * before them, could not be written.
   */
  write(failures: readonly KeptFailure[]): void {
    if (this.#error !== undefined) throw this.#error;
    const lines = failures.map(({ failure, ...rest }) =>
      writeFailureLine({ ...rest, failure: { ...failure, message: this.#mask(failure.message) } }),
    );
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    try {
      this.#start();
      for (let at = 0; at < bytes.length; ) {
        const written = writeSync(this.#fd, bytes, at, bytes.length - at, this.#position);
        at += written;
        if (this.#position !== null) this.#position += written;
      }
    } catch (error) {
      this.#error = error;
      throw error;
    }
  }

  /**
   * Closes the file. Throws if not all documents could be written.
   * @param failed whether the run failed: the file then stays unchanged if nothing was written to it
   */
  close(failed: boolean): void {
    try {
      if (!failed && this.#error === undefined) this.#start();
    } catch (error) {
      this.#error = error;
    } finally {
      closeSync(this.#fd);
    }
    if (this.#error === undefined) return;
    throw new CommandError(`Not all failed documents could be written to ${this.#path}: ${messageOf(this.#error)}`);
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    const found = fstatSync(this.#fd);
    // Pipes and devices have no content to remove.
    if (found.isFile()) this.#position = this.#keeps ? endOfLines(this.#path, found.size) : 0;
    if (this.#position !== null) ftruncateSync(this.#fd, this.#position);
  }
}

/** Returns the end of the last complete line. A killed run may have left a part of a line. */
function endOfLines(path: string, size: number): number {
  const fd = openSync(path, 'r');
  try {
    const tail = Buffer.alloc(TAIL_BYTES);
    for (let end = size; end > 0; ) {
      const start = Math.max(0, end - TAIL_BYTES);
      const read = readSync(fd, tail, 0, end - start, start);
      const at = tail.subarray(0, read).lastIndexOf(LF);
      if (at >= 0) return start + at + 1;
      end = start;
    }
    return 0;
  } finally {
    closeSync(fd);
  }
}

/** Reads the failed documents of a file, one per line. */
export async function readFailureFile(path: string, written: string | undefined): Promise<string[]> {
  if (written !== undefined && resolve(written) === resolve(path)) {
    throw new CommandError('--retry and --failures need different files: the second one is overwritten.', EXIT.invalid);
  }
  try {
    const lines: string[] = [];
    for await (const line of linesOf(createReadStream(path))) if (line.trim() !== '') lines.push(line);
    return lines;
  } catch (error) {
    throw new CommandError(`The failed documents of ${path} cannot be read: ${messageOf(error)}`, EXIT.invalid);
  }
}

/** Returns the lines one at a time, because the whole file can be longer than the maximum length of a string. */
async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  for await (const chunk of source) {
    let at = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, at)) {
      pieces.push(chunk.subarray(at, end));
      yield Buffer.concat(pieces).toString();
      pieces = [];
      at = end + 1;
    }
    pieces.push(chunk.subarray(at));
  }
  yield Buffer.concat(pieces).toString();
}
