import { LazyColumn } from '@headrace/engine';

/** Separates the values of a text column. If a value contains the separator, the column is written as JSON. */
export const SEPARATOR = '\u001f';

/**
 * The texts of a column, joined with separators. They are split when a stage reads the column. A column that no stage
 * changes is written to the next topic as it is.
 */
export class JoinedColumn extends LazyColumn {
  readonly text: string;

  constructor(text: string) {
    super(() => text.split(SEPARATOR));
    this.text = text;
  }
}

/** Returns the number of values of joined texts. */
export function countJoined(text: string): number {
  let count = 1;
  for (let at = text.indexOf(SEPARATOR); at >= 0; at = text.indexOf(SEPARATOR, at + 1)) count++;
  return count;
}

/** Joins columns of joined texts to one column. */
export function joinColumns(columns: readonly JoinedColumn[]): JoinedColumn {
  return new JoinedColumn(columns.map(({ text }) => text).join(SEPARATOR));
}
