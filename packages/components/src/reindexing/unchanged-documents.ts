import { HASH_WORDS } from './content-hash.ts';
import type { DocumentHashes, HashedDocuments, SentDocuments } from './document-hashes.ts';
import { wordsOf } from './known-hashes.ts';

const ID_MEMBER = '"_id":';
const INDEX_MEMBER = ',"_index":';

/** A batch of documents of a bulk request, with the hashes of `ContentHasher`. */
export interface BulkDocuments {
  readonly count: number;
  readonly hashes: Uint8Array;
  /** Returns the first line of a document, its action, as Latin-1, without the line end. */
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
    const { count, hashes } = batch;
    const words = wordsOf(hashes);
    const deletions = new Set<number>();
    for (let i = 0; i < count; i++) {
      let any = 0;
      for (let at = i * HASH_WORDS; at < (i + 1) * HASH_WORDS; at++) any |= words[at] as number;
      if (any === 0) deletions.add(i);
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
