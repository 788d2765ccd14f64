import type { ConfigNode, ListNode, ObjectNode, PlainValue } from '../tree/node.ts';
import { Float } from '../tree/node.ts';

/** One step of a walk without recursion: a container to fill, and the source of its children. */
type Work = { node: ObjectNode; into: { [key: string]: PlainValue } } | { node: ListNode; into: PlainValue[] };

/**
 * Returns the plain value of a tree. Objects have no prototype. Long integers are `bigint`, and `1e30` is a {@link
 * Float}.
 */
export function toValue(node: ConfigNode): PlainValue {
  const work: Work[] = [];
  const result = shallow(node, work);
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    if (Array.isArray(next.into)) for (const item of (next.node as ListNode).items) next.into.push(shallow(item, work));
    else for (const [key, child] of (next.node as ObjectNode).entries) next.into[key] = shallow(child, work);
  }
  return result;
}

function shallow(node: ConfigNode, work: Work[]): PlainValue {
  switch (node.kind) {
    case 'object': {
      const into: { [key: string]: PlainValue } = Object.create(null);
      work.push({ node, into });
      return into;
    }
    case 'list': {
      const into: PlainValue[] = [];
      work.push({ node, into });
      return into;
    }
    case 'null':
      return null;
    case 'number':
      return node.float && typeof node.value === 'number' && !isFraction(node.value)
        ? new Float(node.value)
        : node.value;
    default:
      return node.value;
  }
}

function isFraction(value: number): boolean {
  return Number.isFinite(value) && !Number.isInteger(value);
}
