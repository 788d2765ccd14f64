import type { DocumentTable, UpdateMode, Value } from '@headrace/engine';

/** What is written to a field of a document: a value, a list of values, or nothing. */
export type Results = Value | readonly Value[] | undefined;

/** As `Document.update` in each document of a table. Undefined and empty lists change nothing. */
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
  // Nothing to write, and no such field: there is none afterwards.
  if (sparse && present === undefined && column.every((value) => value === undefined)) return;
  table.set(field, column, sparse);
}

/**
 * Writes to a field what a function returns for the values of another one, in each document that has it. If the fields
 * are the same, `remove` says what happens when the function returns nothing in the mode `overwrite`.
 */
export function mapColumn(
  table: DocumentTable,
  source: string,
  dest: string,
  mode: UpdateMode,
  map: (value: Value) => Results,
  remove = false,
): void {
  const values = table.column(source);
  if (values === undefined) return;
  const kept = mode === 'skip' ? table.column(dest) : undefined;
  const results: Results[] = new Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (value !== undefined && kept?.[row] === undefined) results[row] = map(value);
  }
  if (!remove || source !== dest || mode !== 'overwrite') {
    updateColumn(table, dest, mode, results);
    return;
  }
  const column = results.map((result) => updated(undefined, mode, result));
  if (column.every((value) => value === undefined)) table.remove(dest);
  else table.set(dest, column, column.includes(undefined));
}

/** Whether each document gets a single value. */
function isComplete(results: readonly Results[]): results is readonly Value[] {
  for (let row = 0; row < results.length; row++) {
    const result = results[row];
    if (typeof result !== 'string' && (result === undefined || Array.isArray(result))) return false;
  }
  return true;
}

/** The new value of a field; undefined if the document does not have it. */
function updated(present: Value | undefined, mode: UpdateMode, result: Results): Value | undefined {
  if (result === undefined || (Array.isArray(result) && result.length === 0)) return present;
  if (present !== undefined && mode === 'skip') return present;
  if (present === undefined || mode === 'overwrite') {
    if (!Array.isArray(result)) return result as Value;
    const [first, ...rest] = result as [Value, ...Value[]];
    if (rest.length === 0) return first;
    return Array.isArray(first) ? [...first, ...rest] : (result as Value);
  }
  // Another field may have the same list.
  const list = Array.isArray(present) ? [...present] : [present];
  if (Array.isArray(result)) for (const value of result as readonly Value[]) list.push(value);
  else list.push(result as Value);
  return list;
}
