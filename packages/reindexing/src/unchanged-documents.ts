import { HASH_BYTES, readHash } from './content-hash.ts';
import type { DocumentHashes, HashedDocuments, SentDocuments } from './document-hashes.ts';

const ID_MEMBER = '"_id":';
const INDEX_MEMBER = ',"_index":';

/** A batch of documents of a bulk request, with the hash of each before it (see `withHash`). */
export interface BulkDocuments {
  readonly count: number;
  /** Returns bytes with a document and its hash. */
  bytes(position: number): Uint8Array;
  /** Returns where the hash begins in these bytes. */
  start(position: number): number;
  /** Returns the first line of a document, its action, as Latin-1, without the hash and the line end. */
  firstLine(position: number): string;
}

/** A batch whose unchanged documents are not sent. */
export interface TakenBatch extends SentDocuments {
  /** Call it when all results are known. */
  acknowledge(failed: Iterable<{ readonly index: number }>): void;
}

/** Finds the documents of bulk requests that an index already has. */
export class UnchangedDocuments {
  readonly #hashes: DocumentHashes;
  readonly #onUnchanged: (documents: number) => void;

  constructor(hashes: DocumentHashes, onUnchanged: (documents: number) => void) {
    this.#hashes = hashes;
    this.#onUnchanged = onUnchanged;
  }

  /** Call it in the order of the batches. Send two versions of a document in this order. */
  take(batch: BulkDocuments): TakenBatch {
    const { count } = batch;
    const hashes = new Uint8Array(count * HASH_BYTES);
    const deletions = new Set<number>();
    for (let i = 0; i < count; i++) {
      if (!readHash(batch.bytes(i), batch.start(i), hashes, i * HASH_BYTES)) deletions.add(i);
    }
    // The members of the identity are the last ones: "_id", "_index" and perhaps "routing".
    const key = (position: number) => {
      const line = batch.firstLine(position);
      const start = line.indexOf(ID_MEMBER) + ID_MEMBER.length;
      return line.slice(start, line.indexOf(INDEX_MEMBER, start));
    };
    const documents: HashedDocuments = { count, hashes, deletions, key };
    const sent = this.#hashes.take(documents);
    const unchanged = count - sent.positions.length;
    if (unchanged > 0) this.#onUnchanged(unchanged);
    const acknowledge = (failed: Iterable<{ readonly index: number }>) =>
      this.#hashes.acknowledge(documents, sent, new Set(Array.from(failed, ({ index }) => index)));
    return { ...sent, acknowledge };
  }

  /** Counts documents that the index acknowledges without a write. */
  notWritten(documents: number): void {
    this.#hashes.notWritten(documents);
  }
}
