import type { Column, DocumentTable } from '@headrace/engine';

/** Sets a field of the documents for which the column has a value; the others keep what they have. */
export function setValues(table: DocumentTable, field: string, column: Column): void {
  const present = table.column(field);
  if (present === undefined) {
    table.set(field, column, column.includes(undefined));
    return;
  }
  let sparse = false;
  const values = new Array(column.length);
  for (let row = 0; row < column.length; row++) {
    const own = column[row];
    const value = own === undefined ? present[row] : own;
    if (value === undefined) sparse = true;
    values[row] = value;
  }
  table.set(field, values, sparse);
}
