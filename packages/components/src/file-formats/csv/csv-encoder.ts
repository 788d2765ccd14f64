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
  /** What is done with cells that a spreadsheet would compute. */
  readonly formulas: FormulaCells;
}

/** `keep` writes a cell as it is, `escape` makes a spreadsheet show it as text. */
export type FormulaCells = 'keep' | 'escape';

/**
 * Writes a document as a row. Values are in double quotes, and quotes inside them are doubled. A missing or null field
 * is an empty cell without quotes. A list is written as `[a, b]`, an object as an empty string in quotes.
 */
export class CsvEncoder implements DocumentEncoder {
  readonly #columns: readonly string[];
  readonly #formulas: FormulaCells;
  readonly #contentOf: (value: Value) => string;
  readonly #cells = new ByShape((shape) => this.#cellsIn(shape));

  constructor({ columns, formulas }: CsvEncoderOptions) {
    this.#columns = columns;
    this.#formulas = formulas;
    this.#contentOf = formulas === 'escape' ? inertContentOf : contentOf;
  }

  static reference(options: CsvEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'CsvEncoder', options };
  }

  encode({ shape, fieldValues }: Document): string {
    const { places, before, opening, between, end } = this.#cells.of(shape);
    let row = '';
    // The quote after a cell is added together with the commas after it.
    let quote = '';
    for (let i = 0; i < places.length; i++) {
      const value = fieldValues[places[i] as number];
      if (value === undefined || value === null) {
        row += quote + (before[i] as string);
        quote = '';
        continue;
      }
      row += ((quote === '' ? opening : between)[i] as string) + this.#contentOf(value);
      quote = '"';
    }
    return row + quote + end;
  }

  encodeTable(table: DocumentTable): string[] {
    const texts: (readonly string[])[] = [];
    const keepsFormulas = this.#formulas === 'keep';
    /** The text before each of the columns that the table has: the cells of the others are empty. */
    const before: string[] = [];
    let between = '';
    for (const [i, name] of this.#columns.entries()) {
      if (i > 0) between += ',';
      const column = table.column(name);
      if (column === undefined) continue;
      const { cells, quote } = cellsOf(column, keepsFormulas && table.isPlain(name), this.#contentOf);
      texts.push(cells);
      before.push(between + quote);
      between = quote;
    }
    return joinCells(texts, before, `${between}\n`, table.count);
  }

  #cellsIn(shape: Shape): Cells {
    const places: number[] = [];
    const before: string[] = [];
    let commas = '';
    for (const [i, column] of this.#columns.entries()) {
      if (i > 0) commas += ',';
      const at = shape.position(column);
      if (at < 0) continue;
      places.push(at);
      before.push(commas);
      commas = '';
    }
    const opening = before.map((text) => `${text}"`);
    return { places, before, opening, between: opening.map((text) => `"${text}`), end: `${commas}\n` };
  }
}

/** The cells of documents of a shape, except the empty cells of fields that these documents lack. */
interface Cells {
  /** The positions of the fields in the document. */
  readonly places: readonly number[];
  /** The commas before each of these cells, and the text after the last one. */
  readonly before: readonly string[];
  readonly end: string;
  /** The commas with the quote that begins the cell, and with the quote that ends the cell before too. */
  readonly opening: readonly string[];
  readonly between: readonly string[];
}

/**
 * Returns the cells of a column. If all cells have values, the quotes around them are missing, because they can be added
 * together with the commas.
 */
function cellsOf(
  column: Column,
  isPlain: boolean,
  contentOf: (value: Value) => string,
): { cells: readonly string[]; quote: string } {
  if (isPlain && !column.includes(undefined)) return { cells: column as readonly string[], quote: '"' };
  const cells: string[] = new Array(column.length);
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    if (value === undefined || value === null) return quotedCells(column, contentOf);
    cells[row] = contentOf(value);
  }
  return { cells, quote: '"' };
}

function quotedCells(column: Column, contentOf: (value: Value) => string): { cells: readonly string[]; quote: string } {
  const cells: string[] = new Array(column.length);
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    cells[row] = value === undefined || value === null ? '' : `"${contentOf(value)}"`;
  }
  return { cells, quote: '' };
}

/** Returns the text between the quotes of a cell. */
function contentOf(value: Value): string {
  return escaped(typeof value === 'string' ? value : cellText(value));
}

/** Returns the text between the quotes of a cell that no spreadsheet computes. */
function inertContentOf(value: Value): string {
  return escaped(inert(typeof value === 'string' ? value : cellText(value)));
}

/**
 * What spreadsheets read as the start of a formula, by the rule of OWASP about CSV injection: `=`, `+`, `-`, `@` and
 * their full-width forms, which Excel accepts too, also after white space, and a leading tab, line break or NUL.
 */
const FORMULA = /^(?:[\t\r\n\0]|[\s\0]*[=+\-@\uff1d\uff0b\uff0d\uff20])/;
/** A number with a sign is not a formula. An exponent is a part of it. */
const SIGNED_NUMBER = /^[+-](?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Returns a text that a spreadsheet shows instead of computing it: with a leading apostrophe if it needs one. */
function inert(text: string): string {
  return FORMULA.test(text) && !SIGNED_NUMBER.test(text) ? `'${text}` : text;
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
export function csvHeader({ columns, formulas }: CsvEncoderOptions): string {
  const names = formulas === 'escape' ? columns.map(inert) : columns;
  return `${names.map(quoted).join(',')}\n`;
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
  return `"${escaped(text)}"`;
}

function escaped(text: string): string {
  return text.indexOf('"') < 0 ? text : text.replaceAll('"', '""');
}
