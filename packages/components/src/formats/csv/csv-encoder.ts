import {
  ByShape,
  type Column,
  type Document,
  type DocumentEncoder,
  type DocumentTable,
  type ModuleReference,
  type Shape,
  textOf,
  type Value,
} from '@headrace/engine';

/** The fields of a row. They are plain data. */
export interface CsvEncoderOptions {
  /** The names of the fields, in order. */
  readonly columns: readonly string[];
}

/**
 * Writes a document as a row. Values are in double quotes, and quotes inside them are doubled. A missing or null field
 * is an empty cell without quotes. A list is written as `[a, b]`, an object as an empty string in quotes.
 */
export class CsvEncoder implements DocumentEncoder {
  readonly #columns: readonly string[];
  /** The positions of the columns in documents of a shape. A missing column has a position beyond all values. */
  readonly #positions = new ByShape((shape) => this.#positionsIn(shape));

  constructor({ columns }: CsvEncoderOptions) {
    this.#columns = columns;
  }

  static reference(options: CsvEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'CsvEncoder', options };
  }

  encode({ shape, fieldValues }: Document): string {
    const positions = this.#positions.of(shape);
    let row = '';
    for (let i = 0; i < positions.length; i++) {
      if (i > 0) row += ',';
      const value = fieldValues[positions[i] as number];
      if (value !== undefined && value !== null) row += quoted(typeof value === 'string' ? value : cellText(value));
    }
    return `${row}\n`;
  }

  encodeTable(table: DocumentTable): string[] {
    const texts: (readonly string[])[] = [];
    /** The text before each of the columns that the table has: the cells of the others are empty. */
    const before: string[] = [];
    let between = '';
    for (const [i, name] of this.#columns.entries()) {
      if (i > 0) between += ',';
      const column = table.column(name);
      if (column === undefined) continue;
      const cells = cellsOf(column, table.count);
      if (cells === undefined) return this.#encodeRows(table);
      texts.push(cells);
      before.push(`${texts.length > 1 ? '"' : ''}${between}"`);
      between = '';
    }
    return joinCells(texts, before, `${texts.length > 0 ? '"' : ''}${between}\n`, table.count);
  }

  #encodeRows(table: DocumentTable): string[] {
    const rows: string[] = new Array(table.count);
    const columns = this.#columns.map((name) => table.column(name));
    for (let row = 0; row < rows.length; row++) {
      let text = '';
      for (let i = 0; i < columns.length; i++) {
        if (i > 0) text += ',';
        const value = columns[i]?.[row];
        if (value !== undefined && value !== null) text += quoted(typeof value === 'string' ? value : cellText(value));
      }
      rows[row] = `${text}\n`;
    }
    return rows;
  }

  #positionsIn(shape: Shape): number[] {
    const missing = shape.names.length;
    return this.#columns.map((column) => {
      const at = shape.position(column);
      return at < 0 ? missing : at;
    });
  }
}

/** Returns the texts of a column's cells, or undefined if a cell is empty or a text needs escapes inside its quotes. */
function cellsOf(column: Column, count: number): readonly string[] | undefined {
  const texts: string[] = new Array(count);
  for (let row = 0; row < count; row++) {
    const value = column[row];
    if (value === undefined || value === null) return undefined;
    const text = typeof value === 'string' ? value : cellText(value);
    if (text.indexOf('"') >= 0) return undefined;
    texts[row] = text;
  }
  return texts;
}

function joinCells(
  columns: readonly (readonly string[])[],
  before: readonly string[],
  after: string,
  count: number,
): string[] {
  const rows: string[] = new Array(count);
  for (let row = 0; row < count; row++) {
    let text = '';
    for (let i = 0; i < columns.length; i++) text += (before[i] as string) + (columns[i] as readonly string[])[row];
    rows[row] = text + after;
  }
  return rows;
}

/** Returns the header row. */
export function csvHeader(columns: readonly string[]): string {
  return `${columns.map(quoted).join(',')}\n`;
}

function cellText(value: Value): string {
  if (Array.isArray(value)) {
    let text = '[';
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as Value;
      text += (i === 0 ? '' : ', ') + (typeof item === 'string' ? item : (textOf(item) ?? 'null'));
    }
    return `${text}]`;
  }
  return textOf(value) ?? '';
}

function quoted(text: string): string {
  return text.indexOf('"') < 0 ? `"${text}"` : `"${text.replaceAll('"', '""')}"`;
}
