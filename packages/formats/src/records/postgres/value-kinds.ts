/**
 * The conversion of a column's text to a value. For arrays, `array:` precedes the kind of the elements. It is plain
 * data.
 */
export type ValueKind = ScalarKind | `array:${ScalarKind}`;

export type ScalarKind =
  | 'int'
  | 'int8'
  | 'double'
  | 'decimal'
  | 'boolean'
  | 'text'
  | 'bytes'
  | 'instant'
  | 'date'
  | 'json'
  | 'money'
  | 'other';

/**
 * The types that every Postgres has, by their fixed numbers (pg_type.dat in its sources). Other types, including
 * arrays, are looked up in the database.
 */
const KINDS: Readonly<Record<number, ScalarKind>> = {
  16: 'boolean',
  17: 'bytes',
  18: 'text', // "char"
  19: 'text', // name
  20: 'int8',
  21: 'int', // int2
  23: 'int', // int4
  25: 'text',
  26: 'int', // oid
  114: 'json',
  142: 'text', // xml
  700: 'double', // float4: its text is the shortest, as in Java
  701: 'double', // float8
  790: 'money',
  1042: 'text', // char(n)
  1043: 'text', // varchar
  1082: 'date',
  1083: 'text', // time
  1114: 'instant', // timestamp
  1184: 'instant', // timestamptz
  1266: 'text', // timetz
  1700: 'decimal', // numeric
  2950: 'text', // uuid
  3802: 'json', // jsonb
};
const BIT = 1560;

/** The type of a column in the protocol. */
export interface ColumnType {
  readonly dataTypeID: number;
  readonly dataTypeModifier: number;
}

/** A row of pg_type, which describes the elements of an array. */
export interface TypeRow {
  readonly oid: number;
  readonly element: number;
  readonly isArray: boolean;
}

/** Returns whether the type must be looked up in pg_type. */
export function isUnknownType({ dataTypeID }: ColumnType): boolean {
  return KINDS[dataTypeID] === undefined && dataTypeID !== BIT;
}

/** Returns the kind of a column. `types` has the rows of pg_type for the unknown types. */
export function kindOf({ dataTypeID, dataTypeModifier }: ColumnType, types: ReadonlyMap<number, TypeRow>): ValueKind {
  // JDBC treats a single bit as a boolean.
  if (dataTypeID === BIT) return dataTypeModifier === 1 ? 'boolean' : 'text';
  const kind = KINDS[dataTypeID];
  if (kind !== undefined) return kind;
  const type = types.get(dataTypeID);
  return type?.isArray === true ? `array:${KINDS[type.element] ?? 'other'}` : 'other';
}
