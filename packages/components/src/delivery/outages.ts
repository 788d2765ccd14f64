import type { DeliveryFailure, Logger } from '@headrace/engine';

/** The minimum time between two warnings: a destination that accepts only some documents would fill the log. */
const QUIET_MS = 60_000;

/** Logs when a destination stops accepting documents and when it continues, but not for every batch. */
export class Outages {
  readonly #destination: string;
  readonly #log: Logger;
  #begun: number | undefined;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(destination: string, log: Logger) {
    this.#destination = destination;
    this.#log = log;
  }

  /** Reports that the destination accepts nothing and requests are retried. */
  begin({ message }: DeliveryFailure): void {
    const now = Date.now();
    if (this.#begun !== undefined || now - this.#loggedAt < QUIET_MS) return;
    this.#begun = now;
    this.#loggedAt = now;
    this.#log.warn(`${this.#destination} accepts no documents at the moment. Requests are retried: ${message}`);
  }

  /** Reports that the destination has accepted a document. */
  end(): void {
    if (this.#begun === undefined) return;
    const seconds = Math.round((Date.now() - this.#begun) / 1000);
    this.#begun = undefined;
    this.#log.info(`${this.#destination} accepts documents again after ${seconds} s`);
  }
}
