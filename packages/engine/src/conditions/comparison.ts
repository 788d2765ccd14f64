/// <reference lib="esnext.temporal" />
import { Double, textOf, type Value } from '../document/value.ts';

export type ComparisonOperator = '<' | '<=' | '>' | '>=';

const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const ISO_DATE = /^[+-]?\d{4,6}-\d\d-\d\d(?:[Tt ]\d\d:\d\d\S*)?$/;
/**
 * The end of a date text, after the time: `Z` or an offset. The offset may have seconds. A time zone in brackets may
 * follow.
 */
const ISO_OFFSET = /[Tt ].*(?:[Zz]|[+-]\d\d(?::?\d\d){0,2})(?:\[[^\]]*\])*$/;
/** The usual dates, in UTC and without fractions. `Temporal` needs up to 10 µs for a text. */
const USUAL_DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d))?[Zz]?)?$/;
/** The maximum number of characters of an integer that is exact as a plain number. */
const SAFE_LENGTH = 15;
/** The maximum length of a number. The time to read the digits of a number grows with the square of their count. */
const MAX_DIGITS = 400;

/** A value for comparisons. Integers and doubles are compared exactly, also with each other. */
type Comparable = number | bigint | string;

/**
 * Returns a function that compares a value with the operand (less than, greater than …). The operand decides the type
 * of the comparison. A number is compared with numbers and with strings that contain a number. An ISO date is compared
 * with ISO dates, as instants. Any other string is compared with strings, by character codes. If the value has another
 * type (for example null), the result is false.
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

/** Returns true for a value with a useful string. Objects and bytes have none. */
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

/** Returns nanoseconds since 1970. A date without an offset is in UTC. A date without a time means midnight. */
function instantOf(value: Value): bigint | undefined {
  if (typeof value !== 'string') return undefined;
  const usual = usualInstant(value);
  if (usual !== undefined) return usual;
  if (!ISO_DATE.test(value)) return undefined;
  try {
    if (ISO_OFFSET.test(value)) return Temporal.Instant.from(value).epochNanoseconds;
    return Temporal.PlainDateTime.from(value).toZonedDateTime('UTC').epochNanoseconds;
  } catch (error) {
    // The date contains a day or an hour that does not exist.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the instant of a usual date. Returns undefined for other texts, and for rare or invalid dates. */
function usualInstant(text: string): bigint | undefined {
  const found = USUAL_DATE.exec(text);
  if (found === null) return undefined;
  const [year, month, day, hour, minute, second] = found.slice(1).map((digits) => Number(digits ?? 0)) as number[];
  const date = new Date(text.slice(0, 10));
  // Without the check, 31 April would be 1 May.
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== day || date.getUTCMonth() + 1 !== month) return undefined;
  if (year === 0 || (hour as number) > 23 || (minute as number) > 59 || (second as number) > 59) return undefined;
  const seconds = ((hour as number) * 60 + (minute as number)) * 60 + (second as number);
  return BigInt(date.getTime() + seconds * 1000) * 1_000_000n;
}
