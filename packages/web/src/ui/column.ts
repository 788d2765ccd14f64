/** A column of a table. */
export interface Column {
  readonly name: string;
  /** The width as a track of a CSS grid. */
  readonly width: string;
  readonly numeric?: boolean;
  /** Whether the column is hidden at the width of a phone. Two columns fit there. */
  readonly wide?: boolean;
}
