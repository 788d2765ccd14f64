import { DocumentTable, internName, type Value } from '@headrace/engine';
import { JoinedColumn, joinColumns } from './joined-column.ts';

/** The values of a field. */
export type RowsColumn = JoinedColumn | (Value | undefined)[];

/** Documents with the same fields, as columns. The arrays belong to the receiver. */
export interface Rows {
  readonly names: readonly string[];
  readonly columns: readonly RowsColumn[];
  /** For each column, whether values are missing. */
  readonly sparse: readonly boolean[];
  readonly count: number;
  /** The number of characters of their texts. */
  readonly characters: number;
}

/** The maximum size of a joined table. It is that of the tables which the decoders of files produce. */
const MAX_CHARACTERS = 32 * 1024;
const MAX_ROWS = 256;

/**
 * Joins the rows of successive frames to larger tables. With several partitions, a frame has only a part of the rows of
 * a table, and a table of few rows takes almost as long as one of many.
 */
export class JoinedRows {
  readonly #send: (table: DocumentTable) => void;
  #rows: Rows[] = [];
  #count = 0;
  #characters = 0;

  constructor(send: (table: DocumentTable) => void) {
    this.#send = send;
  }

  /** Adds rows. Sends the earlier ones if they have other fields, or if there are enough of them. */
  add(rows: Rows): void {
    const [first] = this.#rows;
    const fits = this.#count + rows.count <= MAX_ROWS && this.#characters + rows.characters <= MAX_CHARACTERS;
    if (first !== undefined && !(fits && hasSameNames(first.names, rows.names))) this.flush();
    this.#rows.push(rows);
    this.#count += rows.count;
    this.#characters += rows.characters;
  }

  /** Sends the waiting rows. It must be called before anything that follows them is sent. */
  flush(): void {
    const [first] = this.#rows;
    if (first === undefined) return;
    const all = this.#rows;
    const count = this.#count;
    this.#rows = [];
    this.#count = this.#characters = 0;
    this.#send(all.length === 1 ? tableOf(first) : tableOf(joined(first, all, count)));
  }
}

/** Returns rows as a table. */
export function tableOf({ names, columns, count, sparse }: Rows): DocumentTable {
  return new DocumentTable(names.map(internName), columns, count, sparse);
}

function joined(first: Rows, all: readonly Rows[], count: number): Rows {
  return {
    names: first.names,
    columns: first.columns.map((_, i) => joinedColumn(all.map(({ columns }) => columns[i] as RowsColumn))),
    sparse: first.sparse.map((_, i) => all.some(({ sparse }) => sparse[i] === true)),
    count,
    characters: 0,
  };
}

function joinedColumn(columns: readonly RowsColumn[]): RowsColumn {
  if (columns.every((column) => column instanceof JoinedColumn)) return joinColumns(columns);
  return columns.flatMap((column) => (column instanceof JoinedColumn ? column.values : column));
}

function hasSameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
