import type { ListNode, ObjectNode, Origin } from '../tree/node.ts';
import type { Marks, Raw } from '../tree/raw.ts';
import { rawEntries, rawItems } from '../tree/raw.ts';
import { noteReplaced } from './replaced.ts';

/** Returns true if this value hides all lower values in a stack of definitions. */
export function hidesLower(node: Raw, marks: Marks): boolean {
  switch (node.kind) {
    case 'object':
      return marks.opaque.size > 0 && marks.opaque.has(node);
    case 'list':
      return !marks.isUnresolved(node);
    case 'merge':
      return hidesLower(node.stack[0]!, marks);
    case 'reference':
    case 'concatenation':
      return false;
    default:
      return true;
  }
}

/**
 * Merges `upper` over `lower`. Both are definitions of one field that are not used in other places, so they are changed
 * in place. A field that is defined n times therefore needs n steps. If the result depends on substitutions, it becomes
 * a merge node.
 */
export function layOver(upper: Raw, lower: Raw, marks: Marks): Raw {
  if (hidesLower(upper, marks)) return upper;
  if (lower.kind === 'broken') return upper;
  if (upper.kind === 'concatenation' && upper.append !== undefined) {
    const joined = appendTo(lower, upper.append, upper.origin, marks);
    if (joined !== undefined) return joined;
  }
  if (lower.kind === 'merge') {
    if (upper.kind === 'merge') for (const layer of upper.stack) lower.stack.push(layer);
    else lower.stack.push(upper);
    return lower;
  }
  if (upper.kind === 'object') {
    if (lower.kind === 'object') {
      mergeObjects(upper, lower, marks);
      return lower;
    }
    if (lower.kind !== 'reference' && lower.kind !== 'concatenation' && !hasUnresolved(upper, marks)) {
      marks.opaque.add(upper);
      return upper;
    }
  }
  if (upper.kind === 'merge') {
    upper.stack.unshift(lower);
    return upper;
  }
  return { kind: 'merge', stack: [lower, upper], origin: upper.origin };
}

/**
 * Appends a list of plain values to the existing value in place, so that n appends to a field need n steps. Returns
 * undefined if the existing value is not known yet.
 */
function appendTo(lower: Raw, list: ListNode, origin: Origin, marks: Marks): Raw | undefined {
  if (lower.kind === 'merge') {
    const top = appendTo(lower.stack.at(-1)!, list, origin, marks);
    if (top === undefined) return undefined;
    lower.stack[lower.stack.length - 1] = top;
    return lower;
  }
  const into = lower.kind === 'concatenation' ? lower.append : lower;
  if (into?.kind !== 'list' || marks.isUnresolved(into)) return undefined;
  for (const item of list.items) into.items.push(item);
  return { ...lower, origin } as Raw;
}

/** Merges the object `upper` into the object `lower`, level by level without recursion. */
function mergeObjects(upper: ObjectNode, lower: ObjectNode, marks: Marks): void {
  const pairs: [ObjectNode, ObjectNode][] = [[upper, lower]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [from, into] = pair;
    if (marks.isUnresolved(from)) marks.unresolved.add(into);
    const entries = rawEntries(into);
    for (const [key, value] of rawEntries(from)) {
      const existing = entries.get(key);
      if (value.kind === 'object' && existing?.kind === 'object' && !hidesLower(value, marks)) {
        pairs.push([value, existing]);
      } else {
        const origin = from.keys.get(key)!;
        if (existing !== undefined) noteReplaced(key, value, existing, origin, into.keys.get(key)!, marks);
        entries.set(key, existing === undefined ? value : layOver(value, existing, marks));
        into.keys.set(key, origin);
      }
    }
  }
}

/**
 * Returns true if a value still contains unresolved values. Searches the tree, because a mark may be outdated: a later
 * field can override the unresolved value.
 */
export function hasUnresolved(node: Raw, marks: Marks): boolean {
  const work: Raw[] = [node];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (!marks.isUnresolved(next)) continue;
    if (next.kind === 'object') for (const child of rawEntries(next).values()) work.push(child);
    else if (next.kind === 'list') for (const child of rawItems(next)) work.push(child);
    else return true;
  }
  return false;
}
