import { type JsonObject, textOf, type Value, writeValue } from 'headrace/engine';
import {
  BOOLEAN,
  BYTES,
  DATE,
  DOUBLE,
  decimal,
  type FieldType,
  FLOAT,
  INTEGER,
  type TableField,
  TEXT,
  TIME,
  timestamp,
  UUID,
  type ValueElement,
} from '../table-field.ts';

const VALUES: ReadonlyMap<string, ValueElement> = new Map([
  ['boolean', BOOLEAN],
  ['int', INTEGER],
  ['long', INTEGER],
  ['float', FLOAT],
  ['double', DOUBLE],
  ['date', DATE],
  ['time', TIME],
  ['timestamp', timestamp('MICROS', false)],
  ['timestamptz', timestamp('MICROS', true)],
  ['timestamp_ns', timestamp('NANOS', false)],
  ['timestamptz_ns', timestamp('NANOS', true)],
  ['string', TEXT],
  ['uuid', UUID],
  ['binary', BYTES],
  // A column of nulls, which files do not have.
  ['unknown', TEXT],
]);

/** The names that columns have in files without ids, by the ids of the columns. */
export type NameMapping = ReadonlyMap<number, readonly string[]>;

/** A deeper schema could need more stack than a thread has. */
const MAX_DEPTH = 100;

/** Returns the columns of a schema of the metadata. */
export function icebergFields(schema: JsonObject, names: NameMapping | undefined): TableField[] {
  const type = typeOf(schema, names, 0);
  if (type.kind !== 'struct') throw new Error('its schema is not that of rows');
  return [...type.fields];
}

function typeOf(stated: Value | undefined, names: NameMapping | undefined, depth: number): FieldType {
  if (depth > MAX_DEPTH) throw new Error(`its schema has more than ${MAX_DEPTH} levels`);
  if (typeof stated === 'string') {
    const value = VALUES.get(stated);
    if (value !== undefined) return { kind: 'value', element: value };
    const [, precision, scale] = /^decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)$/.exec(stated) ?? [];
    if (precision !== undefined) return { kind: 'value', element: decimal(Number(precision), Number(scale)) };
    if (/^fixed\[\d+\]$/.test(stated)) return { kind: 'value', element: BYTES };
  }
  const inside = (part: string) => typeOf((stated as JsonObject).get(part), names, depth + 1);
  if (stated instanceof Map) {
    switch (stated.get('type')) {
      case 'struct': {
        const fields = stated.get('fields') as readonly JsonObject[];
        return { kind: 'struct', fields: fields.map((field) => fieldOf(field, names, depth + 1)) };
      }
      case 'list':
        return { kind: 'list', item: inside('element') };
      case 'map':
        return { kind: 'map', key: inside('key'), value: inside('value') };
    }
  }
  throw new Error(`its schema has the type ${String(stated)}, which is not supported`);
}

function fieldOf(field: JsonObject, names: NameMapping | undefined, depth: number): TableField {
  const [id, name] = [field.get('id'), field.get('name')];
  if (typeof id !== 'number' || typeof name !== 'string') throw new Error('a column of its schema has no id or name');
  const type = typeOf(field.get('type'), names, depth);
  const initial = initialText(field.get('initial-default') ?? null, type);
  return { name, id, fileNames: names?.get(id) ?? [], type, ...(initial === null ? {} : { initial }) };
}

/** Returns a default as `constantOf` reads it. The metadata has bytes as hex digits, and a zone of instants. */
function initialText(initial: Value, type: FieldType): string | null {
  const text = initial instanceof Map || Array.isArray(initial) ? writeValue(initial) : textOf(initial);
  if (text === null || type.kind !== 'value') return text;
  if (type.element === BYTES) return Buffer.from(text, 'hex').toString('latin1');
  return type.element.logical_type?.type === 'TIMESTAMP' ? text.replace(/\+00:00$/, 'Z') : text;
}

/** Returns the names of a mapping of the settings of the table. (Source: the specification, "Name Mapping".) */
export function nameMapping(
  fields: readonly JsonObject[],
  found: Map<number, readonly string[]> = new Map(),
): NameMapping {
  for (const field of fields) {
    const id = field.get('field-id');
    if (typeof id === 'number') found.set(id, (field.get('names') ?? []) as string[]);
    const inside = field.get('fields');
    if (Array.isArray(inside)) nameMapping(inside as JsonObject[], found);
  }
  return found;
}
