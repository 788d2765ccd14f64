const LONG_MAX = 9223372036854775807n;
const LONG_MIN = -9223372036854775808n;
const TWO_63 = 2 ** 63;
const FLOAT = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INTEGER = /^-?\d+$/;

/** A number of the language: its value, and whether the reference stores it as floating point. */
export interface ParsedNumber {
  value: number | bigint;
  float: boolean;
}

/**
 * Reads the text of a number. Whole numbers of 64 bits are integers in any notation (`5.`, `1e3`), as in the reference.
 * A longer integer without a fraction or exponent is not a number.
 */
export function parseNumber(text: string): ParsedNumber | undefined {
  if (INTEGER.test(text)) {
    if (text.length <= 15) return { value: Number(text) + 0, float: false };
    const long = parseLong(text);
    return long === undefined ? undefined : { value: narrow(long), float: false };
  }
  return FLOAT.test(text) ? fromDouble(Number(text)) : undefined;
}

/** A double as the reference would store it: an integer if it is whole and fits into 64 bits. */
export function fromDouble(double: number): ParsedNumber {
  if (Number.isSafeInteger(double)) return { value: double + 0, float: false };
  if (Number.isInteger(double) && Math.abs(double) <= TWO_63) {
    return { value: narrow(saturate(double)), float: false };
  }
  return { value: double, float: true };
}

/** A 64-bit integer as a number if that loses nothing. */
export function narrow(long: bigint): number | bigint {
  const double = Number(long);
  return Number.isSafeInteger(double) ? double : long;
}

/** A 64-bit integer as Java's `Long.parseLong` reads it. */
export function parseLong(text: string): bigint | undefined {
  const digits = /^[+-]?0*(\d{1,19})$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const magnitude = BigInt(digits);
  const long = text.startsWith('-') ? -magnitude : magnitude;
  return long > LONG_MAX || long < LONG_MIN ? undefined : long;
}

/** A double cut to 64 bits: towards zero, saturating, 0 for NaN. */
export function saturate(double: number): bigint {
  if (Number.isNaN(double)) return 0n;
  if (double >= TWO_63) return LONG_MAX;
  return double <= -TWO_63 ? LONG_MIN : BigInt(Math.trunc(double));
}

/** An exact integer, saturated to 64 bits. */
export function clamp(exact: bigint): bigint {
  if (exact > LONG_MAX) return LONG_MAX;
  return exact < LONG_MIN ? LONG_MIN : exact;
}

export function isLong(exact: bigint): boolean {
  return clamp(exact) === exact;
}

/** A double as the reference writes it if it is not an integer there: `1.0`, `1.0E30`. */
export function floatText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return `${value}.0`;
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const digits = mantissa.includes('.') ? mantissa : `${mantissa}.0`;
  return Number.isFinite(value) && Number.isInteger(value) ? `${digits}E${Number(exponent)}` : String(value);
}
