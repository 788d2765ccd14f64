import type { DocumentTable } from '../document/document-table.ts';
import { TableRow } from '../document/field-reader.ts';
import type { Column } from '../document/lazy-column.ts';
import type { Value } from '../document/value.ts';
import { type ConditionConfig, type FieldCondition, fieldTest, type Predicate } from './conditions.ts';

/** Returns the numbers of the rows that meet conditions, in order. */
export type RowFilter = (table: DocumentTable) => number[];

/** A test of the values of one column. */
interface ColumnTest {
  readonly field: string;
  readonly test: (value: Value | undefined) => boolean;
}

/**
 * Returns a function that decides which rows of a table a stage processes. Conditions on one field that must all be met
 * are tested column by column.
 * @param condition the same conditions, for a document
 */
export function compileRowFilter(
  conditions: readonly ConditionConfig[],
  policy: 'all' | 'any',
  condition: Predicate,
): RowFilter {
  const tests = conditions.map(columnTest);
  if ((policy === 'any' && tests.length > 1) || tests.includes(undefined)) return rowFilterOf(condition);
  const [first, ...others] = tests as [ColumnTest, ...ColumnTest[]];
  return (table) => {
    let rows = rowsWhere(table, first);
    for (const other of others) rows = remaining(rows, table, other);
    return rows;
  };
}

/** Returns a function that tests a condition row by row. */
export function rowFilterOf(condition: Predicate): RowFilter {
  return (table) => {
    const row = new TableRow(table);
    const rows: number[] = [];
    for (row.row = 0; row.row < table.count; row.row++) if (condition(row)) rows.push(row.row);
    return rows;
  };
}

function columnTest(condition: ConditionConfig): ColumnTest | undefined {
  if ('group' in condition || condition.fields.length !== 1) return undefined;
  return { field: condition.fields[0] as string, test: fieldTest(condition as FieldCondition) };
}

function rowsWhere(table: DocumentTable, { field, test }: ColumnTest): number[] {
  const column = table.column(field);
  if (column !== undefined) return matching(column, test);
  return test(undefined) ? Array.from({ length: table.count }, (_, row) => row) : [];
}

function remaining(rows: number[], table: DocumentTable, { field, test }: ColumnTest): number[] {
  const column = table.column(field);
  return rows.filter((row) => test(column?.[row]));
}

function matching(column: Column, test: (value: Value | undefined) => boolean): number[] {
  const rows: number[] = [];
  for (let row = 0; row < column.length; row++) if (test(column[row])) rows.push(row);
  return rows;
}
