import { parseJson } from 'headrace/engine';
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
  timestamp,
  type ValueElement,
} from '../table-field.ts';

/** How a table names its columns in files. (Source: PROTOCOL.md of Delta Lake, "Column Mapping".) */
export type MappingMode = 'none' | 'name' | 'id';

const VALUES: Readonly<Record<string, ValueElement>> = {
  string: TEXT,
  long: INTEGER,
  integer: INTEGER,
  short: INTEGER,
  byte: INTEGER,
  float: FLOAT,
  double: DOUBLE,
  boolean: BOOLEAN,
  binary: BYTES,
  date: DATE,
  timestamp: timestamp('MICROS', true),
  timestamp_ntz: timestamp('MICROS', false),
  // A column of nulls, which files do not have.
  void: TEXT,
};

/** Returns the columns of the schema that a log states. */
export function deltaFields(schemaString: string, mode: MappingMode): TableField[] {
  const type = typeOf(parseJson(schemaString), mode, 0);
  if (type.kind !== 'struct') throw new Error('its schema is not that of rows');
  return [...type.fields];
}

/** A deeper schema could need more stack than a thread has. */
const MAX_DEPTH = 100;

function typeOf(stated: unknown, mode: MappingMode, depth: number): FieldType {
  if (depth > MAX_DEPTH) throw new Error(`its schema has more than ${MAX_DEPTH} levels`);
  if (typeof stated === 'string') {
    const [, precision, scale] = /^decimal\((\d+),\s*(-?\d+)\)$/.exec(stated) ?? [];
    if (precision !== undefined) return { kind: 'value', element: decimal(Number(precision), Number(scale)) };
    if (Object.hasOwn(VALUES, stated)) return { kind: 'value', element: VALUES[stated] as ValueElement };
    throw new Error(`the type ${stated} of its schema is not supported`);
  }
  const { type, fields, elementType, keyType, valueType } = (stated ?? {}) as Record<string, unknown>;
  if (type === 'struct' && Array.isArray(fields)) {
    return {
      kind: 'struct',
      fields: fields.map((field) => fieldOf(field as Record<string, unknown>, mode, depth + 1)),
    };
  }
  if (type === 'array') return { kind: 'list', item: typeOf(elementType, mode, depth + 1) };
  if (type === 'map') {
    return { kind: 'map', key: typeOf(keyType, mode, depth + 1), value: typeOf(valueType, mode, depth + 1) };
  }
  throw new Error(`the type ${String(type)} of its schema is not supported`);
}

function fieldOf({ name, type, metadata }: Record<string, unknown>, mode: MappingMode, depth: number): TableField {
  const { 'delta.columnMapping.id': id, 'delta.columnMapping.physicalName': physicalName } = (metadata ?? {}) as Record<
    string,
    unknown
  >;
  if (typeof name !== 'string') throw new Error('a column of its schema has no name');
  if (mode !== 'none' && typeof physicalName !== 'string') throw new Error(`the column ${name} has no physical name`);
  if (mode === 'id' && typeof id !== 'number') throw new Error(`the column ${name} has no id`);
  return {
    name,
    ...(mode === 'id' ? { id: id as number } : {}),
    fileNames: [mode === 'none' ? name : (physicalName as string)],
    type: typeOf(type, mode, depth),
  };
}
