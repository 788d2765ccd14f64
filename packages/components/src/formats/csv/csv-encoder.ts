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
  readonly #cells = new ByShape((shape) => this.#cellsIn(shape));

  constructor({ columns }: CsvEncoderOptions) {
    this.#columns = columns;
  }

  static reference(options: CsvEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'CsvEncoder', options };
  }

  encode({ shape, fieldValues }: Document): string {
    const { places, before, after } = this.#cells.of(shape);
    let row = '';
    for (let i = 0; i < places.length; i++)
      row += (before[i] as string) + cellOf(fieldValues[places[i] as number] as Value);
    return row + after;
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
      const { cells, quote } = cellsOf(column, table.isPlain(name));
      texts.push(cells);
      before.push(between + quote);
      between = quote;
    }
    return joinCells(texts, before, `${between}\n`, table.count);
  }

  #cellsIn(shape: Shape): Cells {
    const places: number[] = [];
    const before: string[] = [];
    let between = '';
    for (const [i, column] of this.#columns.entries()) {
      if (i > 0) between += ',';
      const at = shape.position(column);
      if (at < 0) continue;
      places.push(at);
      before.push(between);
      between = '';
    }
    return { places, before, after: `${between}\n` };
  }
}

/** The cells of documents of a shape, except the empty cells of fields that these documents lack. */
interface Cells {
  /** The positions of the fields in the document. */
  readonly places: readonly number[];
  /** The commas before each of these cells, and the text after the last one. */
  readonly before: readonly string[];
  readonly after: string;
}

/**
 * Returns the cells of a column. If all cells have values, the quotes around them are missing, because they can be added
 * together with the commas.
 */
function cellsOf(column: Column, isPlain: boolean): { cells: readonly string[]; quote: string } {
  if (isPlain && !column.includes(undefined)) return { cells: column as readonly string[], quote: '"' };
  const cells: string[] = new Array(column.length);
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    if (value === undefined || value === null) return quotedCells(column);
    const text = typeof value === 'string' ? value : cellText(value);
    cells[row] = text.indexOf('"') < 0 ? text : text.replaceAll('"', '""');
  }
  return { cells, quote: '"' };
}

function quotedCells(column: Column): { cells: readonly string[]; quote: string } {
  const cells: string[] = new Array(column.length);
  for (let row = 0; row < column.length; row++) cells[row] = cellOf(column[row]);
  return { cells, quote: '' };
}

function cellOf(value: Value | undefined): string {
  if (value === undefined || value === null) return '';
  return quoted(typeof value === 'string' ? value : cellText(value));
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
