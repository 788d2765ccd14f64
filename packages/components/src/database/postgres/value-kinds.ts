/** How the text of a column becomes a value. The prefix `array:` precedes the kind of the elements. Plain data. */
export type ValueKind = ScalarKind | `array:${ScalarKind}`;

export type ScalarKind =
  | 'int'
  | 'int8'
  | 'double'
  | 'boolean'
  | 'text'
  | 'bytes'
  | 'instant'
  | 'json'
  | 'money'
  | 'other';

/**
 * The types that every Postgres has, by their fixed numbers (pg_type.dat in its sources). All others, including arrays,
 * are looked up.
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
  700: 'double', // float4: its text is the shortest, as Java prints it
  701: 'double', // float8
  790: 'money',
  1042: 'text', // char(n)
  1043: 'text', // varchar
  1082: 'instant', // date
  1083: 'text', // time
  1114: 'instant', // timestamp
  1184: 'instant', // timestamptz
  1266: 'text', // timetz
  1700: 'double', // numeric
  2950: 'text', // uuid
  3802: 'json', // jsonb
};
const BIT = 1560;

/** The facts about a column. */
export interface ColumnType {
  readonly dataTypeID: number;
  readonly dataTypeModifier: number;
}

/** A row of pg_type: what an array is made of. */
export interface TypeRow {
  readonly oid: number;
  readonly element: number;
  readonly isArray: boolean;
}

/** Whether pg_type must be asked for the type. */
export function isUnknownType({ dataTypeID }: ColumnType): boolean {
  return KINDS[dataTypeID] === undefined && dataTypeID !== BIT;
}

/** The kind of a column; `types` has the rows of pg_type for the unknown ones. */
export function kindOf({ dataTypeID, dataTypeModifier }: ColumnType, types: ReadonlyMap<number, TypeRow>): ValueKind {
  // JDBC treats a single bit as a boolean.
  if (dataTypeID === BIT) return dataTypeModifier === 1 ? 'boolean' : 'text';
  const kind = KINDS[dataTypeID];
  if (kind !== undefined) return kind;
  const type = types.get(dataTypeID);
  return type?.isArray === true ? `array:${KINDS[type.element] ?? 'other'}` : 'other';
}
