import type { IndexFailure } from '@headrace/engine';
import { readFrames } from '../wire/frames.ts';

/** Frames of one partition, joined into the value of one message. */
export interface PartitionBatch {
  readonly partition: number;
  readonly value: Buffer;
  /** The number of documents. */
  readonly count: number;
  /** The positions of its documents in the encoded batch: ranges `[from, to)`. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

interface Open {
  frames: Buffer[];
  bytes: number;
  count: number;
  ranges: [number, number][];
}

/**
 * Sorts the frames of `BatchEncoder` by partition, and joins them into message values. A value is larger than
 * `maxBytes` only if it has a single frame.
 * @param first the position of the first document in the batch
 */
export function partitionBatches(piece: Uint8Array, first: number, maxBytes: number): PartitionBatch[] {
  const batches: PartitionBatch[] = [];
  const open = new Map<number, Open>();
  const close = (partition: number, { frames, count, ranges }: Open) =>
    batches.push({
      partition,
      value: frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames),
      count,
      ranges,
    });
  let position = first;
  for (const { partition, count, bytes } of readFrames(piece)) {
    let batch = open.get(partition);
    if (batch !== undefined && batch.bytes + bytes.length > maxBytes) {
      close(partition, batch);
      batch = undefined;
    }
    if (batch === undefined) {
      batch = { frames: [], bytes: 0, count: 0, ranges: [] };
      open.set(partition, batch);
    }
    batch.frames.push(bytes);
    batch.bytes += bytes.length;
    batch.count += count;
    batch.ranges.push([position, position + count]);
    position += count;
  }
  for (const [partition, batch] of open) close(partition, batch);
  return batches;
}

/** Returns the failures of all documents of a message that could not be written. */
export function failuresOf({ ranges }: PartitionBatch, message: string): IndexFailure[] {
  return ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => ({ index: from + i, message })));
}
