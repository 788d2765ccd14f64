import type { Shape } from './shape.ts';
import type { Value } from './value.ts';

/** The rows of a table, for documents that read and write their fields there. */
export interface Rows {
  /** True if rows may lack fields that are in the shape of their document. */
  readonly sparse: boolean;
  /** Returns the number of a field's column, or -1 if the row lacks the field. */
  find(name: string, row: number): number;
  /** Returns the value of a field, or undefined if the row lacks the field. */
  get(name: string, row: number): Value | undefined;
  /** Returns the value in a column that `find` has returned. */
  read(column: number, row: number): Value;
  write(column: number, row: number, value: Value): void;
  /** Sets a field, or adds it after the others. Returns the new shape of the document. */
  put(shape: Shape, name: string, row: number, value: Value): Shape;
  /** Removes the value in a column that `find` has returned. Returns the new shape of the document. */
  remove(shape: Shape, column: number, row: number): Shape;
  /** Returns the values of all fields of the shape. A value is undefined if the row lacks the field. */
  values(shape: Shape, row: number): (Value | undefined)[];
}
