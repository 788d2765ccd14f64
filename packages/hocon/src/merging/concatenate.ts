import type { NumberNode, ObjectNode, StringNode } from '../tree/node.ts';
import type { Marks, Raw } from '../tree/raw.ts';
import { rawEntries, rawItems } from '../tree/raw.ts';

/** Returns the text of a string, number (as written), boolean or null. Returns undefined for other values. */
export function textOf(node: Raw): string | undefined {
  switch (node.kind) {
    case 'string':
      return node.value;
    case 'number':
      return (node as NumberNode).text;
    case 'boolean':
      return String(node.value);
    case 'null':
      return 'null';
    default:
      return undefined;
  }
}

/**
 * Returns the values of an object whose keys are list indexes, in the order of the indexes. Other keys are ignored, and
 * gaps are closed.
 */
export function indexedItems(node: ObjectNode): Raw[] | undefined {
  const byIndex = new Map<number, Raw>();
  for (const [key, value] of rawEntries(node)) {
    const index = /^[+-]?\d+$/.test(key) ? Number(key) : -1;
    if (index >= 0 && index <= 0x7fffffff) byIndex.set(index, value);
  }
  if (byIndex.size === 0) return undefined;
  return [...byIndex].sort(([a], [b]) => a - b).map(([, value]) => value);
}

/** Joins two objects, or the items of two lists: in place while parsing, with copies while resolving. */
export interface Joiner {
  objects(left: ObjectNode, right: ObjectNode): Raw;
  lists(left: Raw, first: Raw[], right: Raw, second: Raw[]): Raw;
}

/**
 * Joins two adjacent values without unresolved substitutions. Returns undefined if they cannot be joined. An unquoted
 * word after a list or an object is dropped, as in the reference.
 */
export function join(left: Raw, right: Raw, marks: Marks, joiner: Joiner): Raw | undefined {
  if (left.kind === 'object' && right.kind === 'object') return joiner.objects(left, right);
  if (left.kind === 'list' || right.kind === 'list') {
    const first = listItems(left);
    const second = listItems(right);
    if (first !== undefined && second !== undefined) return joiner.lists(left, first, right, second);
  }
  if (left.kind === 'list' || left.kind === 'object') {
    return right.kind === 'string' && marks.unquoted.has(right) ? left : undefined;
  }
  const text = textOf(left);
  const more = textOf(right);
  if (text === undefined || more === undefined) return undefined;
  const joined: StringNode = { kind: 'string', value: text + more, origin: left.origin };
  if (isFromEnv(left) || isFromEnv(right)) joined.fromEnv = true;
  return joined;
}

/** Returns true if a value, or a part of it, came from the environment. */
export function isFromEnv(node: Raw): boolean {
  return node.kind === 'string' && node.fromEnv === true;
}

function listItems(node: Raw): Raw[] | undefined {
  if (node.kind === 'list') return rawItems(node);
  return node.kind === 'object' ? indexedItems(node) : undefined;
}
