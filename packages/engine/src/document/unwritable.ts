import { HeadraceError } from '../errors/headrace-error.ts';
import type { Document } from './document.ts';
import { nameOfNoValue } from './json-writer.ts';
import { Double, type Value } from './value.ts';

/**
 * Returns the error for a document that cannot be written because a custom component has set a field to a value that is
 * not one: it names the field. Returns the given error if no field explains it. Checks all values of the document, so
 * call it only for an error.
 */
export function unwritable(document: Document, error: unknown): unknown {
  const isOfValue =
    error instanceof RangeError || (error instanceof HeadraceError && error.code === 'HR_DOCUMENT_TYPE');
  if (!isOfValue) return error;
  const { fieldNames, fieldValues } = document;
  for (let i = 0; i < fieldNames.length; i++) {
    const fault = faultOf(fieldValues[i] as Value);
    if (fault === undefined) continue;
    const [what, hint] = fault;
    return new HeadraceError('HR_DOCUMENT_TYPE', `Field "${fieldNames[i]}" holds ${what}`, { hint, cause: error });
  }
  return error;
}

type Fault = readonly [what: string, hint: string];

const ITSELF = 'Set the field to a copy, such as [...list] or new Map(object): a document is written as JSON.';
const TOO_MANY = 'Correct the stage that sets the field, or set it to a text, such as the JSON of the value.';
const NO_VALUE = 'In a document, objects are Maps. Call toValue() to convert plain data to field values.';

function faultOf(value: Value): Fault | undefined {
  try {
    return faultInside(value, new Set());
  } catch (error) {
    if (error instanceof RangeError) return ['lists or objects with too many levels', TOO_MANY];
    throw error;
  }
}

/** @param around the lists and objects that contain the value */
function faultInside(value: Value, around: Set<Value>): Fault | undefined {
  const isList = Array.isArray(value);
  if (!isList && !(value instanceof Map)) {
    return isValue(value) ? undefined : [`${nameOfNoValue(value)}, which is not a value of a document`, NO_VALUE];
  }
  if (around.has(value)) return [`${isList ? 'a list' : 'an object'} that contains itself`, ITSELF];
  around.add(value);
  for (const member of value.values()) {
    const fault = faultInside(member, around);
    if (fault !== undefined) return fault;
  }
  around.delete(value);
  return undefined;
}

function isValue(value: unknown): boolean {
  if (value === null || value instanceof Double || value instanceof Uint8Array) return true;
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof value);
}
