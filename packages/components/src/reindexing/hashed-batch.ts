import type { BulkDocuments } from './unchanged-documents.ts';

const LF = 10;

/** The bytes of encoded documents with hashes, as an indexer receives them. */
interface Batch {
  readonly count: number;
  /** The bytes of the documents, concatenated and cut at any position. */
  readonly pieces: readonly Uint8Array[];
  /** Returns the number of bytes of each document. */
  lengths(): Uint32Array;
  ids(): readonly string[];
  hashes?(): Uint8Array;
}

/** A batch of documents with the hashes of `ContentHasher`. Copies only the documents that are sent, which are usually few. */
export class HashedBatch<B extends Batch> implements BulkDocuments {
  readonly count: number;
  readonly hashes: Uint8Array;
  readonly #batch: B;
  readonly #lengths: Uint32Array;
  /** The piece with each document, and where it starts there. */
  readonly #pieces: Buffer[] = [];
  readonly #starts: Uint32Array;

  constructor(batch: B) {
    this.count = batch.count;
    this.hashes = batch.hashes?.() ?? new Uint8Array();
    this.#batch = batch;
    this.#lengths = batch.lengths();
    this.#starts = new Uint32Array(this.count);
    const pieces = batch.pieces.map((piece) => Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    if (!this.#find(pieces)) this.#find([Buffer.concat(pieces)]);
  }

  firstLine(position: number): string {
    const document = this.#document(position);
    return document.toString('latin1', 0, document.indexOf(LF));
  }

  /** Returns a copy of the documents at some positions. */
  documents(positions: readonly number[]): B {
    const pieces = [Buffer.concat(positions.map((position) => this.#document(position)))];
    const lengths = Uint32Array.from(positions, (position) => this.#lengths[position] as number);
    return {
      ...this.#batch,
      count: positions.length,
      pieces,
      lengths: () => lengths,
      ids: () => {
        const ids = this.#batch.ids();
        return positions.map((position) => ids[position] as string);
      },
    };
  }

  #document(position: number): Buffer {
    const start = this.#starts[position] as number;
    return (this.#pieces[position] as Buffer).subarray(start, start + (this.#lengths[position] as number));
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
