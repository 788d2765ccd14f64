import { closeSync, constants, createReadStream, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { type KeptFailure, messageOf, writeFailureLine } from '@headrace/engine';
import { CommandError, EXIT } from '../process/exit-code.ts';

const LF = 10;

/** Writes the failed documents of a run to a file while it runs, a line of JSON each. */
export class FailureFile {
  readonly #path: string;
  readonly #fd: number;
  readonly #mask: (text: string) => string;
  #started = false;
  #error: unknown;

  /**
   * What the file holds stays until something is written, or the run has ended without failing: a config that is refused
   * must not cost the failures of the run before.
   * @param mask hides secrets in what is said of a document
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

  /** Written at once: what has failed is there whatever becomes of the process. */
  write(failures: readonly KeptFailure[]): void {
    if (this.#error !== undefined) return;
    const lines = failures.map(({ failure, ...rest }) =>
      writeFailureLine({ ...rest, failure: { ...failure, message: this.#mask(failure.message) } }),
    );
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    try {
      this.#start();
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    } catch (error) {
      this.#error = error;
    }
  }

  /**
   * Throws if not all could be written.
   * @param failed whether the run failed: then a file that nothing was written to is left as it was
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
    // Pipes and devices hold nothing.
    if (fstatSync(this.#fd).isFile()) ftruncateSync(this.#fd);
  }
}

/** The failed documents of a file, a line each. */
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

/** One by one: all of a file may be longer than a text can be. */
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
