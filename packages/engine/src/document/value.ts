import { contractError, kindOf } from '../errors/contract-error.ts';
import { HeadraceError } from '../errors/headrace-error.ts';
import { doubleText, integerText, widenFloat } from './number-text.ts';

/**
 * The possible values of a field. Integers up to 2^53 and doubles with a fraction are plain numbers, so most documents
 * have no overhead. Two kinds of numbers cannot be plain numbers and have separate types: `bigint` for longer integers,
 * `Double` for doubles without a fraction (`1.0`).
 */
export type Value = string | number | boolean | null | bigint | Double | Uint8Array | Value[] | JsonObject;

/** A nested JSON object. It is ordered, and any string can be a key (`__proto__`, `10`). */
export type JsonObject = Map<string, Value>;

/**
 * A double without a fraction. It is written as `1.0`, because a search engine derives the mapping from the first
 * value.
 */
export class Double {
  readonly value: number;

  constructor(value: number) {
    requireNumber(value);
    this.value = value;
  }

  valueOf(): number {
    return this.value;
  }

  toString(): string {
    return doubleText(this.value);
  }
}

/** Returns a double: a `Double` if a plain number would be treated as an integer. */
export function double(value: number): number | Double {
  requireNumber(value);
  return Number.isSafeInteger(value) ? new Double(value) : value;
}

/** Throws `HR_COMPONENT_CONTRACT` for another type, which would become the value -Infinity or stay a text. */
function requireNumber(value: unknown): void {
  if (typeof value !== 'number') throw contractError(`A double is a number, not ${kindOf(value)}`);
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns an integer: a number if it is exact, otherwise a bigint. */
export function integer(value: bigint): number | bigint {
  return value >= -MAX_SAFE && value <= MAX_SAFE ? Number(value) : value;
}

/**
 * Checks a value from untyped code, so that the error occurs when the field is set and not when the document is
 * written.
 */
export function checkValue(name: string, value: object | null): void {
  if (value === null || Array.isArray(value) || value instanceof Map || value instanceof Double) return;
  if (value instanceof Uint8Array) return;
  const kind = value.constructor?.name ?? 'object';
  throw new HeadraceError('HR_DOCUMENT_TYPE', `Field "${name}" cannot hold this value (${kind})`, {
    hint: 'In a document, objects are Maps. Call toValue() to convert plain data to a field value.',
  });
}

/** Removes the undefined values from a list. Returns the list. */
export function withoutMissing(values: (Value | undefined)[]): Value[] {
  let count = 0;
  for (let i = 0; i < values.length; i++) if (values[i] !== undefined) values[count++] = values[i];
  values.length = count;
  return values as Value[];
}

/** Returns a deep copy. Scalars are returned unchanged, because they are immutable. */
export function copyValue(value: Value): Value {
  if (typeof value !== 'object' || value === null || value instanceof Double) return value;
  if (Array.isArray(value)) return value.map(copyValue);
  // `Buffer.slice` would share the memory, so the bytes are copied.
  if (value instanceof Uint8Array) return new Uint8Array(value);
  const copy: JsonObject = new Map();
  for (const [key, member] of value) copy.set(key, copyValue(member));
  return copy;
}

/**
 * Returns a value as a string, for components that process text. Numbers are in Java's notation (`1.0`, `1.0E10`),
 * bytes are base64, objects and arrays are an empty string. Returns null for null.
 */
export function textOf(value: Value): string | null {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return Number.isSafeInteger(value) ? integerText(value) : doubleText(value);
    case 'boolean':
    case 'bigint':
      return String(value);
  }
  if (value === null) return null;
  if (value instanceof Double) return doubleText(value.value);
  if (value instanceof Uint8Array) return base64(value);
  return '';
}

/** Returns bytes as padded base64 in the standard alphabet. */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/**
 * Returns true if two values are the same JSON. Types of numbers are distinguished (`1`, `1.0`). The order of keys is
 * ignored.
 */
export function equalValues(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return typeof a === 'number' && typeof b === 'number' && Number.isNaN(a) && Number.isNaN(b);
  }
  if (a instanceof Double) return b instanceof Double && Object.is(a.value, b.value);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalValues(item, b[i] as Value));
  }
  if (!(b instanceof Map) || a.size !== b.size) return false;
  for (const [key, member] of a) {
    const other = b.get(key);
    if (other === undefined || !equalValues(member, other)) return false;
  }
  return true;
}

/**
 * Converts plain JavaScript data, for example from a custom component, to a field value. Plain objects become maps,
 * dates become ISO strings, arrays of 32-bit floats become lists of the numbers that they print as. Throws a
 * `TypeError` that names an unsupported type.
 */
export function toValue(data: unknown): Value {
  switch (typeof data) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
      return data;
    case 'object':
      break;
    default:
      throw new TypeError(`A ${typeof data} cannot be the value of a field`);
  }
  if (data === null || data instanceof Double || data instanceof Uint8Array) return data;
  if (Array.isArray(data)) return data.map(toValue);
  if (data instanceof Date) return instantText(data);
  if (data instanceof Float32Array) return Array.from(data, (float) => double(widenFloat(float)));
  const tag = Object.prototype.toString.call(data).slice(8, -1);
  if (tag !== 'Object' && !(data instanceof Map)) throw new TypeError(`A ${tag} cannot be the value of a field`);
  const object: JsonObject = new Map();
  for (const [key, member] of data instanceof Map ? data : Object.entries(data)) {
    if (member !== undefined) object.set(String(key), toValue(member));
  }
  return object;
}

function instantText(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new TypeError('An invalid Date cannot be the value of a field');
  return date.toISOString().replace('.000Z', 'Z');
}

/** Returns the values without repetitions. Objects and lists are compared by content. */
export function distinctValues(values: readonly Value[]): Value[] {
  const scalars = new Set<Value>();
  const doubles = new Set<string>();
  const nested: Value[] = [];
  return values.filter((value) => {
    // A Set compares scalars as JSON does.
    if (typeof value !== 'object' || value === null) return isNew(scalars, value);
    if (value instanceof Double) return isNew(doubles, value.toString());
    if (nested.some((other) => equalValues(other, value))) return false;
    nested.push(value);
    return true;
  });
}

function isNew<T>(seen: Set<T>, value: T): boolean {
  const { size } = seen;
  return seen.add(value).size > size;
}
