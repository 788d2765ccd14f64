import type { UpdateMode } from './document.ts';
import type { DocumentTable } from './document-table.ts';
import type { Value } from './value.ts';

/** The result for one document: a value, a list of values, or undefined for nothing to write. */
export type Results = Value | readonly Value[] | undefined;

/** Applies `Document.update` to each document of a table. Undefined and empty lists change nothing. */
export function updateColumn(table: DocumentTable, field: string, mode: UpdateMode, results: readonly Results[]): void {
  const present = table.column(field);
  if ((present === undefined || mode === 'overwrite') && isComplete(results)) {
    table.set(field, results, false);
    return;
  }
  const column: (Value | undefined)[] = new Array(results.length);
  let sparse = false;
  for (let row = 0; row < results.length; row++) {
    const value = updated(present?.[row], mode, results[row]);
    if (value === undefined) sparse = true;
    column[row] = value;
  }
  // The field is missing in the table and there is nothing to write, so it stays missing.
  if (sparse && present === undefined && column.every((value) => value === undefined)) return;
  table.set(field, column, sparse);
}

/**
 * Writes to `dest` the result of a function for each value of `source` and its row. Documents without `source` do not change.
 * If both fields are the same, `remove` removes the field if the function returns nothing and the mode is `overwrite`.
 */
export function mapColumn(
  table: DocumentTable,
  source: string,
  dest: string,
  mode: UpdateMode,
  map: (value: Value, row: number) => Results,
  remove = false,
): void {
  const values = table.column(source);
  if (values === undefined) return;
  const kept = mode === 'skip' ? table.column(dest) : undefined;
  const results: Results[] = new Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (value !== undefined && kept?.[row] === undefined) results[row] = map(value, row);
  }
  if (!remove || source !== dest || mode !== 'overwrite') {
    updateColumn(table, dest, mode, results);
    return;
  }
  const column = results.map((result) => updated(undefined, mode, result));
  if (column.every((value) => value === undefined)) table.remove(dest);
  else table.set(dest, column, column.includes(undefined));
}

/** Returns whether each document gets exactly one value. */
function isComplete(results: readonly Results[]): results is readonly Value[] {
  for (let row = 0; row < results.length; row++) {
    const result = results[row];
    if (typeof result !== 'string' && (result === undefined || Array.isArray(result))) return false;
  }
  return true;
}

/** Returns the new value of a field, or undefined if the document then lacks the field. */
function updated(present: Value | undefined, mode: UpdateMode, result: Results): Value | undefined {
  if (result === undefined || (Array.isArray(result) && result.length === 0)) return present;
  if (present !== undefined && mode === 'skip') return present;
  if (present === undefined || mode === 'overwrite') {
    if (!Array.isArray(result)) return result as Value;
    const first = result[0] as Value;
    if (result.length === 1) return first;
    return Array.isArray(first) ? [...first, ...result.slice(1)] : (result as Value);
  }
  // The list is copied, because another field may contain the same list.
  const list = Array.isArray(present) ? [...present] : [present];
  if (Array.isArray(result)) for (const value of result as readonly Value[]) list.push(value);
  else list.push(result as Value);
  return list;
}
