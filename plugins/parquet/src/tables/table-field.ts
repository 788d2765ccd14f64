import type { SchemaElement } from 'hyparquet';

/** A column of a table, or a part of one. */
export interface TableField {
  /** The name of the column in the table. */
  readonly name: string;
  /** The id of the column in files; undefined if files are matched by names. */
  readonly id?: number;
  /** The names that the column may have in files. */
  readonly fileNames: readonly string[];
  readonly type: FieldType;
  /** The value of the column in files that do not have it, as `constantOf` reads it; undefined means null. */
  readonly initial?: string;
}

export type FieldType =
  | { readonly kind: 'value'; readonly element: ValueElement }
  | { readonly kind: 'struct'; readonly fields: readonly TableField[] }
  | { readonly kind: 'list'; readonly item: FieldType }
  | { readonly kind: 'map'; readonly key: FieldType; readonly value: FieldType };

/** What the schema of a Parquet file says about a value of the type. */
export type ValueElement = Omit<SchemaElement, 'name' | 'repetition_type'>;

export const BOOLEAN: ValueElement = { type: 'BOOLEAN' };
export const INTEGER: ValueElement = { type: 'INT64' };
export const FLOAT: ValueElement = { type: 'FLOAT' };
export const DOUBLE: ValueElement = { type: 'DOUBLE' };
export const TEXT: ValueElement = { type: 'BYTE_ARRAY', logical_type: { type: 'STRING' } };
export const BYTES: ValueElement = { type: 'BYTE_ARRAY' };
export const UUID: ValueElement = { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } };
export const DATE: ValueElement = { type: 'INT32', logical_type: { type: 'DATE' } };
export const TIME: ValueElement = {
  type: 'INT64',
  logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MICROS' },
};

/** @param utc whether the timestamp is an instant */
export function timestamp(unit: 'MICROS' | 'NANOS', utc: boolean): ValueElement {
  return { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: utc, unit } };
}

export function decimal(precision: number, scale: number): ValueElement {
  return { type: 'FIXED_LEN_BYTE_ARRAY', logical_type: { type: 'DECIMAL', precision, scale } };
}
