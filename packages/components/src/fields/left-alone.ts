import { type Document, type Logger, messageOf } from '@headrace/engine';

/**
 * Reports documents that a stage leaves unchanged because of their content: the first in full, the others by their
 * number at the end, so that a source of broken values does not flood the log.
 */
export class LeftAlone {
  readonly #log: Logger;
  readonly #what: string;
  #count = 0;

  /** @param what what is wrong with the documents: `field "xml" is not XML` */
  constructor(log: Logger, what: string) {
    this.#log = log;
    this.#what = what;
  }

  /** A document was left alone. */
  add(document: Document, reason: unknown): void {
    const message = `Document ${document.id} is left alone: ${this.#what}: ${messageOf(reason)}`;
    if (++this.#count === 1) this.#log.warn(message);
    else this.#log.debug(message);
  }

  /** Call this after the last document. */
  end(): void {
    if (this.#count > 1) this.#log.warn(`${this.#count} documents were left alone: ${this.#what}`);
  }
}
