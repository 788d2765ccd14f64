import { stops } from './xml-bytes.ts';

/** The bytes that end a run of plain text. */
const STOPS: Uint8Array = stops('<&]');
/** Whether one of two bytes ends a run of plain text. The index is both bytes as one number, in any order. */
const PAIR_STOPS: Uint8Array = pairStops();
/** The length of text after which two bytes are read at a time, which is three times as fast but begins slower. */
const SHORT_TEXT = 16;

/** Each thread creates the table at its start, so it does not visit all pairs. */
function pairStops(): Uint8Array {
  const pairs = new Uint8Array(0x10000);
  for (const [byte, isStop] of STOPS.entries()) {
    if (isStop === 0) continue;
    pairs.fill(1, byte << 8, (byte + 1) << 8);
    for (let pair = byte; pair < pairs.length; pair += 0x100) pairs[pair] = 1;
  }
  return pairs;
}

/** Returns the bytes in pairs, for `plainTextEnd`. Returns no pairs if the memory begins at an odd address. */
export function pairsOf({ buffer, byteOffset, length }: Uint8Array): Uint16Array {
  return byteOffset % 2 === 0 ? new Uint16Array(buffer, byteOffset, length >> 1) : new Uint16Array();
}

/** Returns the position of the next byte that ends a run of plain text, or `to` if there is none before it. */
export function plainTextEnd(bytes: Uint8Array, pairs: Uint16Array, from: number, to: number): number {
  const near = Math.min(to, (from + SHORT_TEXT) & ~1);
  let at = from;
  while (at < near && STOPS[bytes[at] as number] === 0) at++;
  if (at < near || at === to) return at;
  const last = Math.min(to >> 1, pairs.length);
  let pair = at >> 1;
  while (pair < last && PAIR_STOPS[pairs[pair] as number] === 0) pair++;
  // Without pairs, the position stays.
  at = Math.max(at, pair * 2);
  while (at < to && STOPS[bytes[at] as number] === 0) at++;
  return at;
}
