import { leave } from './syntax.ts';
import { isDouble, type Value } from './values.ts';

/** What an expression gives: a value of a document, or nothing. Lists may be sequences. */
export type Item = Value | undefined;

/**
 * A list that an expression has gathered. Unlike the lists of documents and of `[…]` it counts as its only member when it
 * has one, as nothing when it has none, and dissolves in other sequences. What its methods make is a sequence too: lists
 * of documents are made of it with `Array.from`.
 */
export class Sequence extends Array<Value> {
  /** Stays a list, even of one. */
  declare keepSingleton: boolean;
  /** Holds the whole input, which is a list. */
  declare outer: boolean;

  static {
    // As fields of their own they would make each sequence twice as slow.
    Sequence.prototype.keepSingleton = false;
    Sequence.prototype.outer = false;
  }
}

/** A list that an expression has written out as a step of a path: it does not dissolve in a sequence. */
export class Constructed extends Array<Value> {}

/** The number that an item is; undefined for all else. What is not finite is left to the library. */
export function numberOf(item: Item): number | undefined {
  const value =
    typeof item === 'number' ? item : typeof item === 'bigint' ? Number(item) : isDouble(item) ? item.value : undefined;
  if (value !== undefined && !Number.isFinite(value)) leave();
  return value;
}

/** A computed number as a value: whole ones are integers, as far as 64 bits go. */
export function computed(value: number): Value {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  if (!Number.isFinite(value)) leave();
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value) : value;
}

/** Whether an item counts as true: not so nothing, null, what is empty or zero, and lists of such items. */
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

/** Whether items are equal: numbers by value, lists and objects by content. */
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

/** The text of an item in a concatenation: nothing is empty, lists and objects are JSON. */
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

/** The member of an object, or the members of the objects of a list. */
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
