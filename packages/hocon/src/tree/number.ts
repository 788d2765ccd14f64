const LONG_MAX = 9223372036854775807n;
const LONG_MIN = -9223372036854775808n;
const TWO_63 = 2 ** 63;
const FLOAT = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INTEGER = /^-?\d+$/;

/** A parsed number: its value, and whether the reference stores it as floating point. */
export interface ParsedNumber {
  value: number | bigint;
  float: boolean;
}

/**
 * Parses the text of a number. As in the reference, whole numbers of 64 bits are integers in any notation (`5.`,
 * `1e3`). Longer integers without a fraction or exponent are not numbers.
 */
export function parseNumber(text: string): ParsedNumber | undefined {
  if (INTEGER.test(text)) {
    if (text.length <= 15) return { value: Number(text) + 0, float: false };
    const long = parseLong(text);
    return long === undefined ? undefined : { value: narrow(long), float: false };
  }
  return FLOAT.test(text) ? fromDouble(Number(text)) : undefined;
}

/** Returns a double as the reference stores it: as an integer if it is whole and has at most 64 bits. */
export function fromDouble(double: number): ParsedNumber {
  if (Number.isSafeInteger(double)) return { value: double + 0, float: false };
  if (Number.isInteger(double) && Math.abs(double) <= TWO_63) {
    return { value: narrow(saturate(double)), float: false };
  }
  return { value: double, float: true };
}

/** Returns a 64-bit integer as a number if the number is exact, otherwise as a bigint. */
export function narrow(long: bigint): number | bigint {
  const double = Number(long);
  return Number.isSafeInteger(double) ? double : long;
}

/** Parses a 64-bit integer as Java's `Long.parseLong` does. */
export function parseLong(text: string): bigint | undefined {
  const digits = /^[+-]?0*(\d{1,19})$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const magnitude = BigInt(digits);
  const long = text.startsWith('-') ? -magnitude : magnitude;
  return long > LONG_MAX || long < LONG_MIN ? undefined : long;
}

/** Converts a double to 64 bits: rounds towards zero, limits it to the range, and returns 0 for NaN. */
export function saturate(double: number): bigint {
  if (Number.isNaN(double)) return 0n;
  if (double >= TWO_63) return LONG_MAX;
  return double <= -TWO_63 ? LONG_MIN : BigInt(Math.trunc(double));
}

/** Limits an exact integer to the range of 64 bits. */
export function clamp(exact: bigint): bigint {
  if (exact > LONG_MAX) return LONG_MAX;
  return exact < LONG_MIN ? LONG_MIN : exact;
}

export function isLong(exact: bigint): boolean {
  return clamp(exact) === exact;
}

/** Returns a double as the reference writes it if it is not an integer in the reference: `1.0`, `1.0E30`. */
export function floatText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return `${value}.0`;
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const digits = mantissa.includes('.') ? mantissa : `${mantissa}.0`;
  return Number.isFinite(value) && Number.isInteger(value) ? `${digits}E${Number(exponent)}` : String(value);
}
