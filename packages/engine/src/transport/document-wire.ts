import { Document } from '../document/document.ts';
import { notAValue } from '../document/json-writer.ts';
import { internName } from '../document/names.ts';
import { Shape } from '../document/shape.ts';
import { base64, Double, type JsonObject, type Value } from '../document/value.ts';

/**
 * The format of documents for the transfer between threads: JSON, which V8 reads and writes natively and much faster
 * than a structured clone. A batch is a list that alternates names and values. 0 instead of names means the names of
 * the previous document. Objects, and values that JSON lacks, are objects with a tag. Every object has a tag, so the
 * format is unambiguous.
 */
export type WireValue = string | number | boolean | null | WireValue[] | Tagged;
type Tagged = { d: string } | { i: string } | { b: string } | { o: (string | WireValue)[] };

const NO_FIELDS = Shape.of([]);

/** Encodes documents as bytes, in order. */
export function encodeDocuments(documents: readonly Document[]): Uint8Array<ArrayBuffer> {
  const wire: (readonly string[] | 0 | WireValue[])[] = [];
  let lastNames: readonly string[] | undefined;
  for (const { fieldNames, fieldValues } of documents) {
    wire.push(fieldNames === lastNames ? 0 : fieldNames);
    wire.push(encodeList(fieldValues));
    lastNames = fieldNames;
  }
  const text = JSON.stringify(wire);
  // Uses a separate buffer, because a slice of Node's buffer pool cannot be transferred.
  const bytes = new Uint8Array(Buffer.byteLength(text));
  Buffer.from(bytes.buffer).write(text, 'utf8');
  return bytes;
}

/** Decodes documents that `encodeDocuments` encoded. */
export function decodeDocuments(bytes: Uint8Array): Document[] {
  const wire = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) as (
    | string[]
    | 0
    | WireValue[]
  )[];
  const documents: Document[] = [];
  let shape = NO_FIELDS;
  for (let i = 0; i < wire.length; i += 2) {
    if (wire[i] !== 0) shape = Shape.common(wire[i] as string[]);
    documents.push(new Document(shape, decodeList(wire[i + 1] as WireValue[])));
  }
  return documents;
}

/** Converts values to values that `JSON.stringify` can write. Returns the same list if all can be written unchanged. */
export function encodeList(values: readonly Value[]): WireValue[] {
  for (let i = 0; i < values.length; i++) {
    if (isSpecial(values[i] as Value)) return values.map(encodeValue);
  }
  return values as WireValue[];
}

function isSpecial(value: Value): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'bigint' || (typeof value === 'object' && value !== null);
}

function encodeValue(value: Value): WireValue {
  if (!isSpecial(value)) return value as WireValue;
  if (typeof value === 'number') return { d: String(value) };
  if (typeof value === 'bigint') return { i: value.toString() };
  if (value instanceof Double) return { d: Object.is(value.value, -0) ? '-0' : String(value.value) };
  if (value instanceof Uint8Array) return { b: base64(value) };
  if (Array.isArray(value)) return encodeList(value);
  if (!(value instanceof Map)) throw notAValue(value);
  const members: (string | WireValue)[] = [];
  for (const [key, member] of value) members.push(key, encodeValue(member));
  return { o: members };
}

/** Restores the values that `encodeList` converted, after `JSON.parse`. Changes the list. */
export function decodeList(values: WireValue[]): Value[] {
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value === 'object' && value !== null) values[i] = decodeValue(value) as WireValue;
  }
  return values as Value[];
}

function decodeValue(value: WireValue): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return decodeList(value);
  if ('d' in value) {
    const number = Number(value.d);
    return Number.isInteger(number) ? new Double(number) : number;
  }
  if ('i' in value) return BigInt(value.i);
  if ('b' in value) return new Uint8Array(Buffer.from(value.b, 'base64'));
  const object: JsonObject = new Map();
  for (let i = 0; i < value.o.length; i += 2) {
    object.set(internName(value.o[i] as string), decodeValue(value.o[i + 1] as WireValue));
  }
  return object;
}
