import type { Logger } from '@headrace/engine';
import type { DeliveryFailure } from './delivery.ts';

/**
 * A destination that accepts some documents and refuses others does not fill the log: it is reported once within this
 * time.
 */
const QUIET_MS = 60_000;

/** Tells the log when a destination stops taking documents, and when it takes them again: not for every batch. */
export class Outages {
  readonly #destination: string;
  readonly #log: Logger;
  #begun: number | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(destination: string, log: Logger) {
    this.#destination = destination;
    this.#log = log;
  }

  /** It takes nothing, and is asked again. */
  begin({ message }: DeliveryFailure): void {
    const now = Date.now();
    if (this.#begun !== undefined || now - this.#toldAt < QUIET_MS) return;
    this.#begun = now;
    this.#toldAt = now;
    this.#log.warn(`${this.#destination} takes nothing at the moment, and is tried again: ${message}`);
  }

  /** It has taken something. */
  end(): void {
    if (this.#begun === undefined) return;
    const seconds = Math.round((Date.now() - this.#begun) / 1000);
    this.#begun = undefined;
    this.#log.info(`${this.#destination} takes documents again, after ${seconds} s`);
  }
}
