import { type Column, LazyColumn } from './lazy-column.ts';
import type { SourceText, SourceTexts } from './source-text.ts';
import type { Value } from './value.ts';

/**
 * A field of a table. A changed field is replaced by a new object, so that an earlier state of the table can be
 * restored.
 */
export interface Field {
  readonly name: string;
  /** The values. Undefined until they are read from `lazy` or copied from `origin`. */
  column: Column | undefined;
  readonly lazy: LazyColumn | undefined;
  /** True if some documents do not have the field. */
  sparse: boolean;
  /** The field of the original table and the numbers of its rows, if this table was selected from another one. */
  readonly origin: Field | undefined;
  readonly rows: readonly number[] | undefined;
  /** The text that contains all values of the field, or the texts that contain those values that are texts. */
  readonly source: SourceText | SourceTexts | undefined;
}

/** Returns a new field with these values. `known` says where they come from. */
export function newField(name: string, values: Column | LazyColumn, sparse: boolean, known?: Field['source']): Field {
  const [column, lazy] = values instanceof LazyColumn ? [undefined, values] : [values, undefined];
  return { name, column, lazy, sparse, origin: undefined, rows: undefined, source: known ?? lazy?.source };
}

/** Returns a field with the same values and another name, or whose values may be missing. No spread: it would make another hidden class. */
export function copyField(field: Field, name: string, sparse: boolean): Field {
  const { column, lazy, origin, rows, source } = field;
  return { name, column, lazy, sparse, origin, rows, source };
}

/** Returns the values of a field. If the field was selected, this shows whether one of these documents lacks it. */
export function columnOf(field: Field): Column {
  field.column ??= field.lazy === undefined ? copyRows(field) : field.lazy.values;
  return field.column;
}

function copyRows(field: Field): Column {
  const column = rowsOf(columnOf(field.origin as Field), field.rows as readonly number[]);
  if (field.sparse) field.sparse = column.includes(undefined);
  return column;
}

function rowsOf(values: Column, rows: readonly number[]): Column {
  const column: (Value | undefined)[] = new Array(rows.length);
  for (let i = 0; i < column.length; i++) column[i] = values[rows[i] as number];
  return column;
}

/**
 * Returns a field with the values that some rows have after a change.
 * @param field the field before the change; undefined if it did not exist
 * @param changed the field of these rows; undefined if they lost it
 */
export function mergedField(
  field: Field | undefined,
  changed: Field | undefined,
  rows: readonly number[],
  count: number,
): Field {
  const column = field === undefined ? new Array(count).fill(undefined) : columnOf(field).slice();
  setRows(column, rows, changed === undefined ? undefined : columnOf(changed));
  const sparse = field === undefined || field.sparse || changed === undefined || changed.sparse;
  // Only changes that remove values keep the source.
  const source = changed === undefined || changed.source === field?.source ? field?.source : undefined;
  return newField((field ?? (changed as Field)).name, column, sparse, source);
}

function setRows(column: (Value | undefined)[], rows: readonly number[], values: Column | undefined): void {
  for (let i = 0; i < rows.length; i++) column[rows[i] as number] = values?.[i];
}

/** Returns true if some documents may lack a field. */
export function hasGaps(field: Field): boolean {
  if (field.sparse) columnOf(field);
  return field.sparse;
}
