import { filled } from './filled-array.ts';
import { quotientOf, restOf } from './halves.ts';
import { TextBlock, viewOf } from './text-block.ts';

/** Returns the unscaled number of a decimal: an integer, or a big-endian integer in two's complement. */
export function unscaled(raw: number | bigint | Uint8Array): bigint {
  if (!(raw instanceof Uint8Array)) return BigInt(raw);
  return BigInt(unscaledAt(raw, 0, raw.length));
}

/** Returns the big-endian integer between two positions: a number if it is exact. */
export function unscaledAt(bytes: Uint8Array, from: number, to: number): number | bigint {
  const start = significantFrom(bytes, from, to);
  if (to - start <= SAFE_BYTES) return shortUnscaled(bytes, start, to);
  const [high, low] = [unscaledAt(bytes, from, to - SAFE_BYTES), shortUnscaled(bytes, to - SAFE_BYTES, to)];
  return (BigInt(high) << SAFE_BITS) + BigInt.asUintN(Number(SAFE_BITS), BigInt(low));
}

/** Returns the big-endian integers between pairs of positions, like `unscaledAt`. */
export function unscaledBlock(bytes: Uint8Array, places: Int32Array): (number | bigint)[] {
  const values = filled<number | bigint>(0, places.length / 2);
  for (let i = 0; i < values.length; i++) {
    values[i] = unscaledAt(bytes, places[2 * i] as number, places[2 * i + 1] as number);
  }
  return values;
}

/** Numbers of this size are exact. */
const SAFE_BYTES = 6;
const SAFE_BITS = 48n;

/** Returns the first byte of a big-endian integer that does not only repeat the sign. */
function significantFrom(bytes: Uint8Array, from: number, to: number): number {
  const sign = ((bytes[from] as number) << 24) >> 31;
  let start = from;
  while (start < to - 1 && bytes[start] === (sign & 0xff) && ((bytes[start + 1] as number) << 24) >> 31 === sign)
    start++;
  return start;
}

/** Returns the big-endian integer of at most six bytes. */
function shortUnscaled(bytes: Uint8Array, from: number, to: number): number {
  if (from === to) return 0;
  let number = ((bytes[from] as number) << 24) >> 24;
  const end = Math.min(to, from + 4);
  for (let i = from + 1; i < end; i++) number = (number << 8) | (bytes[i] as number);
  for (let i = end; i < to; i++) number = number * 256 + (bytes[i] as number);
  return number;
}

