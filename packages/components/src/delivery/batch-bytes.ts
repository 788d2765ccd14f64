import type { EncodedBatch } from '@headrace/engine';

/** Provides the bytes of each document of a batch. */
export class BatchBytes {
  readonly count: number;
  readonly #bytes: Buffer;
  /** The start of each document, and the end of the last one. */
  readonly #offsets: Uint32Array;

  constructor(batch: Pick<EncodedBatch, 'count' | 'pieces' | 'lengths'>) {
    this.count = batch.count;
    const [first] = batch.pieces;
    this.#bytes =
      batch.pieces.length === 1 && first !== undefined
        ? Buffer.from(first.buffer, first.byteOffset, first.byteLength)
        : Buffer.concat(batch.pieces);
    const lengths = batch.lengths();
    this.#offsets = new Uint32Array(this.count + 1);
    for (let i = 0; i < this.count; i++) {
      this.#offsets[i + 1] = (this.#offsets[i] as number) + (lengths[i] as number);
    }
  }

  /** Returns the number of bytes of a document. */
  length(position: number): number {
    return this.#end(position) - this.#start(position);
  }

  /** Returns the bytes of a document without a copy. */
  document(position: number): Buffer {
    return this.#bytes.subarray(this.#start(position), this.#end(position));
  }

  /** Returns the first line of a document without its line end, as Latin-1: use it only for comparisons and ASCII. */
  firstLine(position: number): string {
    const start = this.#start(position);
    const end = this.#bytes.indexOf(10, start);
    return this.#bytes.toString('latin1', start, end < 0 ? this.#end(position) : end);
  }

  /** Parses the first line of a document as JSON. */
  firstJson(position: number): unknown {
    return JSON.parse(Buffer.from(this.firstLine(position), 'latin1').toString());
  }

  /** Returns the bytes after the first line, without the last line end and without a copy. */
  rest(position: number): Buffer {
    const end = this.#end(position) - 1;
    const first = this.#bytes.indexOf(10, this.#start(position));
    return this.#bytes.subarray(Math.min(first + 1, end), end);
  }

  /** Returns the bytes of some documents, in ascending order. */
  join(positions: readonly number[]): Buffer {
    const runs: Buffer[] = [];
    for (let i = 0; i < positions.length; ) {
      const from = positions[i] as number;
      let to = from;
      do to++;
      while (positions[++i] === to);
      runs.push(this.#bytes.subarray(this.#start(from), this.#start(to)));
    }
    return runs.length === 1 ? (runs[0] as Buffer) : Buffer.concat(runs);
  }

  #start(position: number): number {
    return this.#offsets[position] as number;
  }

  #end(position: number): number {
    return this.#offsets[position + 1] as number;
  }
}
