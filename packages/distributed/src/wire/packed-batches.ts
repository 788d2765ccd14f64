import { type IndexFailure, parseJson, release } from '@headrace/engine';
import { compress } from './compression.ts';
import { readFrames } from './frames.ts';

/** Documents of one partition: the value of one message. */
export interface PartitionBatch {
  readonly partition: number;
  /** The frames of the documents, compressed. */
  readonly value: Buffer;
  /** The lengths of the separately compressed pieces of the value, if there are several. */
  readonly pieces?: readonly number[];
  /** The number of bytes before the compression. */
  readonly bytes: number;
  /** The number of documents. */
  readonly count: number;
  /** The positions of its documents in the encoded batch: ranges `[from, to)`. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

/** The line before each value of a packed piece. `length` is the number of bytes of the value. */
type Head = Omit<PartitionBatch, 'value'> & { readonly length: number };

/** A frame, and the position of its first document in the piece. */
interface PlacedFrame {
  readonly count: number;
  readonly bytes: Buffer;
  readonly position: number;
}

/** The frames of one partition that become one value. */
interface Open {
  frames: PlacedFrame[];
  bytes: number;
}

/**
 * How much larger than a request a batch may be before its compression. A publisher reads files in chunks of 1 MiB.
 * Without this, each chunk would become a message of 1 MB and a second, small one.
 */
const BEFORE_COMPRESSION = 1.5;

const LF = 10;

/**
 * Sorts the frames of `BatchEncoder` by partition, and joins and compresses them to the values of messages. This
 * happens in the pipeline threads, so the thread that writes the messages handles a quarter of the bytes. A value has
 * more than `maxBytes` only if it has a single frame.
 */
export function pack(piece: Uint8Array, maxBytes: number): Uint8Array<ArrayBuffer> {
  const packed: Buffer[] = [];
  const open = new Map<number, Open>();
  const close = (partition: number, frames: readonly PlacedFrame[]) => {
    const whole =
      frames.length === 1 ? (frames[0] as PlacedFrame).bytes : Buffer.concat(frames.map(({ bytes }) => bytes));
    const value = compress(whole);
    if (value !== whole && frames.length > 1) release(whole);
    if (value.length > maxBytes && frames.length > 1) {
      release(value);
      const half = frames.length >> 1;
      close(partition, frames.slice(0, half));
      close(partition, frames.slice(half));
      return;
    }
    packed.push(Buffer.from(`${JSON.stringify(headOf(partition, frames, value.length))}\n`), value);
  };
  let position = 0;
  for (const { partition, count, bytes } of readFrames(piece)) {
    let batch = open.get(partition);
    if (batch !== undefined && batch.bytes + bytes.length > maxBytes * BEFORE_COMPRESSION) {
      close(partition, batch.frames);
      batch = undefined;
    }
    if (batch === undefined) {
      batch = { frames: [], bytes: 0 };
      open.set(partition, batch);
    }
    batch.frames.push({ count, bytes, position });
    batch.bytes += bytes.length;
    position += count;
  }
  for (const [partition, { frames }] of open) close(partition, frames);
  const result = new Uint8Array(packed.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of packed) {
    result.set(part, at);
    at += part.length;
    // An uncompressed value shares the memory of the piece.
    if (part.buffer !== piece.buffer) release(part);
  }
  return result;
}

function headOf(partition: number, frames: readonly PlacedFrame[], length: number): Head {
  const ranges: [number, number][] = [];
  for (const { count, position } of frames) {
    const last = ranges.at(-1);
    if (last?.[1] === position) last[1] += count;
    else ranges.push([position, position + count]);
  }
  const bytes = frames.reduce((sum, frame) => sum + frame.bytes.length, 0);
  const count = frames.reduce((sum, frame) => sum + frame.count, 0);
  return { partition, bytes, count, ranges, length };
}

/**
 * Returns the batches of a packed piece. Their values share its memory.
 * @param first the position of the first document of the piece in the encoded batch
 */
export function unpack(piece: Uint8Array, first: number): PartitionBatch[] {
  const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  const batches: PartitionBatch[] = [];
  for (let at = 0; at < buffer.length; ) {
    const lineEnd = buffer.indexOf(LF, at);
    const { length, ranges, ...rest } = parseJson(buffer.toString('latin1', at, lineEnd)) as Head;
    at = lineEnd + 1 + length;
    const value = buffer.subarray(lineEnd + 1, at);
    batches.push({ ...rest, value, ranges: ranges.map(([from, to]) => [first + from, first + to] as const) });
  }
  return batches;
}

/**
 * Joins batches of the same partition, up to `maxBytes`. Each message costs about a millisecond, so small batches of
 * many partitions would take longer than their documents.
 */
export function joinBatches(batches: readonly PartitionBatch[], maxBytes: number): PartitionBatch[] {
  const open = new Map<number, PartitionBatch[]>();
  const joined: PartitionBatch[] = [];
  for (const batch of batches) {
    const some = open.getOrInsertComputed(batch.partition, () => []);
    const bytes = some.reduce((sum, { bytes }) => sum + bytes, batch.bytes);
    const length = some.reduce((sum, { value }) => sum + value.length, batch.value.length);
    if (bytes > maxBytes * BEFORE_COMPRESSION || length > maxBytes) joined.push(...joinAll(some.splice(0)));
    some.push(batch);
  }
  for (const some of open.values()) joined.push(...joinAll(some));
  return joined;
}

function joinAll(batches: readonly PartitionBatch[]): PartitionBatch[] {
  const [first] = batches;
  if (first === undefined || batches.length === 1) return [...batches];
  const pieces = batches.map(({ value }) => value.length);
  return [
    {
      partition: first.partition,
      value: Buffer.concat(batches.map(({ value }) => value)),
      pieces,
      bytes: batches.reduce((sum, { bytes }) => sum + bytes, 0),
      count: batches.reduce((sum, { count }) => sum + count, 0),
      ranges: batches.flatMap(({ ranges }) => ranges),
    },
  ];
}

/** Returns the failures of all documents of a message that could not be written. */
export function failuresOf({ ranges }: PartitionBatch, message: string): IndexFailure[] {
  return ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => ({ index: from + i, message })));
}
