import type { IdPiece, XmlRecord } from './xml-record.ts';

/** The count of numbers for each record without its id pieces, and for each id piece. */
const RECORD_NUMBERS = 4;
const PIECE_NUMBERS = 3;

/**
 * Encodes records as numbers, because sending thousands of objects to another thread costs more than finding the
 * records. A record is its start, its end, its line, and the number of its id pieces. Each id piece is its start, its
 * end, and 1 for CDATA or 0.
 */
export function packRecords(records: readonly XmlRecord[]): Uint32Array {
  let length = 0;
  for (const { id } of records) length += RECORD_NUMBERS + PIECE_NUMBERS * id.length;
  const packed = new Uint32Array(length);
  let at = 0;
  for (const { start, end, line, id } of records) {
    packed[at++] = start;
    packed[at++] = end;
    packed[at++] = line;
    packed[at++] = id.length;
    for (const piece of id) {
      packed[at++] = piece.start;
      packed[at++] = piece.end;
      packed[at++] = piece.cdata ? 1 : 0;
    }
  }
  return packed;
}

/** Decodes the records of `packRecords`. */
export function unpackRecords(packed: Uint32Array): XmlRecord[] {
  const records: XmlRecord[] = [];
  let at = 0;
  const next = () => packed[at++] as number;
  while (at < packed.length) {
    const start = next();
    const end = next();
    const line = next();
    const id: IdPiece[] = [];
    for (let pieces = next(); pieces > 0; pieces--) id.push({ start: next(), end: next(), cdata: next() === 1 });
    records.push({ start, end, line, id });
  }
  return records;
}
