/** A frame of `BatchEncoder`. */
export interface Frame {
  readonly partition: number;
  /** How many documents. */
  readonly count: number;
  /** All of it, with its first line. */
  readonly bytes: Buffer;
  /** What comes after its first line. */
  readonly payload: Buffer;
}

const LF = 10;
/** Tables of the engine are much smaller. A larger number is not ours, and could fill the memory. */
const MAX_COUNT = 1_000_000;

/** The frames in some bytes, which share their memory. Throws if the bytes are something else. */
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
      count: count as number,
      bytes: buffer.subarray(at, end),
      payload: buffer.subarray(lineEnd + 1, end),
    };
    at = end;
  }
}

function isCount(count: number | undefined): boolean {
  return Number.isInteger(count) && (count as number) > 0 && (count as number) <= MAX_COUNT;
}
