import { numberOf } from './literal.ts';

// The kinds of numbers: a number, a bigint, or an object that wraps a double.

type Numeric = number | bigint;

/** Returns the number of a value, or undefined if it is not a number. */
export function numericOf(value: unknown): Numeric | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value !== 'object' || value === null || isContainer(value)) return undefined;
  const primitive: unknown = value.valueOf();
  return typeof primitive === 'number' ? primitive : undefined;
}

export function isContainer(value: unknown): value is Map<string, unknown> | readonly unknown[] {
  return value instanceof Map || Array.isArray(value);
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Returns whether two values are equal in a filter. A number equals its text: in any notation if the number is on the
 * left side, in its shortest form if it is on the right side.
 */
export function looselyEqual(left: unknown, right: unknown): boolean {
  const leftNumber = numericOf(left);
  if (leftNumber !== undefined) {
    const rightNumber = numericOf(right);
    if (rightNumber !== undefined) return sameNumber(leftNumber, rightNumber);
    return typeof right === 'string' && DECIMAL.test(right) && sameNumber(leftNumber, numberOf(right));
  }
  if (typeof left === 'string' && typeof right !== 'string')
    return numericOf(right) !== undefined && left === String(right);
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) && left.length === right.length && left.every((item, at) => looselyEqual(item, right[at]))
    );
  }
  if (left instanceof Map) {
    if (!(right instanceof Map) || left.size !== right.size) return false;
    for (const [key, value] of left) if (!right.has(key) || !looselyEqual(value, right.get(key))) return false;
    return true;
  }
  return left === right;
}

/** Returns whether two values have the same JSON type. */
export function sameType(left: unknown, right: unknown): boolean {
  return jsonType(left) === jsonType(right);
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (numericOf(value) !== undefined) return 'number';
  return isContainer(value) ? 'container' : typeof value;
}

function sameNumber(left: Numeric, right: Numeric): boolean {
  // Loose on purpose, to compare a number and a bigint by value.
  // biome-ignore lint/suspicious/noDoubleEquals: see above
  return left == right;
}

/** Compares two numbers or two texts. Returns undefined if they cannot be compared. */
export function compare(left: unknown, right: unknown): number | undefined {
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  const leftNumber = numericOf(left);
  const rightNumber = numericOf(right);
  if (leftNumber === undefined || rightNumber === undefined) return undefined;
  return leftNumber < rightNumber ? -1 : leftNumber > rightNumber ? 1 : 0;
}
