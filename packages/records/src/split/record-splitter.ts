import type { ByteSource } from './byte-source.ts';

/** Pieces are cut at about this size: large enough that the cost of a message between threads does not matter. */
const PIECE_BYTES = 1024 * 1024;
/** Small, because many sources are small. */
const FIRST_BYTES = 64 * 1024;
/** A longer record is refused, because it would be in memory as a whole, several times. */
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/** The position of a record in its source. */
export interface RecordPlace {
  /** How many records are before it. */
  readonly record: number;
  /** The line it begins in, counted from 1. */
  readonly line: number;
}

/** The parts of a source. */
export type SourcePart =
  /** Whole records. The memory is the receiver's. */
  | { readonly kind: 'records'; readonly bytes: Uint8Array<ArrayBuffer>; readonly place: RecordPlace }
  /** A record above the limit, which was skipped. `cutOff`: the source ended before the record did. */
  | { readonly kind: 'too-long'; readonly limit: number; readonly place: RecordPlace; readonly cutOff: boolean }
  /** The last record, which is incomplete at the end of the source. */
  | { readonly kind: 'unfinished'; readonly bytes: Uint8Array<ArrayBuffer>; readonly place: RecordPlace };

/** Finds the ends of records, in one pass over bytes that arrive in pieces. */
export interface RecordScanner {
  /** Finished records so far. */
  readonly records: number;
  /** The line in which the last of them ended or the next begins, counted from 1. */
  readonly line: number;
  /**
   * Continues over `bytes[from..to)`; the current record begins at `bytes[0]` or before `from`.
   * @param first stop at the first end of a record
   * @returns the offset after the last finished record (the first one, if `first` is set); -1 if none is finished
   */
  scan(bytes: Uint8Array, from: number, to: number, first: boolean): number;
  /**
   * Returns whether the source may end here: a record without a line end counts as finished, one with an open quote
   * does not.
   */
  finish(): boolean;
}

export interface SplitOptions {
  /** Returns the first record as a separate part. */
  readonly firstAlone?: boolean;
  readonly pieceBytes?: number;
  readonly maxRecordBytes?: number;
}

/**
 * Cuts a source at ends of records into pieces of about a MiB, each with the position of its first record. Memory is
 * limited by the longest allowed record.
 */
export async function* splitRecords(
  source: ByteSource,
  scanner: RecordScanner,
  options: SplitOptions = {},
): AsyncGenerator<SourcePart> {
  const { pieceBytes = PIECE_BYTES, maxRecordBytes = MAX_RECORD_BYTES } = options;
  let first = options.firstAlone ?? false;
  let buffer = memory(Math.min(FIRST_BYTES, pieceBytes));
  let filled = 0;
  let scanned = 0;
  let skipping = false;
  let ended = false;
  let place: RecordPlace = { record: scanner.records, line: scanner.line };

  /** Looks for record ends in the new bytes; returns the complete part. */
  const cut = (): SourcePart | undefined => {
    const stop = first || skipping;
    const end = scanner.scan(buffer, scanned, filled, stop);
    if (end < 0) {
      scanned = filled;
      if (skipping) {
        // The content of the record is dropped: only its end matters.
        buffer[0] = buffer[filled - 1] as number;
        scanned = filled = 1;
      }
      return undefined;
    }
    const part: SourcePart = skipping
      ? { kind: 'too-long', limit: maxRecordBytes, place, cutOff: false }
      : { kind: 'records', bytes: buffer.subarray(0, end), place };
    const rest = buffer.subarray(end, filled);
    // A header is cut off long before a piece is full, and nothing follows the end of a source.
    const size = first ? Math.min(buffer.length, pieceBytes) : pieceBytes;
    buffer = memory(ended ? rest.length : Math.max(size, rest.length * 2));
    buffer.set(rest);
    filled = rest.length;
    scanned = stop ? 0 : filled;
    first = skipping = false;
    place = { record: scanner.records, line: scanner.line };
    return part;
  };

  for await (const piece of source) {
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
  if (skipping) yield { kind: 'too-long', limit: maxRecordBytes, place, cutOff: !scanner.finish() };
  else if (filled > 0)
    yield { kind: scanner.finish() ? 'records' : 'unfinished', bytes: buffer.subarray(0, filled), place };
}

/** New memory that is not shared. It is not filled with zeros, which would take twice as long. */
function memory(length: number): Uint8Array<ArrayBuffer> {
  return Buffer.allocUnsafeSlow(length);
}

function grown(buffer: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const larger = memory(length);
  larger.set(buffer);
  return larger;
}
