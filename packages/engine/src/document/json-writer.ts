import { kindOf } from '../errors/contract-error.ts';
import { HeadraceError } from '../errors/headrace-error.ts';
import type { Document } from './document.ts';
import { internName, isInterned } from './names.ts';
import { LONG_LIST, writeDouble, writeNumbers } from './number-list.ts';
import { integerText } from './number-text.ts';
import { base64, Double, type Value } from './value.ts';

// Characters that JSON must escape, and surrogates. Texts with them are written by JSON.stringify, because it escapes
// lone surrogates.
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/** For texts of this length and more, V8's function is faster than the search for characters to escape. */
const LONG_STRING = 128;

/** Returns a string as JSON. */
export function writeString(text: string): string {
  return text.length >= LONG_STRING || NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

const keys = new Map<string, string>();

/** Returns `"name":` as JSON. Cached for interned names. */
export function writeKey(name: string): string {
  let key = keys.get(name);
  if (key === undefined) {
    const kept = internName(name);
    key = `${writeString(kept)}:`;
    if (isInterned(kept)) keys.set(kept, key);
  }
  return key;
}

/**
 * Returns a value as compact JSON. Doubles keep a fraction (`1.0`, `1.0E10`), long integers are exact, bytes are
 * base64. NaN and infinities are strings, because JSON lacks them. Throws `HR_DOCUMENT_TYPE` if a custom component in
 * JavaScript has set a field to an unsupported value.
 */
export function writeValue(value: Value): string {
  switch (typeof value) {
    case 'string':
      return value.length >= LONG_STRING || NEEDS_ESCAPE.test(value) ? JSON.stringify(value) : `"${value}"`;
    case 'number':
      return Number.isSafeInteger(value) ? integerText(value) : writeDouble(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return value.toString();
  }
  if (value === null) return 'null';
  if (value instanceof Double) return writeDouble(value.value);
  if (value instanceof Uint8Array) return `"${base64(value)}"`;
  if (Array.isArray(value)) {
    const numbers = value.length < LONG_LIST ? undefined : writeNumbers(value);
    if (numbers !== undefined) return numbers;
    let text = '[';
    for (let i = 0; i < value.length; i++) text += (i === 0 ? '' : ',') + writeValue(value[i] as Value);
    return `${text}]`;
  }
  if (!(value instanceof Map)) throw notAValue(value);
  let text = '';
  for (const [key, member] of value) text += `${text === '' ? '{' : ','}${writeKey(key)}${writeValue(member)}`;
  return text === '' ? '{}' : `${text}}`;
}

/** Returns the error for a field with an unsupported value, usually a plain object. */
export function notAValue(value: unknown): HeadraceError {
  return new HeadraceError(
    'HR_DOCUMENT_TYPE',
    `A field holds ${nameOfNoValue(value)}, which is not a value of a document`,
    {
      hint: 'In a document, objects are Maps. Call toValue() to convert plain data to field values.',
    },
  );
}

/** Names a value that a field cannot hold, in messages. */
export function nameOfNoValue(value: unknown): string {
  return typeof value === 'object' ? `an object (${Object.prototype.toString.call(value)})` : kindOf(value);
}

/** Returns a document as compact JSON, with the fields in order. */
export function writeDocument(document: Document): string {
  return document.toJson();
}

/**
 * Returns fields as a compact JSON object. There is at least one field.
 * @param mayLack true if fields may lack a value
 */
export function writeFields(names: readonly string[], values: readonly (Value | undefined)[], mayLack = false): string {
  let text = '';
  for (let i = 0; i < names.length; i++) {
    const value = values[i];
    if (mayLack && value === undefined) continue;
    text += (text === '' ? '{' : ',') + writeKey(names[i] as string) + writeValue(value as Value);
  }
  return `${text}}`;
}
