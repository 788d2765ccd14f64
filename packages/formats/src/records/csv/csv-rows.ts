/** The start of a cell whose text was joined from several parts of the source. Its end is then a number of a text. */
export const JOINED = -1;

/**
 * Returns the text of a cell.
 *
 * @param text the source
 * @param joined the texts of cells that were joined
 * @param doubled the quote, twice
 * @param start the start of the cell; its complement (`~`) if quotes in the cell are doubled
 * @param end the end of the cell, or the number of its text in `joined`
 */
export function cellText(text: string, joined: readonly string[], doubled: string, start: number, end: number): string {
  if (start >= 0) return text.slice(start, end);
  return start === JOINED ? (joined[end] as string) : text.slice(~start, end).replaceAll(doubled, doubled.charAt(0));
}

/** Records with the same number of cells. Only the places of the cells are stored, until a column is read. */
export class CsvRows {
  readonly #text: string;
  readonly #bounds: Int32Array;
  readonly #joined: readonly string[];
  readonly #doubled: string;
  readonly #stride: number;

  /**
   * @param text the source
   * @param bounds the start and the end of each cell, record by record, see `cellText`
   * @param joined the texts of cells that were joined
   * @param doubled the quote, twice
   * @param columns the number of cells of each record
   */
  constructor(text: string, bounds: Int32Array, joined: readonly string[], doubled: string, columns: number) {
    this.#text = text;
    this.#bounds = bounds;
    this.#joined = joined;
    this.#doubled = doubled;
    this.#stride = 2 * columns;
  }

  /** Returns the texts of a column, which is counted from 0. */
  column(number: number): string[] {
    const text = this.#text;
    const bounds = this.#bounds;
    const doubled = this.#doubled;
    const stride = this.#stride;
    const cells: string[] = new Array(bounds.length / stride);
    for (let row = 0, at = 2 * number; row < cells.length; row++, at += stride) {
      cells[row] = cellText(text, this.#joined, doubled, bounds[at] as number, bounds[at + 1] as number);
    }
    return cells;
  }
}
