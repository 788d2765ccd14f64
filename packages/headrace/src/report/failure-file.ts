import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { type KeptFailure, messageOf, writeFailureLine } from '@headrace/engine';
import { CommandError, EXIT } from '../cli/exit-code.ts';

/** Writes the failed documents of a run to a file while it goes on, a line of JSON each. */
export class FailureFile {
  readonly #path: string;
  readonly #fd: number;
  readonly #mask: (text: string) => string;
  #error: unknown;

  /**
   * The file is empty then.
   * @param mask hides secrets in what is said of a document
   */
  constructor(path: string, mask: (text: string) => string) {
    this.#mask = mask;
    this.#path = path;
    try {
      this.#fd = openSync(path, 'w');
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
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    } catch (error) {
      this.#error = error;
    }
  }

  /** Throws when not all could be written. */
  close(): void {
    closeSync(this.#fd);
    if (this.#error === undefined) return;
    throw new CommandError(`Not all failed documents could be written to ${this.#path}: ${messageOf(this.#error)}`);
  }
}

/** The failed documents of a file, a line each. */
export function readFailureFile(path: string, written: string | undefined): string[] {
  if (written !== undefined && resolve(written) === resolve(path)) {
    throw new CommandError(
      '--retry and --failures need different files: what fails again is written anew.',
      EXIT.invalid,
    );
  }
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '');
  } catch (error) {
    throw new CommandError(`The failed documents of ${path} cannot be read: ${messageOf(error)}`, EXIT.invalid);
  }
}
