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

/** Decodes the records of `packRecords`, one at a time: all of them together would outlive the young generation. */
export function* unpackRecords(packed: Uint32Array): Generator<XmlRecord> {
  let at = 0;
  while (at < packed.length) {
    const start = packed[at++] as number;
    const end = packed[at++] as number;
    const line = packed[at++] as number;
    const id: IdPiece[] = [];
    for (let pieces = packed[at++] as number; pieces > 0; pieces--, at += PIECE_NUMBERS) {
      id.push({ start: packed[at] as number, end: packed[at + 1] as number, cdata: packed[at + 2] === 1 });
    }
    yield { start, end, line, id };
  }
}
