import { Document, HeadraceError, RESERVED_FIELDS, type RejectedRecord, Shape, type Value } from '@headrace/engine';
import type { Row, RowLayout } from './database.ts';

/** The maximum number of fields for which the NULLs of a row fit into the bits of a small integer. */
const MAX_BITS = 30;
/** The number of NULL patterns whose shape is cached. */
const MAX_SHAPES = 1000;

interface RowField {
  readonly name: string;
  /** The columns with this label, usually one. */
  readonly columns: readonly number[];
}

/** Returns the index of a label among the columns, ignoring letter case, or -1 if it is missing. */
export function columnOf(columns: readonly string[], label: string): number {
  const wanted = label.toLowerCase();
  return columns.findIndex((column) => column.toLowerCase() === wanted);
}

/**
 * Returns the fields for the columns of a result: their labels in lower case, without the ignored columns.
 * Throws `HR_CONNECTOR_FAILED` if a label cannot be a field name.
 *
 * @param idColumn the index of the id column, which is omitted if its label is `id`
 */
export function rowFields(columns: readonly string[], ignore: readonly string[], idColumn: number): RowField[] {
  const ignored = new Set(ignore.map((label) => label.toLowerCase()));
  const fields = new Map<string, number[]>();
  for (const [i, label] of columns.entries()) {
    const name = label.toLowerCase();
    if (ignored.has(name) || (i === idColumn && name === 'id')) continue;
    if (name === '' || RESERVED_FIELDS.has(name)) {
      throw new HeadraceError(
        'HR_CONNECTOR_FAILED',
        name === ''
          ? `Column ${i + 1} of the result has no name`
          : `Field name "${name}" is reserved, please rename the column`,
        { hint: `Name the column in the query (AS other_name)${name === '' ? '' : ', or list it in ignoreColumns'}.` },
      );
    }
    fields.getOrInsertComputed(name, () => []).push(i);
  }
  return [...fields].map(([name, places]) => ({ name, columns: places }));
}

/** Returns the value of a field in a row. Several columns with one label form a list. Returns undefined for NULL. */
export function fieldValue({ columns }: RowField, row: Row): Value | undefined {
  const value = row[columns[0] as number] as Value;
  if (columns.length === 1) return value ?? undefined;
  const values = columns.map((column) => row[column] as Value).filter((one) => one !== null);
  return values.length > 1 ? values : values[0];
}

/** Creates documents from rows. */
export class RowDocuments {
  /** The index of the id column. */
  readonly idColumn: number;
  readonly #layout: RowLayout;
  readonly #fields: readonly RowField[];
  readonly #shape: Shape;
  readonly #shapes = new Map<number, Shape>();

  /** Throws `HR_CONNECTOR_FAILED` if the id column is missing or a label cannot be a field name. */
  constructor(layout: RowLayout) {
    const { columns, idField, ignoreColumns } = layout;
    this.#layout = layout;
    this.idColumn = columnOf(columns, idField);
    if (this.idColumn < 0) {
      throw new HeadraceError('HR_CONNECTOR_FAILED', `The result has no column ${idField}, the idField`, {
        hint: `Its columns are ${columns.join(', ')}.`,
      });
    }
    this.#fields = rowFields(columns, ignoreColumns, this.idColumn);
    this.#shape = Shape.of(['id', ...this.#fields.map(({ name }) => name)]);
  }

  /** The indexes of the columns that become fields. */
  get used(): ReadonlySet<number> {
    return new Set(this.#fields.flatMap(({ columns }) => columns));
  }

  /**
   * Returns the document of a row, or the reason for rejecting it.
   * @param number the number of the row in the result, counted from 1
   */
  document(row: Row, number: number): Document | RejectedRecord {
    const { idField, docIdPrefix, source } = this.#layout;
    const idText = row[this.#layout.columns.length] as string | null;
    const place = () => `${source} row ${number}`;
    if (idText === null) return { place: place(), message: `the id column ${idField} is NULL` };
    const id = docIdPrefix + idText;
    if (id === '') return { place: place(), message: `the id column ${idField} is empty` };
    const fields = this.#fields;
    const values: Value[] = [id];
    let missing = 0;
    let gaps = false;
    for (let i = 0; i < fields.length; i++) {
      const value = fieldValue(fields[i] as RowField, row);
      if (value !== undefined) values.push(value);
      else {
        gaps = true;
        missing |= 1 << i;
      }
    }
    return new Document(gaps ? this.#shapeWithout(missing, row) : this.#shape, values);
  }

  /** Returns the shape of a row without its NULL fields. */
  #shapeWithout(missing: number, row: Row): Shape {
    const fields = this.#fields;
    const shapes = this.#shapes;
    const key = fields.length <= MAX_BITS ? missing : undefined;
    const known = key === undefined ? undefined : shapes.get(key);
    if (known !== undefined) return known;
    const present = fields.filter((field) => fieldValue(field, row) !== undefined).map(({ name }) => name);
    const shape = Shape.common(['id', ...present]);
    if (key !== undefined && shapes.size < MAX_SHAPES) shapes.set(key, shape);
    return shape;
  }
}
