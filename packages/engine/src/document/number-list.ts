import { doubleText } from './number-text.ts';
import { Double, double, type Value } from './value.ts';

/** Shorter lists are read and written a number at a time: the native calls cost more than they save. */
export const LONG_LIST = 16;

const COMMA = 44;
const POINT = 46;
const UPPER_E = 69;
const CLOSE_BRACKET = 93;
const LOWER_E = 101;

/** Matches a list that has only numbers, without the opening bracket. */
const NUMBERS = /[-+0-9.eE, \t\n\r]*\]/y;
/** Matches what distinguishes a double from an integer. */
const FRACTION = /[.eE]/;

/**
 * Reads a list that has only numbers with the native parser, which takes half of the time. Vectors have hundreds of
 * numbers.
 * @param start the offset of the bracket
 * @returns the numbers, and the offset after the list. Undefined if the list has other values or mistakes, or long
 * integers.
 */
export function readNumbers(text: string, start: number): { values: Value[]; end: number } | undefined {
  NUMBERS.lastIndex = start + 1;
  if (!NUMBERS.test(text)) return undefined;
  const end = NUMBERS.lastIndex;
  const list = text.slice(start, end);
  let values: number[];
  try {
    values = JSON.parse(list);
  } catch {
    // The slow path finds the mistake and its position.
    return undefined;
  }
  if (FRACTION.test(list)) return withDoubles(values, list, end);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isSafeInteger(value)) return undefined;
    if (value === 0) values[i] = 0;
  }
  return { values, end };
}

function withDoubles(numbers: number[], list: string, end: number): { values: Value[]; end: number } | undefined {
  const values: Value[] = numbers;
  let at = 0;
  for (let i = 0, start = 1; i < numbers.length; i++) {
    const value = numbers[i] as number;
    // Only the text distinguishes doubles from integers: `1.0` and `1`. A long integer may be infinite as a number.
    if (Math.trunc(value) === value) {
      for (; at < i; at++) start = list.indexOf(',', start) + 1;
      if (isDouble(list, start)) values[i] = double(value);
      else if (!Number.isSafeInteger(value)) return undefined;
      else if (value === 0) values[i] = 0;
    }
  }
  return { values, end };
}

/** Returns whether the number at this offset has a fraction or an exponent. A comma or a bracket follows it. */
function isDouble(list: string, start: number): boolean {
  for (let at = start; ; at++) {
    const c = list.charCodeAt(at);
    if (c === POINT || c === LOWER_E || c === UPPER_E) return true;
    if (c === COMMA || c === CLOSE_BRACKET) return false;
  }
}

/**
 * Returns a list as JSON with the native writer, which takes a third of the time. Undefined if the list has values that
 * are not numbers, or many numbers that JavaScript writes differently.
 */
export function writeNumbers(list: readonly Value[]): string | undefined {
  const others: number[] = [];
  for (let i = 0; i < list.length; i++) {
    const value = list[i];
    if (typeof value === 'number') {
      const magnitude = Math.abs(value);
      // JavaScript writes these numbers as Java does.
      if ((magnitude >= 1e-3 && magnitude < 1e7) || Number.isSafeInteger(value)) continue;
    } else if (!(value instanceof Double)) return undefined;
    others.push(i);
    if (others.length * 4 > i + 32) return undefined;
  }
  if (others.length === 0) return JSON.stringify(list);
  const rest = list.slice();
  for (const i of others) rest[i] = null;
  const between = JSON.stringify(rest).split('null');
  let text = between[0] as string;
  for (let i = 0; i < others.length; i++) text += writeDouble(Number(list[others[i] as number])) + between[i + 1];
  return text;
}

/** Returns a double as JSON. NaN and infinities are strings, because JSON lacks them. */
export function writeDouble(value: number): string {
  return Number.isFinite(value) ? doubleText(value) : `"${doubleText(value)}"`;
}
