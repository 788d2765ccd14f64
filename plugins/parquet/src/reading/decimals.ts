import type { TextBlock } from './text-block.ts';

/** Returns the unscaled number of a decimal: an integer, or a big-endian integer in two's complement. */
export function unscaled(raw: number | bigint | Uint8Array): bigint {
  if (!(raw instanceof Uint8Array)) return BigInt(raw);
  return BigInt(unscaledAt(raw, 0, raw.length));
}

/** Returns the big-endian integer between two positions: a number if it is exact. */
export function unscaledAt(bytes: Uint8Array, from: number, to: number): number | bigint {
  if (from === to) return 0;
  const negative = (bytes[from] as number) >= 0x80;
  // All but the last six bytes usually only repeat the sign.
  const start = Math.max(from, to - SAFE_BYTES);
  const sign = negative ? 0xff : 0;
  for (let i = from; i < start; i++) {
    if (bytes[i] !== sign) return longUnscaled(bytes, from, to);
  }
  if (start > from && (bytes[start] as number) >= 0x80 !== negative) return longUnscaled(bytes, from, to);
  let high = 0;
  const middle = Math.max(start, to - 3);
  for (let i = start; i < middle; i++) high = high * 256 + (bytes[i] as number);
  let low = 0;
  for (let i = middle; i < to; i++) low = (low << 8) | (bytes[i] as number);
  const number = high * 256 ** (to - middle) + low;
  return negative ? number - 256 ** (to - start) : number;
}

/** Numbers of this size are exact. */
const SAFE_BYTES = 6;
const SAFE_BITS = 48n;

function longUnscaled(bytes: Uint8Array, from: number, to: number): bigint {
  const start = to - SAFE_BYTES;
  let low = 0;
  for (let i = start; i < to; i++) low = low * 256 + (bytes[i] as number);
  return (BigInt(unscaledAt(bytes, from, start)) << SAFE_BITS) + BigInt(low);
}

/** Returns a decimal as text with all its digits: `-0.10`. */
export function decimalText(value: number | bigint, scale: number): string {
  if (scale <= 0) return String(BigInt(value) * 10n ** BigInt(-scale));
  const digits = String(value < 0 ? -value : value).padStart(scale + 1, '0');
  return `${value < 0 ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Writes a decimal like `decimalText`. */
export function writeDecimal(to: TextBlock, value: number | bigint, scale: number): void {
  if (scale <= 0) {
    to.write(decimalText(value, scale));
    return;
  }
  if (value < 0) to.write('-');
  const digits = String(value < 0 ? -value : value).padStart(scale + 1, '0');
  to.write(digits, 0, digits.length - scale);
  to.write('.');
  to.write(digits, digits.length - scale);
}

/** Returns the unscaled number of a text such as `-0.10`; undefined if it is no decimal with at most `scale` digits. */
export function parseDecimal(text: string, scale: number): bigint | undefined {
  const [, sign = '', whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const digits = part.replace(/0+$/, '');
  if (whole === '' || digits.length > scale) return undefined;
  const value = BigInt(whole + digits.padEnd(scale, '0'));
  return sign === '' ? value : -value;
}
