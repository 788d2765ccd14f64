import type { ConfigNode, ListNode, ObjectNode, Origin, PlainValue } from './node.ts';
import { Float } from './node.ts';
import { fromDouble, narrow } from './number.ts';

/** One step of a walk that needs no recursion: a container to fill, and where its children come from. */
type Work = { node: ObjectNode; into: { [key: string]: PlainValue } } | { node: ListNode; into: PlainValue[] };

/** The plain value of a tree: objects without prototype, `bigint` for long integers, {@link Float} for `1e30`. */
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

const nowhere: Origin = { file: undefined, line: 1, column: 1 };

/**
 * A tree for a plain JavaScript value, with `origin` for every place. Map entries and own enumerable properties become
 * fields; undefined and functions are left out of objects and are null in lists.
 *
 * @throws TypeError for a value that contains itself
 */
export function fromValue(value: unknown, origin: Origin = nowhere): ConfigNode {
  return build(value, origin, new Set()) ?? { kind: 'null', origin };
}

function build(value: unknown, origin: Origin, above: Set<object>): ConfigNode | undefined {
  switch (typeof value) {
    case 'string':
      return { kind: 'string', value, origin };
    case 'boolean':
      return { kind: 'boolean', value, origin };
    case 'bigint':
      return { kind: 'number', value: narrow(value), text: String(value), float: false, origin };
    case 'number':
      return { kind: 'number', ...fromDouble(value), text: String(value), origin };
    case 'object':
      break;
    default:
      return undefined;
  }
  if (value === null) return { kind: 'null', origin };
  if (value instanceof Float)
    return { kind: 'number', value: value.value, text: floatText(value.value), float: true, origin };
  if (above.has(value)) throw new TypeError('a value that contains itself is no config');
  above.add(value);
  const node = Array.isArray(value) ? listFrom(value, origin, above) : objectFrom(value, origin, above);
  above.delete(value);
  return node;
}

function listFrom(value: unknown[], origin: Origin, above: Set<object>): ListNode {
  return { kind: 'list', items: value.map((item) => build(item, origin, above) ?? { kind: 'null', origin }), origin };
}

function objectFrom(value: object, origin: Origin, above: Set<object>): ObjectNode {
  const node: ObjectNode = { kind: 'object', entries: new Map(), keys: new Map(), origin };
  for (const [key, child] of value instanceof Map ? value : Object.entries(value)) {
    const built = build(child, origin, above);
    if (built === undefined) continue;
    node.entries.set(String(key), built);
    node.keys.set(String(key), origin);
  }
  return node;
}

/** A double as the reference writes it where it is no integer there: `1.0`, `1.0E30`. */
export function floatText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return `${value}.0`;
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const digits = mantissa.includes('.') ? mantissa : `${mantissa}.0`;
  return Number.isFinite(value) && Number.isInteger(value) ? `${digits}E${Number(exponent)}` : String(value);
}
