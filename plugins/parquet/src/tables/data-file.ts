import type { ParquetFile } from '../reading/parquet-file.ts';
import type { DeletedRows } from './deleted-rows.ts';
import type { FoundFile } from './find-files.ts';
import type { Matching } from './fit-columns.ts';
import type { TableField } from './table-field.ts';

/** A file of the snapshot of a table. */
export interface DataFile extends FoundFile {
  /** The columns of the table. The constants of the file replace those that the file has. */
  readonly fields: readonly TableField[];
  /** Returns how the columns are found in the file. Throws if they cannot be found. */
  matching(file: ParquetFile): Matching;
  /**
   * Returns the rows that the table has deleted; undefined if there are none.
   * @param stored the file with its own columns
   */
  deletedRows(stored: ParquetFile): Promise<DeletedRows | undefined>;
}

/** The version of a table to read: the newest one, or that with a number, or the newest one at a time. */
export interface TableVersion {
  readonly version: string | undefined;
  readonly millis: number | undefined;
}
