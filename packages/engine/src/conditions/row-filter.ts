import type { DocumentTable } from '../document/document-table.ts';
import { TableRow } from '../document/field-reader.ts';
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
    let rows = table.rowsWhere(first.field, first.test);
    for (const { field, test } of others) rows = table.rowsWhere(field, test, rows);
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
