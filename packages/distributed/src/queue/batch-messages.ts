import type { IndexFailure } from '@headrace/engine';

/** Lines of one partition, as the value of a message. */
export interface PartitionBatch {
  readonly partition: number;
  readonly value: Buffer;
  /** How many documents. */
  readonly count: number;
  /** The positions of its documents in the encoded batch: ranges `[from, to)`. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

interface Open {
  lines: Buffer[];
  bytes: number;
  count: number;
  ranges: [number, number][];
}

const LF = 10;
const TAB = 9;

/**
 * Sorts the lines of `BatchEncoder` by partition, and joins them to values of messages. No value is larger than
 * `maxBytes`, unless a single line is.
 * @param first the position of the first document in the batch
 */
export function partitionBatches(piece: Uint8Array, first: number, maxBytes: number): PartitionBatch[] {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  const batches: PartitionBatch[] = [];
  const open = new Map<number, Open>();
  const close = (partition: number, { lines, count, ranges }: Open) =>
    batches.push({ partition, value: Buffer.concat(lines), count, ranges });
  let position = first;
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(LF, at) + 1;
    const partitionEnd = bytes.indexOf(TAB, at);
    const countEnd = bytes.indexOf(TAB, partitionEnd + 1);
    const partition = Number(bytes.toString('latin1', at, partitionEnd));
    const count = Number(bytes.toString('latin1', partitionEnd + 1, countEnd));
    const line = bytes.subarray(countEnd + 1, end);
    let batch = open.get(partition);
    if (batch !== undefined && batch.bytes + line.length > maxBytes) {
      close(partition, batch);
      batch = undefined;
    }
    if (batch === undefined) {
      batch = { lines: [], bytes: 0, count: 0, ranges: [] };
      open.set(partition, batch);
    }
    batch.lines.push(line);
    batch.bytes += line.length;
    batch.count += count;
    batch.ranges.push([position, position + count]);
    position += count;
    at = end;
  }
  for (const [partition, batch] of open) close(partition, batch);
  return batches;
}

/** The failures of all documents of a message that could not be written. */
export function failuresOf({ ranges }: PartitionBatch, message: string): IndexFailure[] {
  return ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => ({ index: from + i, message })));
}
