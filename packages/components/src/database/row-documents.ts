import { Document, HeadraceError, RESERVED_FIELDS, type RejectedRecord, Shape, type Value } from '@headrace/engine';
import type { Row, RowLayout } from './database.ts';

/** Up to so many fields the NULLs of a row fit into the bits of a small integer. */
const MAX_BITS = 30;
/** Patterns of NULLs of which the shape is remembered. */
const MAX_SHAPES = 1000;

interface RowField {
  readonly name: string;
  /** Columns of this label; mostly one. */
  readonly columns: readonly number[];
}

/** The place of a label among columns, letter case aside; -1 when there is none. */
export function columnOf(columns: readonly string[], label: string): number {
  const wanted = label.toLowerCase();
  return columns.findIndex((column) => column.toLowerCase() === wanted);
}

/**
 * The fields of the rows of a result: labels in lower case, without the ignored ones. Throws `HR_CONNECTOR_FAILED` when
 * a label cannot be a field's name.
 *
 * @param idColumn left out when it is called `id`, because the document's id holds it
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
        { hint: `Give it a name in the query (AS other_name)${name === '' ? '' : ', or list it in ignoreColumns'}.` },
      );
    }
    fields.getOrInsertComputed(name, () => []).push(i);
  }
  return [...fields].map(([name, places]) => ({ name, columns: places }));
}

/** The value of a field in a row: several columns of one label give a list. Undefined for NULL. */
export function fieldValue({ columns }: RowField, row: Row): Value | undefined {
  const value = row[columns[0] as number] as Value;
  if (columns.length === 1) return value ?? undefined;
  const values = columns.map((column) => row[column] as Value).filter((one) => one !== null);
  return values.length > 1 ? values : values[0];
}

/** Makes documents of rows. */
export class RowDocuments {
  /** The column of the id. */
  readonly idColumn: number;
  readonly #layout: RowLayout;
  readonly #fields: readonly RowField[];
  readonly #shape: Shape;
  readonly #shapes = new Map<number, Shape>();

  /** Throws `HR_CONNECTOR_FAILED` when the columns do not fit. */
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

  /** The columns whose values are looked at; the id's text comes behind all columns. */
  get used(): ReadonlySet<number> {
    return new Set(this.#fields.flatMap(({ columns }) => columns));
  }

  /** The document of a row, or why there is none. @param number of the row in the result, counted from 1 */
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

  /** The shape of the fields that a row has. */
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
