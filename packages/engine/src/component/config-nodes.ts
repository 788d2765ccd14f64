import type { ConfigNode, ListNode, ObjectNode, Origin } from '@headrace/hocon';
import type { Problem } from '../errors/problem.ts';

/** Splits a path such as `stages[1].regex` into its keys and positions. */
export function keysOfPath(path: string): (string | number)[] {
  return Array.from(path.matchAll(/([^.[\]]+)|\[(\d+)\]/g), ([, key, index]) => key ?? Number(index));
}

/** Returns the member of a node at a key or position. */
export function memberOf(node: ConfigNode, key: string | number): ConfigNode | undefined {
  if (typeof key === 'number') return asList(node)?.[key];
  return node.kind === 'object' ? node.entries.get(key) : undefined;
}

/** Returns the object at a path such as `pipelines[0].stages[1]`. The path must not contain names that need quotes. */
export function nodeAt(root: ObjectNode, path: string): ObjectNode | undefined {
  let at: ConfigNode | undefined = root;
  for (const key of keysOfPath(path)) at = at && memberOf(at, key);
  return at?.kind === 'object' ? at : undefined;
}

/** Returns the file, line and column of a problem, if they are known. */
export function place(origin: Origin): Pick<Problem, 'file' | 'line' | 'column'> {
  if (origin.line < 1) return {};
  return { ...(origin.file === undefined ? {} : { file: origin.file }), line: origin.line, column: origin.column };
}

/** Returns the position of a member of an object. Returns an empty object if the member is absent. */
export function placeOf(node: ConfigNode | undefined, key: string): ReturnType<typeof place> {
  const child = node?.kind === 'object' ? node.entries.get(key) : undefined;
  return child === undefined ? {} : place(child.origin);
}

/** Appends a key or position to a path. Quotes a key that contains dots or other special characters. */
export function join(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  const element = /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
  return path === '' ? element : `${path}.${element}`;
}

/**
 * Returns the list that a node represents. An object whose keys are all numbers counts as a list, in the order of the
 * numbers.
 */
export function asList(node: ConfigNode): readonly ConfigNode[] | undefined {
  if (node.kind === 'list') return (node as ListNode).items;
  if (node.kind !== 'object' || node.entries.size === 0) return undefined;
  const indexed = [...node.entries].filter(([key]) => /^\d+$/.test(key));
  if (indexed.length === 0) return undefined;
  return indexed.sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item);
}

/**
 * Returns the string of a scalar, with numbers as written in the config. Returns undefined for lists, objects and null.
 */
export function scalarText(node: ConfigNode): string | undefined {
  if (node.kind === 'string') return node.value;
  if (node.kind === 'number') return node.text;
  return node.kind === 'boolean' ? String(node.value) : undefined;
}

/** Returns the number of a scalar, or of a string that contains a number. */
export function scalarNumber(node: ConfigNode): number | undefined {
  if (node.kind === 'number') return Number(node.value);
  if (node.kind !== 'string' || !/^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*$/.test(node.value)) return undefined;
  return Number(node.value);
}

/** Returns true if an object has a value for a key. Null counts as absent. */
export function isPresent(node: ObjectNode, key: string): boolean {
  const value = node.entries.get(key);
  return value !== undefined && value.kind !== 'null';
}

/** Returns the type of a node with the word that the reference uses. */
export function kindName(node: ConfigNode): string {
  return node.kind.toUpperCase();
}
