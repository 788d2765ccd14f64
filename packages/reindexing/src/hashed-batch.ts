import { HASH_DIGITS } from './content-hash.ts';
import type { BulkDocuments } from './unchanged-documents.ts';

const LF = 10;

/** The bytes of encoded documents, as an indexer receives them. */
interface Batch {
  readonly count: number;
  /** The bytes of the documents, concatenated and cut at any position. */
  readonly pieces: readonly Uint8Array[];
  /** Returns the number of bytes of each document. */
  lengths(): Uint32Array;
  ids(): readonly string[];
}

/** A batch of documents of `contentHasher`. Copies only the documents that are sent, which are usually few. */
export class HashedBatch<B extends Batch> implements BulkDocuments {
  readonly count: number;
  readonly #batch: B;
  readonly #lengths: Uint32Array;
  /** The piece with each document, and where it starts there. */
  readonly #pieces: Buffer[] = [];
  readonly #starts: Uint32Array;

  constructor(batch: B) {
    this.count = batch.count;
    this.#batch = batch;
    this.#lengths = batch.lengths();
    this.#starts = new Uint32Array(this.count);
    const pieces = batch.pieces.map((piece) => Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    if (!this.#find(pieces)) this.#find([Buffer.concat(pieces)]);
  }

  bytes(position: number): Buffer {
    return this.#pieces[position] as Buffer;
  }

  start(position: number): number {
    return this.#starts[position] as number;
  }

  firstLine(position: number): string {
    const piece = this.bytes(position);
    const start = this.start(position) + HASH_DIGITS;
    return piece.toString('latin1', start, piece.indexOf(LF, start));
  }

  /** Returns a batch with the documents at some positions, without their hashes. */
  documents(positions: readonly number[]): B {
    const documents = positions.map((position) => {
      const start = this.start(position);
      return this.bytes(position).subarray(start + HASH_DIGITS, start + (this.#lengths[position] as number));
    });
    return {
      ...this.#batch,
      count: positions.length,
      pieces: documents,
      lengths: () => Uint32Array.from(documents, ({ length }) => length),
      ids: () => {
        const ids = this.#batch.ids();
        return positions.map((position) => ids[position] as string);
      },
    };
  }

  /** Finds all documents in pieces. Returns false if one document is in two pieces. */
  #find(pieces: readonly Buffer[]): boolean {
    let piece = -1;
    let at = 0;
    let end = 0;
    for (let i = 0; i < this.count; i++) {
      while (at === end) {
        at = 0;
        end = pieces[++piece]?.length ?? -1;
      }
      this.#pieces[i] = pieces[piece] as Buffer;
      this.#starts[i] = at;
      at += this.#lengths[i] as number;
      if (at > end) return false;
    }
    return true;
  }
}
