import {
  type Document,
  type DocumentEncoder,
  type DocumentTable,
  HeadraceError,
  type ModuleReference,
  type Value,
  writeValue,
} from 'headrace/engine';
import { type ColumnType, columnType, toWire } from './column-type.ts';

/** The columns and their types, as in the config. Plain data. */
export interface RowEncoderOptions {
  readonly columns: readonly (readonly [name: string, type: string])[];
}

interface EncodedColumn {
  readonly name: string;
  /** The type as in the config, for messages. */
  readonly text: string;
  readonly type: ColumnType;
}

const LONGEST_VALUE = 100;
const HINT = 'Convert the value in a stage, or choose another type in the columns of the block parquet.';

/** Encodes a document as a JSON array with a member for each column, on a line. A value of the wrong type fails it. */
export class RowEncoder implements DocumentEncoder {
  readonly #columns: readonly EncodedColumn[];

  constructor({ columns }: RowEncoderOptions) {
    this.#columns = columns.map(([name, text]) => ({ name, text, type: columnType(text) as ColumnType }));
  }

  static reference(options: RowEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'RowEncoder', options };
  }

  encode(document: Document): string {
    return `[${this.#columns.map((column) => cell(column, document.get(column.name)))}]\n`;
  }

  encodeTable(table: DocumentTable): string[] {
    const columns = this.#columns.map((column) => ({ column, values: table.column(column.name) }));
    const line = (row: number) => `[${columns.map(({ column, values }) => cell(column, values?.[row]))}]\n`;
    return Array.from({ length: table.count }, (_, row) => line(row));
  }
}

function cell({ name, text, type }: EncodedColumn, value: Value | undefined): string {
  if (value === undefined) return 'null';
  const wire = toWire(type, value);
  if (wire !== undefined) return wire;
  const json = writeValue(value);
  const shown = json.length > LONGEST_VALUE ? `${json.slice(0, LONGEST_VALUE)}…` : json;
  const hint = Array.isArray(value) && !type.list ? `Use the type ${text}[] for lists.` : HINT;
  throw new HeadraceError('HR_DOCUMENT_TYPE', `The column ${name} has the type ${text}, but the value is ${shown}`, {
    hint,
  });
}
