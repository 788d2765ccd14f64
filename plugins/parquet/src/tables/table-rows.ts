import type { Value } from 'headrace/engine';
import type { ParquetFile } from '../reading/parquet-file.ts';
import { ReadingPlan, RowGroupReader } from '../reading/row-group-reader.ts';
import { type Constant, jsonOf } from './constant.ts';

/** A row: the values of some columns, in their order; undefined for null. */
export type TableRow = readonly (Value | undefined)[];

/** Decimals of several files are compared, so they keep all their digits. */
const CONVERT = { decimals: 'text', binaryAsText: false } as const;

/** Reads rows of a file in the thread of the run, for the logs and the deleted rows of tables. */
export async function* readRows(
  file: ParquetFile,
  columns: readonly string[],
  constants: ReadonlyMap<string, Constant> = new Map(),
): AsyncGenerator<TableRow> {
  const [first, ...others] = columns as [string, ...string[]];
  const { schema } = file.metadata;
  const plan = new ReadingPlan({
    schema,
    columns: others,
    idField: first,
    docIdPrefix: '',
    filter: [],
    convert: CONVERT,
  });
  const fixed = [...constants].map(([name, constant]) => [name, jsonOf(constant, CONVERT) ?? null] as const);
  for (const group of file.rowGroups(0, [])) {
    const { number, firstRow } = group;
    for await (const { bytes, ...part } of file.read(group, new Set(columns), 0, group.rows)) {
      const reader = new RowGroupReader(plan, bytes, {
        path: '',
        rowGroup: number,
        firstRow,
        constants: fixed,
        ...part,
      });
      for (let block = reader.next(0, () => {}); block !== undefined; block = reader.next(0, () => {})) {
        const values = block.columns.map((column) => column.values);
        for (const [row, id] of block.ids.entries())
          yield [id, ...values.map((column) => column[row] as Value | undefined)];
      }
    }
  }
}
