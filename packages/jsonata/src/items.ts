import { leave } from './syntax.ts';
import { isDouble, type Value } from './values.ts';

/** The result of an expression: a value of a document, or nothing. Lists may be sequences. */
export type Item = Value | undefined;

/**
 * A list that an expression has collected. Unlike the lists of documents and of `[…]`, a sequence with one member is
 * equal to that member, an empty sequence is nothing, and sequences inside sequences are flattened. Its array methods
 * return sequences too; to convert it to a list of a document use `Array.from`.
 */
export class Sequence extends Array<Value> {
  /** Stays a list, even with one member. */
  declare keepSingleton: boolean;
  /** Contains the whole input, which is a list. */
  declare outer: boolean;

  static {
    // As class fields they would make the creation of each sequence twice as slow.
    Sequence.prototype.keepSingleton = false;
    Sequence.prototype.outer = false;
  }
}

/** A list that is written as a step of a path: it is not flattened in a sequence. */
export class Constructed extends Array<Value> {}

/** Returns the number of an item, or undefined for all others. Infinite numbers and NaN are left to the library. */
export function numberOf(item: Item): number | undefined {
  const value =
    typeof item === 'number' ? item : typeof item === 'bigint' ? Number(item) : isDouble(item) ? item.value : undefined;
  if (value !== undefined && !Number.isFinite(value)) leave();
  return value;
}

/** Returns a computed number as a value: whole numbers within 64 bits are integers. */
export function computed(value: number): Value {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  if (!Number.isFinite(value)) leave();
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value) : value;
}

/**
 * Returns whether an item counts as true. Nothing, null, empty or zero values, and lists of only such items count as
 * false.
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

/** Two items as one list. */
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

/** Returns the text of an item in a concatenation: nothing is empty, lists and objects are JSON. */
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

/** Fractions are cut to 15 digits, so that 0.1 + 0.2 reads 0.3. */
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
