import { counted, HeadraceError } from '@headrace/engine';

/** So many files are named; the log has all. */
const MAX_NAMED = 3;

/** Files that were not read to their end. They fail the connector, when the other files have been read. */
export class IncompleteFiles {
  #count = 0;
  readonly #named: string[] = [];

  /** @param reason begins with the place */
  add(reason: string): void {
    this.#count++;
    if (this.#named.length < MAX_NAMED) this.#named.push(reason);
  }

  /** Throws `HR_SOURCE_INCOMPLETE` if there are any. */
  throwIfAny(): void {
    if (this.#count === 0) return;
    const more =
      this.#count > this.#named.length ? `; and ${this.#count - this.#named.length} more, which are in the log` : '';
    throw new HeadraceError(
      'HR_SOURCE_INCOMPLETE',
      `${counted(this.#count, 'file')} ${this.#count === 1 ? 'was' : 'were'} not read to the end: ${this.#named.join('; ')}${more}`,
      {
        hint: 'What came before was published, and so were all other files. Correct the files, and run again.',
      },
    );
  }
}
