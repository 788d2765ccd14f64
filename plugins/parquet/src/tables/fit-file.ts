import type { ParquetFile } from '../reading/parquet-file.ts';
import { type Constant, constantOf } from './constant.ts';
import type { DataFile } from './data-file.ts';
import type { FoundFile } from './find-files.ts';
import { addColumns, fitColumns } from './fit-columns.ts';
import type { TableField } from './table-field.ts';

/** A file as if it had the columns of its table. */
export interface FittedFile {
  readonly file: ParquetFile;
  /** The file with its own columns. */
  readonly stored: ParquetFile;
  /** The columns that are not in the file, in the order of the table. */
  readonly constants: ReadonlyMap<string, Constant>;
}

/** Gives a file the columns of its table, or those of its folders. Throws if they do not fit. */
export function fitFile(file: ParquetFile, found: FoundFile | DataFile): FittedFile {
  const { constants } = found;
  if (!('fields' in found)) {
    const added = [...constants].map(([name, { element }]) => ({
      name,
      repetition_type: 'OPTIONAL' as const,
      ...element,
    }));
    return { file: file.withMetadata(addColumns(file.metadata, added)), stored: file, constants };
  }
  const { metadata, missing } = fitColumns(file.metadata, found.fields, found.matching(file), constants);
  const all = new Map(constants);
  for (const field of missing) if (!constants.has(field.name)) all.set(field.name, initialValue(field));
  return { file: file.withMetadata(metadata), stored: file, constants: all };
}

/** Returns the value of a column in a file that was written before the column was added. */
function initialValue({ name, type, initial }: TableField): Constant {
  if (type.kind !== 'value') {
    if (initial !== undefined) throw new Error(`the column ${name} has a default with objects, which is not supported`);
    return { element: {}, raw: undefined };
  }
  return constantOf(initial ?? null, type.element);
}
