/** A frame that `BatchEncoder` wrote. */
export interface Frame {
  readonly partition: number;
  /** The number of documents. */
  readonly count: number;
  /** The bytes of the frame, with its first line. */
  readonly bytes: Buffer;
  /** The bytes after the first line. */
  readonly payload: Buffer;
}

const LF = 10;
/** Tables of the engine are much smaller. A larger number does not come from Headrace, and could fill the memory. */
const MAX_COUNT = 1_000_000;

/** Finds the frames in a buffer. They share its memory. Throws if the bytes are not frames. */
export function* readFrames(bytes: Uint8Array): Generator<Frame> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < buffer.length; ) {
    const lineEnd = buffer.indexOf(LF, at);
    const [partition, count, length] = buffer.toString('latin1', at, lineEnd).split('\t').map(Number);
    const end = lineEnd + 1 + (length as number);
    if (lineEnd < 0 || !(end > lineEnd && end <= buffer.length) || !isCount(count)) {
      throw new Error(`The message is not a batch of documents, or is truncated at byte ${at}`);
    }
    yield {
      partition: partition as number,
      count,
      bytes: buffer.subarray(at, end),
      payload: buffer.subarray(lineEnd + 1, end),
    };
    at = end;
  }
}

/** Returns true if a message or a frame may have so many documents. Other programs may write any number. */
export function isCount(count: unknown): count is number {
  return Number.isInteger(count) && (count as number) > 0 && (count as number) <= MAX_COUNT;
}