/** Returns a decimal as text with all its digits: `-0.10`. */
export function decimalText(value: number | bigint, scale: number): string {
  if (scale <= 0) return String(BigInt(value) * 10n ** BigInt(-scale));
  const digits = String(value < 0 ? -value : value).padStart(scale + 1, '0');
  return `${value < 0 ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/**
 * Returns decimals like `decimalText`, from the halves of their unscaled numbers, of which the lower one is first. The scale
 * is not negative.
 */
export function decimalTexts(halves: Int32Array, from: number, count: number, scale: number): string[] {
  for (let at = 2 * from; at < 2 * (from + count); at += 2) {
    writeDecimal(TEXTS, halves[at + 1] as number, (halves[at] as number) >>> 0, scale);
  }
  return TEXTS.takeAll();
}

/** Returns decimals like `decimalText`, from the big-endian integers between pairs of positions. */
export function decimalTextsAt(bytes: Uint8Array, places: Int32Array, scale: number): string[] {
  const view = viewOf(bytes);
  for (let i = 0; i < places.length; i += 2) {
    writeDecimalAt(TEXTS, bytes, view, places[i] as number, places[i + 1] as number, scale);
  }
  return TEXTS.takeAll();
}

const TEXTS = new TextBlock();

/** The digits of the number that is written, nine in each part, the last ones first. */
const parts = new Int32Array(9);
const DIGITS = 9;
const BILLION = 1e9;

/** The number that is divided, the highest word first. */
const words = new Uint32Array(8);
const WORD_BYTES = 4;

/** @param low has no sign */
function writeDecimal(to: TextBlock, high: number, low: number, scale: number): void {
  const negative = high < 0;
  const lower = negative ? -low >>> 0 : low;
  const higher = negative ? (low === 0 ? -high : ~high) : high;
  const rest = quotientOf(higher, lower, BILLION);
  const first = Math.floor(rest / BILLION);
  parts[0] = restOf(lower, rest, BILLION);
  parts[1] = rest - first * BILLION;
  parts[2] = first;
  writeParts(to, first > 0 ? 3 : rest > 0 ? 2 : 1, negative, scale);
}

function writeDecimalAt(
  to: TextBlock,
  bytes: Uint8Array,
  view: DataView,
  from: number,
  end: number,
  scale: number,
): void {
  const size = end - from;
  if (size >= 2 * WORD_BYTES) {
    const middle = end - WORD_BYTES;
    const last = middle - WORD_BYTES;
    const high = view.getInt32(last);
    const sign = (high >> 31) & 0xff;
    // Bytes before the last eight usually only repeat the sign.
    let start = from;
    while (start < last && bytes[start] === sign) start++;
    if (start === last) writeDecimal(to, high, view.getUint32(middle), scale);
    else if (size <= words.byteLength) writeLong(to, bytes, from, end, scale);
    else to.write(decimalText(unscaledAt(bytes, from, end), scale));
  } else if (size > WORD_BYTES) {
    const middle = end - WORD_BYTES;
    writeDecimal(to, shortUnscaled(bytes, from, middle), view.getUint32(middle), scale);
  } else {
    const number = shortUnscaled(bytes, from, end);
    writeDecimal(to, number >> 31, number >>> 0, scale);
  }
}

function writeLong(to: TextBlock, bytes: Uint8Array, start: number, end: number, scale: number): void {
  const negative = (bytes[start] as number) >= 0x80;
  const count = Math.ceil((end - start) / WORD_BYTES);
  let carry = 1;
  for (let i = count - 1, at = end; i >= 0; i--, at -= WORD_BYTES) {
    const word = shortUnscaled(bytes, Math.max(start, at - WORD_BYTES), at);
    if (negative) {
      words[i] = ~word + carry;
      carry = carry === 1 && word === 0 ? 1 : 0;
    } else words[i] = word;
  }
  let used = 0;
  for (let first = 0; first < count; used++) {
    let rest = 0;
    for (let i = first; i < count; i++) {
      const word = words[i] as number;
      const quotient = quotientOf(rest, word, BILLION);
      rest = restOf(word, quotient, BILLION);
      words[i] = quotient;
    }
    parts[used] = rest;
    while (first < count && words[first] === 0) first++;
  }
  writeParts(to, used, negative, scale);
}

/** Writes the digits of the first parts. */
function writeParts(to: TextBlock, used: number, negative: boolean, scale: number): void {
  const found = (used - 1) * DIGITS + digitsOf(parts[used - 1] as number);
  const count = Math.max(found, scale + 1);
  const start = to.reserve(count + 2);
  const bytes = to.bytes;
  const begin = negative ? start + 1 : start;
  if (negative) bytes[start] = 0x2d;
  let at = begin + count + (scale > 0 ? 1 : 0);
  to.end(at);
  const dot = scale > 0 ? at - scale - 1 : -1;
  for (let part = 0; at > begin; part++) {
    let rest = part < used ? (parts[part] as number) : 0;
    for (let i = 0; i < DIGITS && at > begin; i++) {
      const tenth = (rest / 10) | 0;
      at--;
      if (at === dot) bytes[at--] = 0x2e;
      bytes[at] = 0x30 + rest - tenth * 10;
      rest = tenth;
    }
  }
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let power = 10; digits < DIGITS && value >= power; power *= 10) digits++;
  return digits;
}

/** Returns the unscaled number of a text such as `-0.10`; undefined if it is no decimal with at most `scale` digits. */
export function parseDecimal(text: string, scale: number): bigint | undefined {
  const [, sign = '', whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const digits = part.replace(/0+$/, '');
  if (whole === '' || digits.length > scale) return undefined;
  const value = BigInt(whole + digits.padEnd(scale, '0'));
  return sign === '' ? value : -value;
}
