import type { JsonObject, Value } from 'headrace/engine';
import { textOf } from 'headrace/engine';
import type { SchemaTree } from 'hyparquet';
import type { LeafReader } from './leaf-reader.ts';

/**
 * A node of the schema with the readers of its columns. `definition` and `repetition` are the levels of a value in
 * which the node exists. (Source of the algorithm: Melnik et al.: Dremel: Interactive Analysis of Web-Scale Datasets,
 * VLDB 2010, section 4.3.)
 */
interface Node {
  readonly name: string;
  readonly optional: boolean;
  readonly definition: number;
  readonly repetition: number;
  /** The columns below the node. */
  readonly leaves: readonly LeafReader<Value>[];
  readonly content: Content;
}

type Content =
  | { readonly kind: 'value' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'struct'; readonly members: readonly Node[] }
  | { readonly kind: 'list'; readonly items: Repeated }
  | { readonly kind: 'map'; readonly items: Repeated; readonly key: Node; readonly value: Node };

/** The part of a list or a map that is repeated. */
interface Repeated {
  readonly definition: number;
  readonly repetition: number;
  /** The item of a list; for a map, unused. */
  readonly item: Node;
}

/** Reads the rows of a column of the schema, with its lists, maps and structs. */
export class NestedReader {
  readonly #node: Node;

  /** @param leafOf returns the reader of a column by the names from the root of the schema */
  constructor(schema: SchemaTree, leafOf: LeafOf) {
    this.#node = nodeOf(schema, 0, 0, leafOf);
  }

  /** Returns the values of the next rows; undefined for each that is missing. */
  take(count: number): (Value | undefined)[] {
    return Array.from({ length: count }, () => read(this.#node) ?? undefined);
  }

  /** Skips rows. Throws if a column is too short. */
  skip(count: number): void {
    for (const leaf of this.#node.leaves) leaf.skipRows(count);
  }
}

function nodeOf(schema: SchemaTree, definition: number, repetition: number, leafOf: LeafOf): Node {
  const { element, children, path } = schema;
  const { name, repetition_type: repeats } = element;
  if (repeats === 'REPEATED') {
    // A repeated field outside a list is a separate list, which always exists.
    const item = itemOf(schema, definition + 1, repetition + 1, leafOf);
    const items = { definition: definition + 1, repetition: repetition + 1, item };
    return { name, optional: false, definition, repetition, leaves: item.leaves, content: { kind: 'list', items } };
  }
  const optional = repeats === 'OPTIONAL';
  const own = definition + (optional ? 1 : 0);
  if (children.length === 0 && element.type === undefined) {
    // The table has this part of an object, and the file does not.
    return { name, optional, definition: own, repetition, leaves: [], content: { kind: 'missing' } };
  }
  if (children.length === 0) {
    const leaves = [leafOf(path)];
    return { name, optional, definition: own, repetition, leaves, content: { kind: 'value' } };
  }
  const content = contentOf(schema, own, repetition, leafOf);
  return { name, optional, definition: own, repetition, leaves: leavesOf(content), content };
}

/** The type of an element without its own repetition. */
function itemOf(schema: SchemaTree, definition: number, repetition: number, leafOf: LeafOf): Node {
  const { element, children, path } = schema;
  const shared = { name: element.name, optional: false, definition, repetition };
  if (children.length === 0) {
    return { ...shared, leaves: [leafOf(path)], content: { kind: 'value' } };
  }
  const content = contentOf(schema, definition, repetition, leafOf);
  return { ...shared, leaves: leavesOf(content), content };
}

type LeafOf = (path: readonly string[]) => LeafReader<Value>;

function contentOf(schema: SchemaTree, definition: number, repetition: number, leafOf: LeafOf): Content {
  const { element, children } = schema;
  const [only] = children;
  const type = element.logical_type?.type ?? element.converted_type;
  const repeated = children.length === 1 && only?.element.repetition_type === 'REPEATED' ? only : undefined;
  if (repeated !== undefined && (type === 'MAP' || type === 'MAP_KEY_VALUE') && repeated.children.length > 0) {
    const [key, value] = repeated.children.map((child) => nodeOf(child, definition + 1, repetition + 1, leafOf));
    const items = { definition: definition + 1, repetition: repetition + 1, item: key as Node };
    // A map without values is the list of its keys, as for pyarrow.
    return value === undefined ? { kind: 'list', items } : { kind: 'map', items, key: key as Node, value };
  }
  if (repeated !== undefined && type === 'LIST') {
    const levels = { definition: definition + 1, repetition: repetition + 1 };
    const item = isItem(repeated, element.name)
      ? itemOf(repeated, levels.definition, levels.repetition, leafOf)
      : nodeOf(repeated.children[0] as SchemaTree, levels.definition, levels.repetition, leafOf);
    return { kind: 'list', items: { ...levels, item } };
  }
  return { kind: 'struct', members: children.map((child) => nodeOf(child, definition, repetition, leafOf)) };
}

/**
 * Returns whether the repeated field of a list is itself the item, as old writers do it, and not a group around the
 * item. (Source: the rules for backward compatibility in LogicalTypes.md of the Parquet format.)
 */
export function isItem({ children, element: { name } }: SchemaTree, list: string): boolean {
  return children.length !== 1 || name === 'array' || name === `${list}_tuple`;
}

function leavesOf(content: Content): readonly LeafReader<Value>[] {
  switch (content.kind) {
    case 'value':
    case 'missing':
      return [];
    case 'struct':
      return content.members.flatMap(({ leaves }) => leaves);
    case 'list':
      return content.items.item.leaves;
    case 'map':
      return [...content.key.leaves, ...content.value.leaves];
  }
}

/** Reads the next instance of a node. Returns null if it does not exist. */
function read(node: Node): Value {
  const { content, leaves } = node;
  if (content.kind === 'missing') return null;
  const [first] = leaves as readonly [LeafReader<Value>];
  if (content.kind === 'value') return first.next() ?? null;
  if (!first.hasNext) throw new Error('a column ends before the rows of its row group');
  if (node.optional && first.definition < node.definition) {
    for (const leaf of leaves) leaf.next();
    return null;
  }
  if (content.kind === 'struct') {
    const object: JsonObject = new Map();
    for (const member of content.members) object.set(member.name, read(member));
    return object;
  }
  if (content.kind === 'list') return readAll(content.items, leaves, () => read(content.items.item));
  const object: JsonObject = new Map();
  readAll(content.items, leaves, () => {
    const key = textOf(read(content.key)) ?? '';
    object.set(key, read(content.value));
    return null;
  });
  return object;
}

function readAll({ definition, repetition }: Repeated, leaves: readonly LeafReader<Value>[], item: () => Value) {
  const [first] = leaves as readonly [LeafReader<Value>];
  const items: Value[] = [];
  if (first.definition < definition) {
    for (const leaf of leaves) leaf.next();
    return items;
  }
  do items.push(item());
  while (first.hasNext && first.repetition === repetition);
  return items;
}
