import { double, integer, type Value } from '@headrace/engine';

const DECIMAL = /^([-+]?)0*(\d*?)(?:\.(\d*?)0*)?(?:[eE]([-+]?\d{1,9}))?$/;
/** Any decimal with this number of digits is exact as a double. */
const EXACT_DIGITS = 15;

/**
 * Returns a decimal as a number if a number holds all its digits: a double, or an integer of any length. Otherwise
 * returns the text.
 */
export function exactDecimal(text: string): Value {
  const number = Number(text);
  if (isExact(text, number)) return double(number);
  const whole = /^([-+]?\d+)(?:\.0*)?$/.exec(text)?.[1];
  return whole === undefined ? text : integer(BigInt(whole));
}

/** Returns whether a double is written with the same digits as the decimal, apart from zeros at the ends. */
export function isExact(text: string, number: number): boolean {
  if (text.length <= EXACT_DIGITS) return true;
  const [digits, exponent] = digitsOf(text);
  const [found, foundExponent] = digitsOf(String(number));
  return digits === found && exponent === foundExponent;
}

/** Returns the digits without zeros at the ends, with the sign, and the exponent of the last digit. */
function digitsOf(text: string): [digits: string, exponent: number] {
  const match = DECIMAL.exec(text);
  // Infinity and NaN of a database.
  if (match === null) return [text, 0];
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return ['0', 0];
  return [(sign === '-' ? '-' : '') + digits, Number(exponent) - fraction.length + all.length - digits.length];
}
