import type { Confirmation } from '../component/indexer.ts';
import { contractError } from '../errors/contract-error.ts';
import { type Failure, type HeadraceError, toFailure } from '../errors/headrace-error.ts';

/** A batch that the destination has accepted but not confirmed. */
interface Unconfirmed {
  readonly documents: number;
  /** The number of the first source batch in it. */
  readonly from: number;
}

/** Receives the results of batches that were confirmed later. */
export interface ConfirmationListener {
  onConfirmed(confirmation: Confirmation): void;
  /** Called with the number of documents that will not be confirmed. */
  onUnconfirmed(documents: number, failure: Failure): void;
  /** Called after each call of the other methods. */
  onProgress(): void;
}

/** The batches whose destination confirms them later; see `LaterAnswer`. */
export class UnconfirmedBatches {
  /** The open batches, in the order in which they were sent. */
  readonly #open = new Set<Unconfirmed>();
  readonly #listener: ConfirmationListener;

  constructor(listener: ConfirmationListener) {
    this.#listener = listener;
  }

  get size(): number {
    return this.#open.size;
  }

  /** The number of the first unconfirmed source batch. */
  get first(): number {
    const [oldest] = this.#open;
    return oldest?.from ?? Number.POSITIVE_INFINITY;
  }

  add(documents: number, from: number, confirmed: Promise<Confirmation>): void {
    const batch = { documents, from };
    this.#open.add(batch);
    // After `abandon`, the batch is already counted.
    const close = (report: () => void) => {
      if (!this.#open.delete(batch)) return;
      report();
      this.#listener.onProgress();
    };
    confirmed.then(
      (confirmation) =>
        close(() => {
          const error = errorOf(confirmation, documents);
          if (error === undefined) this.#listener.onConfirmed(confirmation);
          else this.#listener.onUnconfirmed(documents, toFailure(error, 'HR_INDEXER_FAILED'));
        }),
      (error) => close(() => this.#listener.onUnconfirmed(documents, toFailure(error, 'HR_INDEXER_FAILED'))),
    );
  }

  /** Stops waiting. The open documents count as failed for this reason. */
  abandon(failure: Failure): void {
    for (const batch of [...this.#open]) {
      this.#open.delete(batch);
      this.#listener.onUnconfirmed(batch.documents, failure);
    }
  }
}

/** Returns the error of a confirmation that does not count each document once. */
function errorOf(confirmation: Confirmation, documents: number): HeadraceError | undefined {
  const { created, succeeded, failed, dropped, failures } = (confirmation ?? {}) as Partial<Confirmation>;
  const counts = [created, succeeded, failed, dropped] as number[];
  const areCounts = counts.every((count) => Number.isSafeInteger(count) && count >= 0) && Array.isArray(failures);
  if (areCounts && (created as number) + documents === (succeeded as number) + (failed as number) + (dropped as number))
    return undefined;
  return contractError(
    `The indexer confirmed a batch of ${documents} documents with ${JSON.stringify({ created, succeeded, failed, dropped })}`,
    'created + the documents of the batch = succeeded + failed + dropped, and failures is a list.',
  );
}
