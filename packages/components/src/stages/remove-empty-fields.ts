import {
  type Column,
  type Document,
  type DocumentTable,
  RESERVED_FIELDS,
  Stage,
  Type,
  type Value,
} from '@headrace/engine';

const parameters = Type.Object({});

/**
 * Removes empty fields: null, an empty text, an empty list or object, or a list of only these.
 *
 * A text of blanks, 0 and false are values and stay. A list with at least one value does not change.
 */
export class RemoveEmptyFields extends Stage {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Keep only fields with content',
      params: {},
      documents: [{ id: '1', title: 'A title', subtitle: '', author: null, tags: [], pages: 0 }],
      output: [{ id: '1', title: 'A title', pages: 0 }],
    },
  ];

  override process(document: Document): void {
    // The loop runs from the end, because a removal moves the later fields.
    for (let i = document.fieldValues.length - 1; i >= 0; i--) {
      if (!isEmpty(document.fieldValues[i] as Value)) continue;
      const name = document.fieldNames[i] as string;
      if (!RESERVED_FIELDS.has(name)) document.delete(name);
    }
  }

  override processTable(table: DocumentTable): boolean {
    for (const name of table.names) {
      if (RESERVED_FIELDS.has(name)) continue;
      const before = table.column(name) as Column;
      const column = withoutEmpty(before);
      if (column === before) continue;
      if (column.every((value) => value === undefined)) table.delete(name);
      else table.thin(name, column);
    }
    return true;
  }
}

/** Returns the column without its empty values. Returns the same column if there are none. */
function withoutEmpty(column: Column): Column {
  let kept: (Value | undefined)[] | undefined;
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    if (value === undefined || !isEmpty(value)) continue;
    kept ??= column.slice();
    kept[row] = undefined;
  }
  return kept ?? column;
}

function isEmpty(value: Value): boolean {
  if (typeof value !== 'object') return value === '';
  if (value === null) return true;
  if (Array.isArray(value)) return value.every(isEmpty);
  if (value instanceof Map) return value.size === 0;
  return value instanceof Uint8Array && value.length === 0;
}
