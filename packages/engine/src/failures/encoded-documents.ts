import type { ModuleReference } from '../component/connector.ts';
import type { FailureBudget } from './failure-budget.ts';
import type { Content } from './kept-failure.ts';

/**
 * Returns a key for an encoder and its options. Encoded documents can only be sent to an indexer with the same encoder.
 */
export function encodingOf(encoder: ModuleReference | undefined): string {
  if (encoder === undefined) return 'none';
  const { name, options } = encoder;
  // Loaded when needed, because loading takes 7 ms and few runs have failures.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256')
    .update(JSON.stringify([name, options]))
    .digest('hex')
    .slice(0, 16);
}

/** The documents from `from` to `to` (exclusive) of an encoded part, and their bytes. */
export interface EncodedSlice {
  readonly part: {
    /** The ids of all documents of the part, as a JSON list. */
    readonly ids: string;
    /** The length of each document in bytes. Undefined for a streaming indexer. */
    readonly lengths: Uint32Array | undefined;
  };
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array;
}

/**
 * Gives access to single documents of an encoded batch, for documents that failed. Computes nothing before the first
 * access.
 */
export class EncodedDocuments {
  readonly #slices: readonly EncodedSlice[];
  #knownIds: readonly string[] | undefined;
  #offsets: Map<EncodedSlice, Uint32Array> | undefined;
  /** Copies of the documents at some positions, if the bytes of the others were freed. */
  #kept: Map<number, Uint8Array> | undefined;

  constructor(slices: readonly EncodedSlice[]) {
    this.#slices = slices;
  }

  /** The ids of the documents. For a streaming indexer, only the first id of each slice. */
  get ids(): readonly string[] {
    this.#knownIds ??= this.#slices.flatMap(({ part, from, to }) => (JSON.parse(part.ids) as string[]).slice(from, to));
    return this.#knownIds;
  }

  /**
   * Copies the documents at these positions. The bytes of all slices may then be freed. Returns the number of copied
   * bytes.
   */
  keep(positions: readonly number[]): number {
    const kept = new Map<number, Uint8Array>();
    let length = 0;
    for (const position of positions) {
      const bytes = this.#bytesOf(position)?.slice() ?? new Uint8Array();
      length += bytes.length;
      kept.set(position, bytes);
    }
    this.#kept = kept;
    this.#offsets = undefined;
    return length;
  }

  /** Returns a document in its encoded form, or the reason why it is not stored. */
  content(index: number, encoding: string, budget: FailureBudget): Content {
    const bytes = this.#kept === undefined ? this.#bytesOf(index) : this.#kept.get(index);
    if (bytes === undefined) {
      return {
        omitted:
          this.#kept === undefined
            ? 'The indexer writes documents as a stream: single documents are not stored'
            : 'The document has not changed and was not sent',
      };
    }
    const omitted = budget.take(bytes.byteLength);
    if (omitted !== undefined) return { omitted };
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    return { document: { kind: 'encoded', text, encoding } };
  }

  /** Returns the bytes of a document, without a copy. Returns undefined for a streaming indexer. */
  #bytesOf(index: number): Uint8Array | undefined {
    let at = index;
    for (const slice of this.#slices) {
      const count = slice.to - slice.from;
      if (at < count) {
        const offsets = this.#offsetsOf(slice);
        return offsets && slice.bytes.subarray(offsets[at], offsets[at + 1]);
      }
      at -= count;
    }
    throw new RangeError(`There is no document ${index} in the batch`);
  }

  /** Returns the start offset of each document in a slice, and the end of the last one. */
  #offsetsOf(slice: EncodedSlice): Uint32Array | undefined {
    this.#offsets ??= new Map();
    const known = this.#offsets.get(slice);
    if (known !== undefined) return known;
    const { part, from, to } = slice;
    if (part.lengths === undefined) return undefined;
    const offsets = new Uint32Array(to - from + 1);
    for (let i = from; i < to; i++) offsets[i - from + 1] = (offsets[i - from] as number) + (part.lengths[i] as number);
    this.#offsets.set(slice, offsets);
    return offsets;
  }
}
