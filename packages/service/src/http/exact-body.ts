import { type JsonObject, readJson, type Value } from '@headrace/engine';
import { Refusal } from '../errors/refusal.ts';
import { notJson } from './json-body.ts';

/**
 * Reads a body with the engine's own reader: documents and configs in it keep the kinds of their numbers.
 * @param check refuses what breaks the schema
 */
export function readExactBody(bytes: Uint8Array, check: (value: unknown) => void): { text: string; body: JsonObject } {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (text.trim() === '') throw new Refusal('HR_REQUEST_EMPTY_BODY', 'The body is empty; a JSON object is expected');
  let body: Value;
  try {
    check(JSON.parse(text));
    body = readJson(text);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw notJson(text, error);
  }
  return { text, body: body as JsonObject };
}
