import { HeadraceError, type JsonObject, type Value } from '@headrace/engine';
import { connectValue } from './connect-values.ts';

/**
 * What a message of Debezium says about a row. `nothing`: the message is about no row. A deleted row has at least the
 * columns of its key, or is undefined if the message does not contain it.
 */
export type RowChange =
  | { readonly kind: 'write'; readonly row: JsonObject }
  | { readonly kind: 'delete'; readonly row: JsonObject | undefined }
  | { readonly kind: 'nothing' };

/** Debezium writes this in place of a long value that a change has not touched. */
const UNAVAILABLE = '__debezium_unavailable_value';
const UNAVAILABLE_BASE64 = Buffer.from(UNAVAILABLE).toString('base64');

/**
 * Returns what an envelope of Debezium says, with or without the schema of Kafka Connect's JSON. Throws for other
 * values, and for a truncated table: the documents of its rows are not known.
 */
export function rowChange(value: Value): RowChange {
  const { schema, payload } = withSchema(value);
  if (payload === null) return { kind: 'delete', row: undefined };
  if (!(payload instanceof Map) || typeof payload.get('op') !== 'string') {
    throw notAnEnvelope(payload instanceof Map ? 'it has no field op' : 'it is not an object');
  }
  const op = payload.get('op') as string;
  switch (op) {
    case 'c':
    case 'u':
    case 'r': {
      const row = rowOf(payload, schema, 'after');
      if (row === undefined) throw notAnEnvelope(`op is ${op}, but after is not an object`);
      return { kind: 'write', row };
    }
    case 'd':
      return { kind: 'delete', row: rowOf(payload, schema, 'before') };
    case 't':
      throw new HeadraceError('HR_DOCUMENT_TYPE', `${tableOf(payload)} was truncated: its documents were not deleted`, {
        hint: 'Rebuild the index.',
      });
    case 'm':
      return { kind: 'nothing' };
    default:
      throw notAnEnvelope(`op is ${JSON.stringify(op.slice(0, 20))}`);
  }
}

/** Returns the value of a key of Kafka Connect's JSON. Other values are unchanged. */
export function connectKey(value: Value): Value {
  const { schema, payload } = withSchema(value);
  return connectValue(payload, schema);
}

/** Removes the values that the message does not contain. Returns the names of their columns. */
export function removeUnavailable(row: JsonObject): string[] {
  const names: string[] = [];
  for (const [name, value] of row) {
    if (value !== UNAVAILABLE && value !== UNAVAILABLE_BASE64) continue;
    row.delete(name);
    names.push(name);
  }
  return names;
}

function withSchema(value: Value): { readonly schema: Value | undefined; readonly payload: Value } {
  if (value instanceof Map && value.size === 2 && value.has('schema')) {
    const payload = value.get('payload');
    if (payload !== undefined) return { schema: value.get('schema'), payload };
  }
  // A key or a value of a hand-written producer.
  if (value instanceof Map && value.size === 1 && value.get('payload') instanceof Map) {
    return { schema: undefined, payload: value.get('payload') as JsonObject };
  }
  return { schema: undefined, payload: value };
}

function rowOf(payload: JsonObject, schema: Value | undefined, name: 'before' | 'after'): JsonObject | undefined {
  const row = payload.get(name);
  if (!(row instanceof Map)) return undefined;
  const fields = schema instanceof Map ? schema.get('fields') : undefined;
  const its = Array.isArray(fields)
    ? fields.find((field) => field instanceof Map && field.get('field') === name)
    : undefined;
  connectValue(row, its);
  return row;
}

function tableOf(payload: JsonObject): string {
  const source = payload.get('source');
  const table = source instanceof Map ? source.get('table') : undefined;
  return typeof table === 'string' ? `The table ${table}` : 'The table';
}

function notAnEnvelope(reason: string): HeadraceError {
  return new HeadraceError('HR_DOCUMENT_TYPE', `it is no message of Debezium: ${reason}`, {
    hint: 'Remove unwrap for other messages.',
  });
}
