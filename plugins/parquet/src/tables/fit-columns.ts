import { type ColumnMetaData, type FileMetaData, parquetSchema, type SchemaElement, type SchemaTree } from 'hyparquet';
import { isItem } from '../reading/assemble.ts';
import { logicalType } from '../reading/convert.ts';
import type { FieldType, TableField, ValueElement } from './table-field.ts';

/** How the columns of a table are found in its files. */
export type Matching = 'name' | 'id';

/** The columns of a table in one of its files. */
export interface FittedColumns {
  /** The footer of the file, with the names and the order of the table. */
  readonly metadata: FileMetaData;
  /** The columns of the table that the file does not have. They are in the schema, but no row group has them. */
  readonly missing: readonly TableField[];
}

/**
 * Returns the footer of a file as if the file had been written with the schema of the table. Columns that the table
 * does not have are omitted. Throws if a column has another type.
 * @param known the columns that are not read from the file
 */
export function fitColumns(
  metadata: FileMetaData,
  fields: readonly TableField[],
  matching: Matching,
  known: ReadonlyMap<string, unknown>,
): FittedColumns {
  const root = parquetSchema({ schema: metadata.schema } as never);
  const fitting = new Fitting(matching);
  const missing = fields.filter((field) => {
    const column = known.has(field.name) ? undefined : fitting.find(root, field);
    if (column === undefined) fitting.schema.push(missingElement(field));
    else fitting.add(column, field.type, field.name, []);
    return column === undefined;
  });
  return {
    metadata: {
      ...metadata,
      schema: [{ ...root.element, num_children: fields.length }, ...fitting.schema],
      row_groups: metadata.row_groups.map((group) => ({
        ...group,
        columns: group.columns.map((chunk) => {
          if (chunk.meta_data === undefined) return chunk;
          const path = fitting.paths.get(keyOf(chunk.meta_data.path_in_schema)) ?? OMITTED;
          return { ...chunk, meta_data: { ...chunk.meta_data, path_in_schema: path } };
        }),
      })),
    },
    missing,
  };
}

/** Returns the footer of a file with more columns at its end, which replace those of the file with the same name. */
export function addColumns(metadata: FileMetaData, added: readonly SchemaElement[]): FileMetaData {
  const root = parquetSchema({ schema: metadata.schema } as never);
  const replaced = new Set(added.map(({ name }) => name));
  const kept = root.children.filter(({ element }) => !replaced.has(element.name));
  return {
    ...metadata,
    schema: [{ ...root.element, num_children: kept.length + added.length }, ...kept.flatMap(elementsOf), ...added],
    row_groups: metadata.row_groups.map((group) => ({
      ...group,
      columns: group.columns.map((chunk) => {
        if (!replaced.has(chunk.meta_data?.path_in_schema[0] ?? '')) return chunk;
        return { ...chunk, meta_data: { ...(chunk.meta_data as ColumnMetaData), path_in_schema: OMITTED } };
      }),
    })),
  };
}

function elementsOf({ element, children }: SchemaTree): SchemaElement[] {
  return [element, ...children.flatMap(elementsOf)];
}

/** The path of columns that the table does not have. No column has this name. */
const OMITTED = ['\0'];

/** Returns the element of a column that no row group has. */
export function missingElement({ name, type }: Pick<TableField, 'name' | 'type'>): SchemaElement {
  return { name, repetition_type: 'OPTIONAL', ...(type.kind === 'value' ? type.element : {}) };
}

class Fitting {
  readonly schema: SchemaElement[] = [];
  /** The paths of the columns in the table, by those in the file. */
  readonly paths = new Map<string, string[]>();
  readonly #matching: Matching;

  constructor(matching: Matching) {
    this.#matching = matching;
  }

  find({ children }: SchemaTree, { id, fileNames }: TableField): SchemaTree | undefined {
    return this.#matching === 'id'
      ? children.find(({ element }) => id !== undefined && element.field_id === id)
      : children.find(({ element }) => fileNames.includes(element.name));
  }

