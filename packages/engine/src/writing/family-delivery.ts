import type { EncodedBatch, IndexFailure } from '../component/indexer.ts';
import { contractError } from '../errors/contract-error.ts';
import { counted } from '../errors/counted.ts';
import { type Family, splitFamilies } from '../families/split-families.ts';
import { Delivery, type Reply } from './delivery.ts';
import { areFailuresOf, LIST_FAILURES } from './failures-of.ts';
import { RequestSize } from './request-size.ts';
import type { Retries } from './retries.ts';

/** The most families in one request. Search engines limit the number of conditions of a query. */
const MAX_FAMILIES = 256;
/** The size of a request about several families, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The most parents whose last versions are remembered. */
const MAX_PARENTS = 100_000;

/** Writes batches with families, and then deletes the old children of these families. */
export class FamilyDelivery {
  readonly #retries: Retries;
  readonly #http: boolean;
  /** The parents of the families that were written since the last delete that saw all earlier documents. */
  #recent = new Set<string>();
  /** True if the next delete must see all earlier documents, as the first one of a run must. */
  #isRecent = true;

  /** @param http false if the statuses of replies are not HTTP statuses */
  constructor(retries: Retries, http = true) {
    this.#retries = retries;
    this.#http = http;
  }

  /**
   * Writes a batch, waits for the answer, then deletes the children that the families in it no longer have. A family
   * whose last document failed keeps its old children. If they cannot be deleted, that document fails.
   * @param write writes a batch without the lines of families
   * @param remove deletes the documents whose `indexer.childrenField` is the parent, and whose id is not in the family.
   * `isRecent` is true if an older version of a family may have been written a moment ago.
   */
  async write(
    batch: EncodedBatch,
    signal: AbortSignal,
    write: (batch: EncodedBatch) => Promise<readonly IndexFailure[]>,
    remove: (families: readonly Family[], isRecent: boolean) => Promise<Reply>,
  ): Promise<readonly IndexFailure[]> {
    const { batch: documents, families, parents } = splitFamilies(batch);
    this.#note(parents);
    const written: unknown = await write(documents);
    if (!areFailuresOf(documents.count, written)) {
      // The family of a document that failed would lose its old children.
      throw contractError(
        `The function that writes a batch of families does not say which of ${counted(documents.count, 'document')} failed`,
        LIST_FAILURES,
      );
    }
    const failures = [...written];
    for (const { index } of failures) families.delete(index);
    const positions = [...families.keys()].sort((a, b) => a - b);
    const familyAt = (position: number) => families.get(position) as Family;
    const delivery = new Delivery(this.#retries, new RequestSize(MAX_BYTES));
    for (let from = 0; from < positions.length; from += MAX_FAMILIES) {
      const failed = await delivery.deliver(
        positions.slice(from, from + MAX_FAMILIES),
        {
          partial: false,
          ...(this.#http ? {} : { http: false }),
          key: String,
          length: (position) => familyAt(position).bytes,
          isolates: (status) => status === 400,
          request: async (some) => {
            const reply = await remove(some.map(familyAt), this.#isRecent);
            // A reply of another form is refused by the delivery.
            if (reply !== undefined && 'items' in reply) this.#isRecent = false;
            return reply;
          },
        },
        signal,
      );
      for (const failure of failed) {
        const message = `The document was written, but its old children were not deleted: ${failure.message}`;
        failures.push({ ...failure, message });
      }
    }
    return failures;
  }

  /** Remembers the parents of a batch. */
  #note(parents: readonly string[]): void {
    const distinct = new Set(parents);
    const isRepeated = distinct.size < parents.length || !distinct.isDisjointFrom(this.#recent);
    if (isRepeated || this.#recent.size > MAX_PARENTS) {
      this.#isRecent = true;
      this.#recent = distinct;
    } else for (const parent of distinct) this.#recent.add(parent);
  }
}
