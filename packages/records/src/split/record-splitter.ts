import type { ByteSource } from './byte-source.ts';

/** Pieces are cut at about this size: large enough that a message between threads costs nothing beside its content. */
const PIECE_BYTES = 1024 * 1024;
/** Many sources are small: the first buffer is, too. */
const FIRST_BYTES = 64 * 1024;
/** A longer record is refused: it would have to be held in memory as a whole, several times over. */
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/** Where a record stands in its source. */
export interface RecordPlace {
  /** How many records come before it. */
  readonly record: number;
  /** The line it begins in, counted from 1. */
  readonly line: number;
}

/** What a source is made of. */
export type SourcePart =
  /** Whole records. The memory is the receiver's. */
  | { readonly kind: 'records'; readonly bytes: Uint8Array<ArrayBuffer>; readonly place: RecordPlace }
  /** A record above the limit: it was skipped. `cutOff`: the source ended before the record did. */
  | { readonly kind: 'too-long'; readonly limit: number; readonly place: RecordPlace; readonly cutOff: boolean }
  /** The last record, which the end of the source has cut off. */
  | { readonly kind: 'unfinished'; readonly bytes: Uint8Array<ArrayBuffer>; readonly place: RecordPlace };

/** Finds the ends of records, in one pass over bytes that arrive bit by bit. */
export interface RecordScanner {
  /** Records that have ended so far. */
  readonly records: number;
  /** The line in which the last of them ended or the next begins, counted from 1. */
  readonly line: number;
  /**
   * Goes on over `bytes[from..to)`; the record that is under way begins at `bytes[0]` or stands before `from`.
   * @param first stop at the first end of a record
   * @returns the offset behind the last record (the first one, if asked for) that ended; -1 when none did
   */
  scan(bytes: Uint8Array, from: number, to: number, first: boolean): number;
  /** Whether the source may end here: a record without a line end counts as ended, one with an open quote does not. */
  finish(): boolean;
}

export interface SplitOptions {
  /** Give the first record as a part of its own. */
  readonly firstAlone?: boolean;
  readonly pieceBytes?: number;
  readonly maxRecordBytes?: number;
}

/**
 * Cuts a source at ends of records into pieces of about a MiB, each with the place of its first record. Memory is
 * bounded by the longest record that is allowed.
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

  /** Looks for ends in what has not been looked at; gives the part that is complete. */
  const cut = (): SourcePart | undefined => {
    const stop = first || skipping;
    const end = scanner.scan(buffer, scanned, filled, stop);
    if (end < 0) {
      scanned = filled;
      if (skipping) {
        // The content of the record is not kept: only its end is looked for.
        buffer[0] = buffer[filled - 1] as number;
        scanned = filled = 1;
      }
      return undefined;
    }
    const part: SourcePart = skipping
      ? { kind: 'too-long', limit: maxRecordBytes, place, cutOff: false }
      : { kind: 'records', bytes: buffer.subarray(0, end), place };
    const rest = buffer.subarray(end, filled);
    // A header is cut off long before a piece is full, and behind the end of a source nothing comes.
    const room = first ? Math.min(buffer.length, pieceBytes) : pieceBytes;
    buffer = memory(ended ? rest.length : Math.max(room, rest.length * 2));
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

/** Memory that is not shared with anything; filled with zeros it would take twice as long. */
function memory(length: number): Uint8Array<ArrayBuffer> {
  return Buffer.allocUnsafeSlow(length);
}

function grown(buffer: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const larger = memory(length);
  larger.set(buffer);
  return larger;
}
