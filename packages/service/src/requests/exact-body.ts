import { type JsonObject, readHoconBody, readJson, type Value } from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';
import { notJson } from './json-body.ts';

/** A parsed request body. */
export interface ExactBody {
  body: JsonObject;
  /** The JSON text that contains the object `config`. */
  json: string;
  /** The object `config` as HOCON, at its position in the body. Undefined if the body is JSON. */
  hocon: string | undefined;
}

/**
 * Parses a body with the reader of the engine, which keeps the kinds of numbers in documents and configs. A body that
 * is not JSON is read as HOCON.
 * @param check throws if the body does not match the schema
 */
export function readExactBody(bytes: Uint8Array, check: (value: unknown) => void): ExactBody {
  const text = textOf(bytes);
  try {
    return { body: readObject(text, check), json: text, hocon: undefined };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const read = readHoconBody(text);
    if ('problem' in read) throw notJson(text, error, read.problem);
    return { body: readObject(read.json, check), json: read.json, hocon: read.config };
  }
}

/** Parses a body that must be JSON, with the reader of the engine. */
export function readJsonBody(bytes: Uint8Array, check: (value: unknown) => void): JsonObject {
  const text = textOf(bytes);
  try {
    return readObject(text, check);
  } catch (error) {
    throw error instanceof ApiError ? error : notJson(text, error);
  }
}

function textOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (text.trim() === '') throw new ApiError('HR_REQUEST_EMPTY_BODY', 'The body is empty; a JSON object is expected');
  return text;
}

function readObject(text: string, check: (value: unknown) => void): JsonObject {
  check(JSON.parse(text));
  return readJson(text) as Value as JsonObject;
}
