import type { ListNode, ObjectNode } from '../tree/node.ts';
import type { Marks, Raw } from '../tree/raw.ts';
import { rawEntries, rawItems } from '../tree/raw.ts';

/**
 * Returns a copy of a tree without the values that wait for substitutions. Calls `removed` for each of these values.
 */
export function withoutUnresolved(root: ObjectNode, marks: Marks, removed: (node: Raw) => void): ObjectNode {
  const work: { from: ObjectNode | ListNode; into: ObjectNode | ListNode }[] = [];
  const copyOf = <Node extends ObjectNode | ListNode>(from: Node): Node => {
    const into =
      from.kind === 'object' ? { ...from, entries: new Map(), keys: new Map() } : { ...from, items: [] as never[] };
    work.push({ from, into: into as Node });
    return into as Node;
  };
  const result = copyOf(root);
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { from, into } = next;
    const children = from.kind === 'object' ? rawEntries(from) : rawItems(from).entries();
    for (const [key, child] of children) {
      let value: Raw = child;
      if (marks.isUnresolved(child)) {
        if (child.kind !== 'object' && child.kind !== 'list') {
          removed(child);
          continue;
        }
        value = copyOf(child);
      }
      if (into.kind === 'list') rawItems(into).push(value);
      else if (from.kind === 'object') {
        rawEntries(into).set(key as string, value);
        into.keys.set(key as string, from.keys.get(key as string)!);
      }
    }
  }
  return result;
}
