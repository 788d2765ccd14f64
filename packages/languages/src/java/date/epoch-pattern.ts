import type { DatePattern } from './date-pattern.ts';
import { formatInstant } from './instant-text.ts';

/** The names of the patterns for numbers since 1970, and how many of their units are a second, as a power of ten. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ['epoch_second', 0],
  ['epoch_millis', 3],
  ['epoch_micros', 6],
  ['epoch_nanos', 9],
]);

const NUMBER = /^([+-]?)(\d{1,30})(?:\.(\d{0,30}))?(?:[eE]([+-]?\d{1,2}))?$/;
/** The last second of the year 999,999,999, which is the last one of Java. */
const LAST_SECOND = 31_556_889_864_403_199n;
const NANOS = 1_000_000_000n;

/**
 * Returns the pattern with this name: `epoch_second`, `epoch_millis`, `epoch_micros` or `epoch_nanos`. It matches only a
 * text that is a number, with or without a fraction. Returns undefined for all other patterns.
 */
export function epochPattern(pattern: string): DatePattern | undefined {
  const digits = UNITS.get(pattern);
  if (digits === undefined) return undefined;
  return { pattern, parse: (text) => parse(text, digits) };
}

function parse(text: string, digits: number): string | undefined {
  const found = NUMBER.exec(text);
  if (found === null) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = found;
  const scale = 9 - digits - fraction.length + Number(exponent);
  const units = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  const nanos = scale >= 0 ? units * 10n ** BigInt(scale) : floorDivide(units, 10n ** BigInt(-scale));
  const seconds = floorDivide(nanos, NANOS);
  if (seconds > LAST_SECOND || seconds < -LAST_SECOND) return undefined;
  return formatInstant(seconds, Number(nanos - seconds * NANOS));
}

/** Divides and rounds down, also below zero. */
function floorDivide(number: bigint, by: bigint): bigint {
  const quotient = number / by;
  return number % by < 0n ? quotient - 1n : quotient;
}
