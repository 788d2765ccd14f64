import {
  type Column,
  type Document,
  type DocumentEncoder,
  type DocumentTable,
  type ModuleReference,
  type Shape,
  textOf,
  type Value,
} from '@headrace/engine';

/** Which fields make the row. Plain data. */
export interface CsvEncoderOptions {
  /** Names of the fields, in order. */
  readonly columns: readonly string[];
}

/**
 * Writes a document as a row: values in double quotes, quotes in them doubled, nothing at all for a field that is
 * missing or null. A list is `[a, b]`, an object the empty text.
 */
export class CsvEncoder implements DocumentEncoder {
  private readonly columns: readonly string[];
  /** Where the columns stand in documents of this shape; beyond every value where they are missing. */
  private positions: number[] = [];
  private shape: Shape | undefined = undefined;

  constructor({ columns }: CsvEncoderOptions) {
    this.columns = columns;
  }

  static reference(options: CsvEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'CsvEncoder', options };
  }

  encode(document: Document): string {
    if (document.shape !== this.shape || document.shape.changing) this.learn(document.shape);
    const { positions } = this;
    const { fieldValues } = document;
    let row = '';
    for (let i = 0; i < positions.length; i++) {
      if (i > 0) row += ',';
      const value = fieldValues[positions[i] as number];
      if (value !== undefined && value !== null) row += quoted(typeof value === 'string' ? value : cellText(value));
    }
    return `${row}\n`;
  }

  encodeTable(table: DocumentTable): string[] {
    const columns = this.columns.map((name) => cellsOf(table.column(name), table.count));
    const cells: string[] = new Array(columns.length);
    const rows: string[] = new Array(table.count);
    const plain = columns.every((column) => column.plain);
    for (let row = 0; row < rows.length; row++) {
      if (plain) {
        for (let i = 0; i < columns.length; i++) cells[i] = (columns[i] as Cells).texts[row] as string;
        // One text in one go: pieces that are put together one by one stay pieces, and cost more.
        rows[row] = `"${cells.join('","')}"\n`;
      } else {
        for (let i = 0; i < columns.length; i++) {
          const text = (columns[i] as Cells).texts[row];
          cells[i] = text === undefined ? '' : quoted(text);
        }
        rows[row] = `${cells.join(',')}\n`;
      }
    }
    return rows;
  }

  private learn(shape: Shape): void {
    this.shape = shape;
    const missing = shape.names.length;
    this.positions = this.columns.map((column) => {
      const at = shape.position(column);
      return at < 0 ? missing : at;
    });
  }
}

/** The texts of a column's cells, undefined for a cell of nothing at all. */
interface Cells {
  readonly texts: readonly (string | undefined)[];
  /** Whether all cells are there and none has a quote in it. */
  readonly plain: boolean;
}

function cellsOf(column: Column | undefined, count: number): Cells {
  if (column === undefined) return { texts: new Array(count).fill(undefined), plain: false };
  let complete = true;
  const texts: (string | undefined)[] = new Array(count);
  for (let row = 0; row < count; row++) {
    const value = column[row];
    if (typeof value === 'string') texts[row] = value;
    else if (value === undefined || value === null) complete = false;
    else texts[row] = cellText(value);
  }
  // One search in all of them is faster than one in each.
  return { texts, plain: complete && texts.join('').indexOf('"') < 0 };
}

/** The row of the columns' names. */
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
