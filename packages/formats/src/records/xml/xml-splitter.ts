import type { ByteSource } from '../split/byte-source.ts';
import { UntilFailure } from '../split/until-failure.ts';
import type { XmlRecord } from './xml-record.ts';
import type { XmlRecordFinder } from './xml-record-finder.ts';
import { XmlScanner } from './xml-scanner.ts';
import { XmlSyntaxError } from './xml-syntax-error.ts';

/** Pieces are cut at about this size, as those of other formats. */
const PIECE_BYTES = 512 * 1024;
const FIRST_BYTES = 16 * 1024;
/** A longer record is refused, because it would be in memory as a whole, several times. */
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

/** The parts of XML for a reader of records. */
export type XmlPart =
  /** Whole records, packed. The memory is the receiver's. */
  | { readonly kind: 'records'; readonly bytes: Uint8Array; readonly records: readonly XmlRecord[] }
  /** A record with an error, which was skipped. */
  | { readonly kind: 'bad'; readonly line: number; readonly error: XmlSyntaxError }
  /** A record above the limit, which was skipped. */
  | { readonly kind: 'too-long'; readonly limit: number; readonly line: number };

export interface XmlSplitOptions {
  readonly pieceBytes?: number;
  readonly maxRecordBytes?: number;
}

/** The number of bytes that are searched again for a tag that the bytes may contain only in part. */
const TAG_BYTES = 1024;

/**
 * Cuts the records out of XML, which is UTF-8, and packs them into pieces of about 512 KiB. Memory is limited by the
 * longest allowed record (or tag). An error of the source is thrown after the whole records before it.
 * A record that is not well-formed is skipped up to its end tag, or to the next record.
 * @throws XmlSyntaxError if the source is not well-formed outside the records, or if nothing shows where a bad record
 * ends, after the records before that position
 */
export async function* splitXml(
  source: ByteSource,
  finder: XmlRecordFinder,
  options: XmlSplitOptions = {},
): AsyncGenerator<XmlPart> {
  const { pieceBytes = PIECE_BYTES, maxRecordBytes = MAX_RECORD_BYTES } = options;
  const scanner = new XmlScanner(finder);
  const packer = new Packer(pieceBytes);
  let buffer = new Uint8Array(FIRST_BYTES);
  let filled = 0;
  let scanned = 0;
  /** An incomplete tag is not scanned again until the number of its bytes has doubled. */
  let enough = 0;
  /** The record with an error whose end was not found yet. */
  let bad: { readonly line: number; readonly error: XmlSyntaxError } | undefined;

  /** Scans the new bytes; returns the full pieces. An XML error is thrown after all records before it are returned. */
  function* scan(): Generator<XmlPart> {
    for (;;) {
      let failure: unknown;
      if (bad !== undefined && !(yield* recover(bad))) return;
      try {
        scanned = scanner.scan(buffer, scanned, filled);
      } catch (error) {
        failure = error;
      }
      for (const record of finder.records) {
        if (!packer.fits(record)) yield* packer.take();
        packer.add(buffer, record);
      }
      finder.records.length = 0;
      if (failure === undefined) return;
      yield* packer.take();
      if (!(failure instanceof XmlSyntaxError) || !finder.isAmongRecords) throw failure;
      // Outside a record, only its start tag can have the error.
      const isStart = finder.recordStart < 0;
      if (isStart && !startsRecord(scanner.failedAt)) throw failure;
      bad = { line: isStart ? scanner.failedLine : finder.recordLine, error: failure };
      finder.abandon();
      scanned = scanner.failedAt + (isStart ? 1 : 0);
      scanner.line = scanner.failedLine;
    }
  }

  /** Searches the end of a bad record. Returns whether it was found. */
  function* recover(record: { readonly line: number; readonly error: XmlSyntaxError }): Generator<XmlPart, boolean> {
    const next = scanner.recover(buffer, scanned, filled);
    if (next < 0) {
      const kept = Math.max(scanned, filled - TAG_BYTES);
      scanner.skip(buffer, scanned, kept);
      scanned = kept;
      return false;
    }
    scanned = next;
    bad = undefined;
    yield { kind: 'bad', ...record };
    return true;
  }

  function startsRecord(at: number): boolean {
    const start = Buffer.from(`<${finder.recordName}`);
    return Buffer.from(buffer.buffer, buffer.byteOffset, filled)
      .subarray(at, at + start.length)
      .equals(start);
  }

  const input = new UntilFailure(source);
  for await (const piece of input.pieces()) {
    const needed = filled + piece.length;
    if (needed > buffer.length) {
      const larger = new Uint8Array(Math.max(needed, buffer.length * 2));
      larger.set(buffer.subarray(0, filled));
      buffer = larger;
    }
    buffer.set(piece, filled);
    filled = needed;
    if (filled < enough) continue;
    yield* scan();
    if (filled - (finder.recordStart >= 0 ? finder.recordStart : scanned) > maxRecordBytes) {
      if (finder.recordStart < 0) throw scanner.error(`a tag or declaration is longer than ${maxRecordBytes} bytes`);
      yield* packer.take();
      yield { kind: 'too-long', limit: maxRecordBytes, line: finder.recordLine };
      finder.abandon();
    }
    const keep = finder.recordStart >= 0 ? finder.recordStart : scanned;
    buffer.copyWithin(0, keep, filled);
    finder.moved(keep);
    filled -= keep;
    scanned -= keep;
    enough = filled + (filled - scanned);
  }
  yield* scan();
  yield* packer.take();
  input.throwIfAny();
  if (bad !== undefined) throw (bad as { readonly error: XmlSyntaxError }).error;
  scanner.finish(filled - scanned);
}

/** Copies several records into one block of bytes. */
class Packer {
  readonly #pieceBytes: number;
  #bytes: Uint8Array = new Uint8Array();
  #filled = 0;
  #records: XmlRecord[] = [];

  constructor(pieceBytes: number) {
    this.#pieceBytes = pieceBytes;
  }

  /** Returns true if the record fits into the piece. If not, the caller must take the piece first. */
  fits({ start, end }: XmlRecord): boolean {
    return this.#filled + end - start <= this.#pieceBytes;
  }

  add(source: Uint8Array, { start, end, line, id }: XmlRecord): void {
    const length = end - start;
    if (this.#filled + length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, Math.min(this.#pieceBytes, (this.#filled + length) * 4)));
      larger.set(this.#bytes.subarray(0, this.#filled));
      this.#bytes = larger;
    }
    this.#bytes.set(source.subarray(start, end), this.#filled);
    this.#records.push({ start: this.#filled, end: this.#filled + length, line, id });
    this.#filled += length;
  }

  /** Returns the packed records, if any. */
  *take(): Generator<XmlPart> {
    if (this.#records.length === 0) return;
    const bytes = this.#bytes;
    const filled = this.#filled;
    const records = this.#records;
    this.#bytes = new Uint8Array();
    this.#filled = 0;
    this.#records = [];
    yield { kind: 'records', bytes: bytes.subarray(0, filled), records };
  }
}
