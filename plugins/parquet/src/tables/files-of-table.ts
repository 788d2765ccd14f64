import { HeadraceError, type Logger, type Notices } from 'headrace/engine';
import type { DataFile, TableVersion } from './data-file.ts';
import type { FoundTable } from './find-files.ts';

/** Reads the log of a table, and returns the files of a version. */
export async function* filesOfTable(
  table: FoundTable,
  version: TableVersion,
  context: { readonly log: Logger; readonly notices: Notices },
  signal: AbortSignal,
): AsyncGenerator<DataFile> {
  switch (table.table) {
    case 'delta':
      yield* (await import('./delta/delta-table.ts')).deltaFiles(table, version, context.log, signal);
      return;
    case 'iceberg':
      yield* (await import('./iceberg/iceberg-table.ts')).icebergFiles(table, version, context, signal);
      return;
    case 'hudi':
      throw new HeadraceError('HR_SOURCE_UNREADABLE', `${table.root.path} is a Hudi table, which cannot be read`, {
        hint: 'Its files also have deleted and old rows. Export it as Parquet files, or as a Delta or Iceberg table.',
      });
  }
}
