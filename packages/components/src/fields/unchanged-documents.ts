import { type Document, type Logger, messageOf } from '@headrace/engine';

/**
 * Logs the documents that a stage does not change because of their content: the first one with its reason, and in `end`
 * their total number. So a lot of invalid values does not flood the log.
 */
export class UnchangedDocuments {
  readonly #log: Logger;
  readonly #what: string;
  #count = 0;

  /** @param what the problem of the documents, such as `field "xml" is not XML` */
  constructor(log: Logger, what: string) {
    this.#log = log;
    this.#what = what;
  }

  /** Reports a document that the stage did not change. */
  add(document: Document, reason: unknown): void {
    const message = `Document ${document.id} is not changed: ${this.#what}: ${messageOf(reason)}`;
    if (++this.#count === 1) this.#log.warn(message);
    else this.#log.debug(message);
  }

  /** Logs the number of documents. Call it after the last document. */
  end(): void {
    if (this.#count > 1) this.#log.warn(`${this.#count} documents were not changed: ${this.#what}`);
  }
}
