import type { ConfigNode, ListNode, ObjectNode, Origin } from '@headrace/hocon';
import type { Problem } from '../errors/problem.ts';

/** The keys and positions of a path: `stages[1].regex`. */
export function keysOfPath(path: string): (string | number)[] {
  return Array.from(path.matchAll(/([^.[\]]+)|\[(\d+)\]/g), ([, key, index]) => key ?? Number(index));
}

/** The member of a node that a key or a position leads to. */
export function memberOf(node: ConfigNode, key: string | number): ConfigNode | undefined {
  if (typeof key === 'number') return asList(node)?.[key];
  return node.kind === 'object' ? node.entries.get(key) : undefined;
}

/** The object at a path without names that would need quotes, such as that of a component: `pipelines[0].stages[1]`. */
export function nodeAt(root: ObjectNode, path: string): ObjectNode | undefined {
  let at: ConfigNode | undefined = root;
  for (const key of keysOfPath(path)) at = at && memberOf(at, key);
  return at?.kind === 'object' ? at : undefined;
}

/** File, line and column of a problem, if they are known. */
export function place(origin: Origin): Pick<Problem, 'file' | 'line' | 'column'> {
  if (origin.line < 1) return {};
  return { ...(origin.file === undefined ? {} : { file: origin.file }), line: origin.line, column: origin.column };
}

/** The position of a member of an object; empty if the object does not have it. */
export function placeOf(node: ConfigNode | undefined, key: string): ReturnType<typeof place> {
  const child = node?.kind === 'object' ? node.entries.get(key) : undefined;
  return child === undefined ? {} : place(child.origin);
}

/** A path with one more key or position. A key is quoted if it would read as several keys. */
export function join(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  const element = /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
  return path === '' ? element : `${path}.${element}`;
}

/** The list that a node means. An object whose keys are all numbers counts as a list, in their order. */
export function asList(node: ConfigNode): readonly ConfigNode[] | undefined {
  if (node.kind === 'list') return (node as ListNode).items;
  if (node.kind !== 'object' || node.entries.size === 0) return undefined;
  const indexed = [...node.entries].filter(([key]) => /^\d+$/.test(key));
  if (indexed.length === 0) return undefined;
  return indexed.sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item);
}

/** The text of a scalar, numbers as they are written in the config; undefined for anything else. */
export function scalarText(node: ConfigNode): string | undefined {
  if (node.kind === 'string') return node.value;
  if (node.kind === 'number') return node.text;
  return node.kind === 'boolean' ? String(node.value) : undefined;
}

/** The number of a scalar, or of a text that holds one. */
export function scalarNumber(node: ConfigNode): number | undefined {
  if (node.kind === 'number') return Number(node.value);
  if (node.kind !== 'string' || !/^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*$/.test(node.value)) return undefined;
  return Number(node.value);
}

/** Whether an object has a value for a key; null counts as absent. */
export function isPresent(node: ObjectNode, key: string): boolean {
  const value = node.entries.get(key);
  return value !== undefined && value.kind !== 'null';
}

/** The type of a node in the reference's words. */
export function kindName(node: ConfigNode): string {
  return node.kind.toUpperCase();
}
