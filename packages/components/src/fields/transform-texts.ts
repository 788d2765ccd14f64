import {
  copyValue,
  type Document,
  type DocumentTable,
  type Results,
  textOf,
  type UpdateMode,
  updateColumn,
  type Value,
} from '@headrace/engine';

/**
 * Writes the transformed texts of a field to a field, which may be the same one. Numbers, booleans and bytes become
 * texts. Null, objects and nested lists do not change. A missing field and an empty list change nothing.
 */
export function transformTexts(
  document: Document,
  source: string,
  dest: string,
  mode: UpdateMode,
  transform: (text: string) => string,
): void {
  const value = document.get(source);
  if (value === undefined || (mode === 'skip' && document.has(dest))) return;
  if (!Array.isArray(value)) {
    const result = transformValue(value, transform);
    if (mode === 'overwrite') document.set(dest, result);
    else document.update(dest, mode, [result]);
    return;
  }
  if (value.length === 0) return;
  const results = transformList(value, transform);
  const only = results.length === 1 ? (results[0] as Value) : results;
  // If the only item is a list, the list around it stays.
  if (mode === 'overwrite') document.set(dest, Array.isArray(only) ? results : only);
  else document.update(dest, mode, results);
}

/** Applies `transformTexts` to the column of a table. Returns false if the values must be transformed one by one. */
export function transformColumn(
  table: DocumentTable,
  source: string,
  dest: string,
  mode: UpdateMode,
  transform: (text: string) => string,
): boolean {
  const values = table.column(source);
  if (values === undefined) return true;
  const kept = mode === 'skip' ? table.column(dest) : undefined;
  const results: Results[] = new Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row];
    if (kept !== undefined && kept[row] !== undefined) continue;
    if (typeof value === 'string') results[row] = transform(value);
    else if (Array.isArray(value)) {
      // If the only item is a list, the list around it stays. `updateColumn` does not support that.
      if (value.some((item) => Array.isArray(item))) return false;
      results[row] = transformList(value, transform);
    } else if (value !== undefined) results[row] = transformValue(value, transform);
  }
  updateColumn(table, dest, mode, results);
  return true;
}

/** `push` instead of `map`: in optimized code, `map` makes arrays of another kind, and V8 compiles all their users again. */
function transformList(values: readonly Value[], transform: (text: string) => string): Value[] {
  const results: Value[] = [];
  for (let i = 0; i < values.length; i++) results.push(transformValue(values[i] as Value, transform));
  return results;
}

function transformValue(value: Value, transform: (text: string) => string): Value {
  if (typeof value === 'string') return transform(value);
  if (value === null || Array.isArray(value) || value instanceof Map) return copyValue(value);
  return transform(textOf(value) as string);
}
