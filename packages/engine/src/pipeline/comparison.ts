/// <reference lib="esnext.temporal" />
import { Double, textOf, type Value } from '../document/value.ts';

export type ComparisonOperator = '<' | '<=' | '>' | '>=';

const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const ISO_DATE = /^[+-]?\d{4,6}-\d\d-\d\d(?:[Tt ]\d\d:\d\d\S*)?$/;
/**
 * The end of a date text, after the time: `Z` or an offset, perhaps with seconds, perhaps followed by a time zone in
 * brackets.
 */
const ISO_OFFSET = /[Tt ].*(?:[Zz]|[+-]\d\d(?::?\d\d){0,2})(?:\[[^\]]*\])*$/;
/** Integers with up to this many characters are exact as plain numbers. */
const SAFE_LENGTH = 15;
/** A longer text is not read as a number, because the time to read its digits grows with the square of their number. */
const MAX_DIGITS = 400;

/** A value for comparisons. Integers and doubles are compared exactly, also with each other. */
type Comparable = number | bigint | string;

/**
 * Compares a value with the operand (less than, greater than …). The operand decides how: a number is compared with
 * numbers and with texts that contain one; a date in ISO form is compared with such dates, as instants; any other text
 * is compared with texts, by character codes. If the value does not fit the operand (null, for example), the result is
 * false.
 */
export function comparison(operator: ComparisonOperator, operand: string): (value: Value) => boolean {
  const { wanted, read } = readerFor(operand);
  const holds = (found: Comparable | undefined, test: (found: Comparable) => boolean) =>
    found !== undefined && test(found);
  switch (operator) {
    case '<':
      return (value) => holds(read(value), (found) => found < wanted);
    case '<=':
      return (value) => holds(read(value), (found) => found <= wanted);
    case '>':
      return (value) => holds(read(value), (found) => found > wanted);
    case '>=':
      return (value) => holds(read(value), (found) => found >= wanted);
  }
}

function readerFor(operand: string): { wanted: Comparable; read: (value: Value) => Comparable | undefined } {
  const number = numberOf(operand);
  if (number !== undefined) return { wanted: number, read: numberOf };
  const instant = instantOf(operand);
  if (instant !== undefined) return { wanted: instant, read: instantOf };
  return { wanted: operand, read: (value) => (isText(value) ? (textOf(value) ?? undefined) : undefined) };
}

/** Objects and bytes have no useful text. */
function isText(value: Value): boolean {
  return typeof value !== 'object' || value instanceof Double;
}

function numberOf(value: Value): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Double) return value.value;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (text.length > MAX_DIGITS) return undefined;
  if (INTEGER.test(text)) {
    return text.length <= SAFE_LENGTH ? Number(text) : BigInt(text.startsWith('+') ? text.slice(1) : text);
  }
  return DECIMAL.test(text) ? Number(text) : undefined;
}

/** Nanoseconds since 1970. A text without an offset is in UTC. A date without a time is its midnight. */
function instantOf(value: Value): bigint | undefined {
  if (typeof value !== 'string' || !ISO_DATE.test(value)) return undefined;
  try {
    if (ISO_OFFSET.test(value)) return Temporal.Instant.from(value).epochNanoseconds;
    return Temporal.PlainDateTime.from(value).toZonedDateTime('UTC').epochNanoseconds;
  } catch (error) {
    // A day or an hour that does not exist.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
