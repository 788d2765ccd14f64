import type { OutcomePart } from '../batch/pipeline-messages.ts';
import type { EncodedBatch } from '../component/indexer.ts';
import type { EncodedDocuments, EncodedSlice } from '../failures/encoded-documents.ts';

/** A slice of a part: documents `[from, to)`. */
export interface Slice extends EncodedSlice {
  readonly part: OutcomePart;
}

/** The documents of slices, as the indexer receives them. */
export function encodedBatch(
  slices: readonly Slice[],
  documents: EncodedDocuments,
  pipeline: string,
  originOf: (sequence: number) => unknown,
  keep: (positions: readonly number[]) => void,
): EncodedBatch {
  return {
    count: countOf(slices),
    pieces: slices.map((slice) => slice.bytes),
    lengths: () => lengthsOf(slices),
    hashes: () => hashesOf(slices),
    ids: () => documents.ids,
    keep,
    pipeline,
    origins: () => slices.map(({ part }) => originOf(part.sequence)),
  };
}

/** The number of documents. */
export function countOf(slices: readonly Slice[]): number {
  return slices.reduce((count, { from, to }) => count + to - from, 0);
}

function lengthsOf(slices: readonly Slice[]): Uint32Array {
  const lengths = slices.map(({ part, from, to }) => part.lengths?.subarray(from, to) ?? new Uint32Array());
  if (lengths.length === 1) return lengths[0] as Uint32Array;
  const all = new Uint32Array(lengths.reduce((count, { length }) => count + length, 0));
  let at = 0;
  for (const some of lengths) {
    all.set(some, at);
    at += some.length;
  }
  return all;
}

function hashesOf(slices: readonly Slice[]): Uint8Array {
  const hashes = slices.map(({ part, from, to }) => {
    const { hashes: all = new Uint8Array(), count } = part;
    const size = all.length / count;
    return all.subarray(from * size, to * size);
  });
  return hashes.length === 1 ? (hashes[0] as Uint8Array) : Buffer.concat(hashes);
}

/** The approximate memory of a part that waits for its turn, in bytes. */
export function sizeOf({ bytes, ids, lengths, hashes, failures }: OutcomePart): number {
  const rest = (lengths?.byteLength ?? 0) + (hashes?.byteLength ?? 0);
  return 1024 + bytes.byteLength + 2 * ids.length + rest + 500 * failures.length;
}
