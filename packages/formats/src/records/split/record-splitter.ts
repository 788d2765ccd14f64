import type { ByteSource } from './byte-source.ts';
import { UntilFailure } from './until-failure.ts';

/**
 * The approximate size of a piece. It is so large that the cost of a message between threads does not matter. Twice the
 * size is not faster, and takes 10 to 25 MiB more: several pieces and their output are in progress in each thread.
 */
const PIECE_BYTES = 512 * 1024;
/** The size of the first buffer. It is small, because many sources are small. */
const FIRST_BYTES = 64 * 1024;
/** The maximum size of a record. A record is in memory as a whole, several times. */
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/** The position of a record in its source. */
export interface RecordPlace {
  /** The number of bytes before it. */
  readonly byte: number;
  /** The number of records before it. */
  readonly record: number;
  /** The line of its first byte, counted from 1. */
  readonly line: number;
}

/** The parts of a source. `place` is the position of the first record, `next` the one after the last record. */
export type SourcePart =
  /**
   * Whole records. The receiver owns the memory. The last part may contain no record, only what is between records.
   */
  | {
      readonly kind: 'records';
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly place: RecordPlace;
      readonly next: RecordPlace;
    }
  /** A record above the limit, which was skipped. `cutOff` is true if the source ended before the record did. */
  | {
      readonly kind: 'too-long';
      readonly limit: number;
      readonly place: RecordPlace;
      readonly next: RecordPlace;
      readonly cutOff: boolean;
    }
  /** The last record, which is incomplete because the source ended. */
  | { readonly kind: 'unfinished'; readonly bytes: Uint8Array<ArrayBuffer>; readonly place: RecordPlace };

/** Finds the ends of records in one pass over bytes that arrive in pieces. */
export interface RecordScanner {
  /** The number of finished records. */
  readonly records: number;
  /** The line in which the last record ended or the next one begins, counted from 1. */
  readonly line: number;
  /**
   * Continues the scan over `bytes[from..to)`. The current record begins at `bytes[0]` or before `from`.
   * @param first true to stop at the first end of a record
   * @returns the offset after the last finished record (the first one if `first` is set), or -1 if no record is
   * finished
   */
  scan(bytes: Uint8Array, from: number, to: number, first: boolean): number;
  /**
   * Returns whether the source may end here: a record without a line end counts as finished, one with an open quote
   * does not.
   */
  finish(): boolean;
}

export interface SplitOptions {
  /** True to return the first record as a separate part. */
  readonly firstAlone?: boolean;
  readonly pieceBytes?: number;
  readonly maxRecordBytes?: number;
}

/**
 * Cuts a source at record ends into pieces of about 512 KiB, each with the position of its first record. The memory is
 * limited by the longest allowed record. An error of the source is thrown after the whole records before it.
 */
export async function* splitRecords(
  source: ByteSource,
  scanner: RecordScanner,
  options: SplitOptions = {},
): AsyncGenerator<SourcePart> {
  const { pieceBytes = PIECE_BYTES, maxRecordBytes = MAX_RECORD_BYTES } = options;
  let first = options.firstAlone ?? false;
  let buffer = memory(0);
  let filled = 0;
  let scanned = 0;
  let skipping = false;
  let ended = false;
  /** The number of bytes of the source before the buffer. */
  let before = 0;
  const placeAt = (byte: number): RecordPlace => ({ byte, record: scanner.records, line: scanner.line });
  let place = placeAt(0);

  /** Searches for record ends in the new bytes. Returns the complete part. */
  const cut = (): SourcePart | undefined => {
    const stop = first || skipping;
    const end = scanner.scan(buffer, scanned, filled, stop);
    if (end < 0) {
      scanned = filled;
      if (skipping) {
        // The content of a skipped record is dropped, because only its end matters.
        buffer[0] = buffer[filled - 1] as number;
        before += filled - 1;
        scanned = filled = 1;
      }
      return undefined;
    }
    before += end;
    const next = placeAt(before);
    const part: SourcePart = skipping
      ? { kind: 'too-long', limit: maxRecordBytes, place, next, cutOff: false }
      : { kind: 'records', bytes: buffer.subarray(0, end), place, next };
    const rest = buffer.subarray(end, filled);
    // A header is a small first part, and nothing follows the end of a source.
    const size = first ? Math.min(buffer.length, pieceBytes) : pieceBytes;
    buffer = memory(ended ? rest.length : Math.max(size, rest.length * 2));
    buffer.set(rest);
    filled = rest.length;
    scanned = stop ? 0 : filled;
    first = skipping = false;
    place = next;
    return part;
  };

  const input = new UntilFailure(source);
  for await (const piece of input.pieces()) {
    // Unused memory of many small files would make the garbage collector run often.
    if (buffer.length === 0) buffer = memory(Math.min(FIRST_BYTES, pieceBytes, piece.length + 1));
    for (let at = 0; at < piece.length; ) {
      const taken = Math.min(piece.length - at, buffer.length - filled);
      buffer.set(piece.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled === buffer.length && filled < pieceBytes) buffer = grown(buffer, Math.min(filled * 4, pieceBytes));
      while (filled === buffer.length || first) {
        const part = cut();
        if (part !== undefined) yield part;
        else if (filled < buffer.length) break;
        else if (buffer.length >= maxRecordBytes) skipping = true;
        else buffer = grown(buffer, Math.min(buffer.length * 2, maxRecordBytes));
      }
    }
  }
  ended = true;
  while (scanned < filled) {
    const part = cut();
    if (part !== undefined) yield part;
  }
  // What is left of a source that failed is not a whole record.
  input.throwIfAny();
  if (filled === 0) return;
  const bytes = buffer.subarray(0, filled);
  if (skipping) {
    const next = placeAt(before + filled);
    yield { kind: 'too-long', limit: maxRecordBytes, place, next, cutOff: !scanner.finish() };
  } else if (scanner.finish()) yield { kind: 'records', bytes, place, next: placeAt(before + filled) };
  else yield { kind: 'unfinished', bytes, place };
}

/** Returns new memory that is not shared and not filled with zeros, which would take twice as long. */
function memory(length: number): Uint8Array<ArrayBuffer> {
  return Buffer.allocUnsafeSlow(length);
}

function grown(buffer: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const larger = memory(length);
  larger.set(buffer);
  return larger;
}
