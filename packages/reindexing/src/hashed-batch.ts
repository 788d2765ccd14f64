import { ANY_RUN, HASH_DIGITS } from './content-hash.ts';
import type { BulkDocuments } from './unchanged-documents.ts';

const LF = 10;
const RUN_MEMBER = Buffer.from('"run_id":');
const ANY_RUN_MEMBER = Buffer.from(`${RUN_MEMBER}${JSON.stringify(ANY_RUN)}`);

/** The bytes of encoded documents, as an indexer receives them. */
interface Batch {
  readonly count: number;
  /** The bytes of the documents, concatenated and cut at any position. */
  readonly pieces: readonly Uint8Array[];
  /** Returns the number of bytes of each document. */
  lengths(): Uint32Array;
  ids(): readonly string[];
}

/** A batch of documents of `withHash`. Copies only the documents that are sent, which are usually few. */
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
    const start = piece.indexOf(LF, this.start(position) + HASH_DIGITS) + 1;
    return piece.toString('latin1', start, piece.indexOf(LF, start));
  }

  /** Returns a copy of the documents at some positions, as they are sent: without their hashes, with their `run_id`. */
  documents(positions: readonly number[]): B {
    const pieces: Buffer[] = [];
    const lengths = new Uint32Array(positions.length);
    positions.forEach((position, i) => {
      for (const piece of this.#document(position)) {
        pieces.push(piece);
        lengths[i] = (lengths[i] as number) + piece.length;
      }
    });
    return {
      ...this.#batch,
      count: positions.length,
      pieces: [Buffer.concat(pieces)],
      lengths: () => lengths,
      ids: () => {
        const ids = this.#batch.ids();
        return positions.map((position) => ids[position] as string);
      },
    };
  }

  /** Returns the pieces of a document as it is sent. */
  #document(position: number): Buffer[] {
    const start = this.start(position);
    const all = this.bytes(position).subarray(start + HASH_DIGITS, start + (this.#lengths[position] as number));
    const line = all.indexOf(LF);
    const document = all.subarray(line + 1);
    const at = line === 0 ? -1 : document.indexOf(ANY_RUN_MEMBER);
    if (at < 0) return [document];
    const before = document.subarray(0, at + RUN_MEMBER.length);
    return [before, all.subarray(0, line), document.subarray(at + ANY_RUN_MEMBER.length)];
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
