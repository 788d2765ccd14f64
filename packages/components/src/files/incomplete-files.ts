import { counted, HeadraceError } from '@headrace/engine';

/** The error message names this number of files; the log contains all. */
const MAX_NAMED = 3;

/** Collects the files that were not read completely. They fail the connector after all other files have been read. */
export class IncompleteFiles {
  #count = 0;
  readonly #named: string[] = [];

  /** @param reason begins with the path of the file */
  add(reason: string): void {
    this.#count++;
    if (this.#named.length < MAX_NAMED) this.#named.push(reason);
  }

  /** Throws `HR_SOURCE_INCOMPLETE` if any file was not read completely. */
  throwIfAny(): void {
    if (this.#count === 0) return;
    const more =
      this.#count > this.#named.length ? `; and ${this.#count - this.#named.length} more, which are in the log` : '';
    throw new HeadraceError(
      'HR_SOURCE_INCOMPLETE',
      `${counted(this.#count, 'file')} ${this.#count === 1 ? 'was' : 'were'} not read to the end: ${this.#named.join('; ')}${more}`,
      {
        hint: 'The part before the error and all other files were published. Correct the files, and run again.',
      },
    );
  }
}
