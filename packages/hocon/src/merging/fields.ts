import type { ListNode, ObjectNode, Origin } from '../tree/node.ts';
import type { Marks, Raw } from '../tree/raw.ts';
import { rawEntries } from '../tree/raw.ts';
import { layOver } from './merge.ts';
import { noteReplaced } from './replaced.ts';

export function emptyObject(origin: Origin): ObjectNode {
  return { kind: 'object', entries: new Map(), keys: new Map(), origin };
}

/** Sets the field at a path below an object. Merges it with an existing value. */
export function setField(node: ObjectNode, path: readonly string[], value: Raw, origin: Origin, marks: Marks): void {
  const unresolved = marks.isUnresolved(value);
  const last = path.length - 1;
  let into = node;
  for (let i = 0; i < last; i++) {
    if (unresolved) marks.unresolved.add(into);
    const key = path[i]!;
    const existing = rawEntries(into).get(key);
    if (existing === undefined) {
      const inner = emptyObject(origin);
      into.entries.set(key, inner);
      into.keys.set(key, origin);
      into = inner;
    } else if (existing.kind === 'object') into = existing;
    else {
      putField(into, key, nest(path.slice(i + 1), value, origin, marks), origin, marks);
      return;
    }
  }
  putField(into, path[last]!, value, origin, marks);
}

/** Returns an object that only has a value at a path. Returns the value itself for an empty path. */
export function nest(path: readonly string[], value: Raw, origin: Origin, marks: Marks): Raw {
  let nested = value;
  for (const key of path.toReversed()) {
    const object = emptyObject(origin);
    putField(object, key, nested, origin, marks);
    nested = object;
  }
  return nested;
}

/** Sets a field of an object. Merges it with an existing value. */
export function putField(into: ObjectNode, key: string, value: Raw, origin: Origin, marks: Marks): void {
  const entries = rawEntries(into);
  const existing = entries.get(key);
  if (existing !== undefined) noteReplaced(key, value, existing, origin, into.keys.get(key)!, marks);
  const merged = existing === undefined ? value : layOver(value, existing, marks);
  entries.set(key, merged);
  if (marks.isUnresolved(merged)) marks.unresolved.add(into);
  // An object that gets more fields keeps its first position.
  if (merged !== existing || merged.kind === 'merge') into.keys.set(key, origin);
}

/**
 * Returns the value of `path += element`: the existing value at the path, if any, and a list with the element.
 * @param isDefinite true if nothing around the field can change the existing value
 */
export function appended(path: string[], prefix: number, element: Raw, isDefinite: boolean, marks: Marks): Raw {
  const { origin } = element;
  const list: ListNode = { kind: 'list', items: [element as ListNode['items'][number]], origin };
  const below: Raw = { kind: 'reference', path, optional: true, prefix, origin };
  const value: Raw = { kind: 'concatenation', pieces: [below, list], origin };
  if (marks.isUnresolved(element)) marks.unresolved.add(list);
  else if (isDefinite) value.append = list;
  return value;
}