  add(tree: SchemaTree, type: FieldType, name: string, parent: readonly string[]): void {
    const { element, children } = tree;
    const path = [...parent, name];
    const other = () => new Error(`the column ${path.join('.')} has the type ${typeName(tree)} in this file`);
    switch (type.kind) {
      case 'value':
        if (children.length > 0 || element.repetition_type === 'REPEATED') throw other();
        this.schema.push({ ...typedElement(element, type.element, path), name });
        this.paths.set(keyOf(tree.path), path);
        return;
      case 'struct': {
        if (children.length === 0 || element.repetition_type === 'REPEATED') throw other();
        this.schema.push({ ...element, name, num_children: type.fields.length });
        this.#addFields(tree, type.fields, path);
        return;
      }
      case 'list': {
        const [repeated] = children;
        if (children.length !== 1 || repeated?.element.repetition_type !== 'REPEATED') throw other();
        this.schema.push({ ...element, name });
        if (!isItem(repeated, element.name)) {
          this.schema.push(repeated.element);
          const item = repeated.children[0] as SchemaTree;
          this.add(item, type.item, item.element.name, [...path, repeated.element.name]);
          return;
        }
        // The readers know this name of a repeated item.
        const itemName = 'array';
        if (type.item.kind === 'struct') {
          this.schema.push({ ...repeated.element, name: itemName, num_children: type.item.fields.length });
          this.#addFields(repeated, type.item.fields, [...path, itemName]);
        } else if (type.item.kind === 'value') {
          this.schema.push({
            ...typedElement(repeated.element, type.item.element, path),
            repetition_type: 'REPEATED',
            name: itemName,
          });
          this.paths.set(keyOf(repeated.path), [...path, itemName]);
        } else throw other();
        return;
      }
      case 'map': {
        const [repeated] = children;
        const [key, value] = repeated?.children ?? [];
        if (repeated?.element.repetition_type !== 'REPEATED' || key === undefined || value === undefined) throw other();
        this.schema.push({ ...element, name }, { ...repeated.element, num_children: 2 });
        const inside = [...path, repeated.element.name];
        this.add(key, type.key, key.element.name, inside);
        this.add(value, type.value, value.element.name, inside);
      }
    }
  }

  #addFields(tree: SchemaTree, fields: readonly TableField[], path: readonly string[]): void {
    let found = 0;
    for (const field of fields) {
      const child = this.find(tree, field);
      if (child === undefined) {
        if (field.initial !== undefined) {
          throw new Error(
            `the part ${field.name} of the column ${path.join('.')} has a default, which is not supported`,
          );
        }
        this.schema.push({ name: field.name, repetition_type: 'OPTIONAL' });
        continue;
      }
      found++;
      this.add(child, field.type, field.name, path);
    }
    // Without a column of the file, it would not be known which objects are null.
    if (found === 0) throw new Error(`the file has no part of the column ${path.join('.')}`);
  }
}

/** Returns the element of a value of the table. Throws if the file stores values that would become others. */
function typedElement(inFile: SchemaElement, wanted: ValueElement, path: readonly string[]): SchemaElement {
  const [found, type] = [logicalType(inFile), logicalType({ name: '', ...wanted })];
  const physical = inFile.type;
  const fits = (): boolean => {
    switch (type.type) {
      case 'TEXT':
        return found.type === 'TEXT' || found.type === 'JSON' || isPlainBytes(inFile);
      case 'UUID':
        return physical === 'FIXED_LEN_BYTE_ARRAY' && inFile.type_length === 16;
      case 'TIMESTAMP':
        return found.type === 'TIMESTAMP' || physical === 'INT96';
      case 'DECIMAL':
        return found.type === 'DECIMAL' && found.scale === type.scale;
      case 'DATE':
      case 'TIME':
        return found.type === type.type;
    }
    switch (wanted.type) {
      case 'INT64':
        return (physical === 'INT32' || physical === 'INT64') && (found.type === 'NONE' || found.type === 'UNSIGNED');
      case 'FLOAT':
        return physical === 'FLOAT' || found.type === 'FLOAT16';
      case 'DOUBLE':
        return physical === 'DOUBLE' || physical === 'FLOAT';
      case 'BYTE_ARRAY':
        return physical === 'BYTE_ARRAY' || physical === 'FIXED_LEN_BYTE_ARRAY';
      default:
        return physical === wanted.type;
    }
  };
  if (!fits()) {
    throw new Error(
      `the column ${path.join('.')} is ${elementName(inFile)} in this file, and ${elementName(wanted)} in the table`,
    );
  }
  // The table also says what the bytes of old writers are, and how many digits decimals have in all files.
  const { logical_type } = wanted;
  if (type.type === 'TEXT' || type.type === 'UUID' || type.type === 'DECIMAL') return { ...inFile, logical_type };
  return inFile;
}

function isPlainBytes(element: SchemaElement): boolean {
  return element.type === 'BYTE_ARRAY' && logicalType(element).type === 'NONE';
}

function typeName({ element, children }: SchemaTree): string {
  return children.length > 0
    ? (element.logical_type?.type ?? element.converted_type ?? 'STRUCT')
    : elementName(element);
}

function elementName(element: ValueElement): string {
  const logical = logicalType({ name: '', ...element });
  if (logical.type === 'DECIMAL') return `DECIMAL(${logical.precision}, ${logical.scale})`;
  return logical.type === 'NONE' ? (element.type ?? 'a group') : logical.type;
}

function keyOf(path: readonly string[]): string {
  return path.join('\0');
}

/** Returns whether the columns of a file have ids. */
export function hasFieldIds({ schema }: FileMetaData): boolean {
  return schema.some(({ field_id }, i) => i > 0 && field_id !== undefined);
}
