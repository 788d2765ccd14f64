import type { DataType, Schema } from 'apache-arrow';
import { type Document, Double, textOf, type Value, writeValue } from 'headrace/engine';
import type { LanceLibrary } from './lance-library.ts';

/** The types of the parameter `fields`. */
export const FIELD_TYPES = ['text', 'integer', 'number', 'texts'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/** The columns of a table that the indexer creates. */
export interface NewColumns {
  readonly vectorField: string;
  /** The length of the vectors. */
  readonly dimensions: number;
  readonly fields: ReadonlyMap<string, FieldType>;
}

/** Returns the schema of a new table. */
export function schemaOf({ arrow }: LanceLibrary, { vectorField, dimensions, fields }: NewColumns): Schema {
  const types: Readonly<Record<FieldType, () => DataType>> = {
    text: () => new arrow.Utf8(),
    integer: () => new arrow.Int64(),
    number: () => new arrow.Float64(),
    texts: () => new arrow.List(new arrow.Field('item', new arrow.Utf8(), true)),
  };
  const vector = new arrow.FixedSizeList(dimensions, new arrow.Field('item', new arrow.Float32(), true));
  return new arrow.Schema([
    new arrow.Field('id', new arrow.Utf8(), false),
    ...[...fields].map(([name, type]) => new arrow.Field(name, types[type](), true)),
    new arrow.Field(vectorField, vector, true),
  ]);
}

/**
 * Returns what the columns of the config have that the existing table does not: a column, or another length of the
 * vectors. Its documents would lose the field, or all fail. Undefined if the table has all of them.
 */
export function misfitOf(
  { arrow }: LanceLibrary,
  schema: Schema,
  { vectorField, dimensions, fields }: NewColumns,
): string | undefined {
  const missing = [...fields.keys()].filter((name) => !schema.names.includes(name));
  if (missing.length > 0) return `it has no column ${missing.join(', ')}, which lancedb.fields names`;
  const type = schema.fields.find(({ name }) => name === vectorField)?.type;
  if (!arrow.DataType.isFixedSizeList(type) || type.listSize === dimensions) return undefined;
  return `the vectors in ${vectorField} have ${type.listSize} values, but lancedb.dimensions is ${dimensions}`;
}

/** Converts documents to rows. Fields without a column are omitted; columns without a field become null. */
export class RowConverter {
  readonly #columns: readonly { readonly name: string; readonly convert: (value: Value) => unknown }[];

  constructor({ arrow }: LanceLibrary, schema: Schema, vectorField: string) {
    const { DataType } = arrow;
    const converterOf = (type: DataType): ((value: Value) => unknown) | undefined => {
      if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) return textFor;
      if (DataType.isFloat(type)) return numberOf;
      if (DataType.isInt(type)) return type.bitWidth === 64 ? integerOf : (value) => Number(integerOf(value));
      if (DataType.isFixedSizeList(type)) return (value) => listOf(value, type.listSize).map(numberOf);
      if (!DataType.isList(type)) return undefined;
      const item = converterOf(type.children[0]?.type as DataType);
      return item === undefined ? undefined : (value) => listOf(value).map((one) => (one === null ? null : item(one)));
    };
    this.#columns = schema.fields.map(({ name, type }) => {
      const convert = converterOf(type);
      // apache-arrow writes no bits for booleans that are all null, which LanceDB refuses.
      if (convert === undefined) throw new Error(`The column ${name} has the type ${type}, which is not supported`);
      return { name, convert };
    });
    if (!schema.fields.some(({ name }) => name === vectorField)) {
      throw new Error(`The table has no column ${vectorField}, only ${schema.names.join(', ')}`);
    }
  }

  /** Throws if a value does not fit its column; the message names the column. */
  row(document: Document): Record<string, unknown> {
    const row: Record<string, unknown> = {};
    for (const { name, convert } of this.#columns) {
      const value = document.get(name);
      try {
        row[name] = value === undefined || value === null ? null : convert(value);
      } catch (error) {
        throw new Error(`The field ${name} does not fit its column: ${(error as Error).message}`);
      }
    }
    return row;
  }
}

function textFor(value: Value): string | null {
  return value instanceof Map || Array.isArray(value) ? writeValue(value) : (textOf(value) ?? null);
}

function listOf(value: Value, length?: number): readonly Value[] {
  const list = Array.isArray(value) ? value : [value];
  if (length === undefined || list.length === length) return list;
  throw new Error(`it has ${list.length} values, not ${length}`);
}

function numberOf(value: Value): number {
  const number = value instanceof Double ? value.value : value;
  if (typeof number === 'number') return number;
  if (typeof number === 'bigint') return Number(number);
  throw new Error(`${written(value)} is not a number`);
}

function integerOf(value: Value): bigint {
  const number = value instanceof Double ? value.value : value;
  if (typeof number === 'bigint') return number;
  if (typeof number === 'number' && Number.isInteger(number)) return BigInt(number);
  if (typeof number === 'boolean') return number ? 1n : 0n;
  throw new Error(`${written(value)} is not an integer`);
}

function written(value: Value): string {
  return writeValue(value).slice(0, 50);
}
