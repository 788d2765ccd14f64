import { leave } from './syntax.ts';
import { isDouble, type Value } from './values.ts';

/** The result of an expression: a value of a document, or undefined for no result. A list may be a sequence. */
export type Item = Value | undefined;

/**
 * A list that an expression has collected. It differs from the lists of documents and of `[…]`: a sequence with one
 * member equals that member, an empty sequence is nothing, and nested sequences are flattened. Its array methods also
 * return sequences. Use `Array.from` to convert it to a list of a document.
 */
export class Sequence extends Array<Value> {
  /** True if the sequence stays a list, even with one member. */
  declare keepSingleton: boolean;
  /** True if the sequence is the whole input, which is a list. */
  declare outer: boolean;

  static {
    // Class fields would make the creation of each sequence twice as slow.
    Sequence.prototype.keepSingleton = false;
    Sequence.prototype.outer = false;
  }
}

/** A list that is a step of a path. It is not flattened in a sequence. */
export class Constructed extends Array<Value> {}

/** Returns the number of an item, or undefined for other items. The library evaluates infinite numbers and NaN. */
export function numberOf(item: Item): number | undefined {
  const value =
    typeof item === 'number' ? item : typeof item === 'bigint' ? Number(item) : isDouble(item) ? item.value : undefined;
  if (value !== undefined && !Number.isFinite(value)) leave();
  return value;
}

/** Converts a computed number to a value. Whole numbers within 64 bits become integers. */
export function computed(value: number): Value {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  if (!Number.isFinite(value)) leave();
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value) : value;
}

/**
 * Returns whether an item counts as true. Nothing, null, empty or zero values, and lists of only those count as false.
 */
export function isTrue(item: Item): boolean {
  switch (typeof item) {
    case 'boolean':
      return item;
    case 'string':
      return item !== '';
    case 'undefined':
      return false;
    case 'object':
      if (item === null) return false;
      if (Array.isArray(item)) return item.some(isTrue);
      if (item instanceof Map) return item.size > 0;
      if (isDouble(item)) break;
      return leave();
  }
  return numberOf(item) !== 0;
}

/** Returns whether items are equal: numbers by value, lists and objects by content. */
export function areEqual(left: Item, right: Item): boolean {
  if (left === right) return true;
  const number = numberOf(left);
  if (number !== undefined) return number === numberOf(right);
  if (Array.isArray(left)) {
    if (!Array.isArray(right)) return right instanceof Map ? leave() : false;
    return left.length === right.length && left.every((member, i) => areEqual(member, right[i]));
  }
  if (!(left instanceof Map && right instanceof Map))
    return Array.isArray(right) && left instanceof Map ? leave() : false;
  if (left.size !== right.size) return false;
  for (const [key, member] of left) if (!right.has(key) || !areEqual(member, right.get(key))) return false;
  return true;
}

/** Joins two items to one list. */
export function append(left: Item, right: Item): Item {
  if (left === undefined) return right;
  if (right === undefined) return left;
  const list: Value[] = [];
  for (const item of [left, right]) {
    if (Array.isArray(item)) for (const member of item) list.push(member);
    else list.push(item);
  }
  return list;
}

/** Returns the text of an item in a concatenation. Nothing becomes an empty text, lists and objects become JSON. */
export function textOfItem(item: Item): string {
  switch (typeof item) {
    case 'string':
      return item;
    case 'undefined':
      return '';
    case 'number':
      return numberText(item);
    case 'boolean':
    case 'bigint':
      return String(item);
  }
  if (item === null) return 'null';
  if (isDouble(item)) return numberText(item.value);
  if (Array.isArray(item))
    return `[${(item instanceof Sequence && item.outer ? leave() : item).map(jsonOf).join(',')}]`;
  if (!(item instanceof Map)) return leave();
  const members: string[] = [];
  for (const [key, member] of item) members.push(`${JSON.stringify(key)}:${jsonOf(member)}`);
  return `{${members.join(',')}}`;
}

function jsonOf(value: Value): string {
  return typeof value === 'string' ? JSON.stringify(value) : textOfItem(value);
}

/** Returns the text of a number. Fractions are rounded to 15 digits, so that 0.1 + 0.2 becomes 0.3. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) leave();
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(15)));
}

/** Returns the member of an object, or the members of the objects of a list. */
export function lookUp(input: Item, name: string): Item {
  if (input instanceof Map) return input.get(name);
  if (!Array.isArray(input)) return undefined;
  const found = new Sequence();
  for (const item of input) {
    const value = lookUp(item, name);
    if (Array.isArray(value)) for (const member of value) found.push(member);
    else if (value !== undefined) found.push(value);
  }
  return found;
}
