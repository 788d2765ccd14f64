import { ConfigError } from '../tree/config-error.ts';
import type { ConfigNode, ListNode, ObjectNode, Origin } from '../tree/node.ts';
import { Float } from '../tree/node.ts';
import { floatText, fromDouble, isLong, narrow } from '../tree/number.ts';

const nowhere: Origin = { file: undefined, line: 1, column: 1 };

/**
 * Returns a tree for a plain JavaScript value. All nodes have the position `origin`. Fields of plain objects and
 * entries of maps become fields. Undefined fields are omitted. Undefined in a list, or as the whole value, becomes
 * null. Minus zero becomes zero, because HOCON has no minus zero.
 * @throws ConfigError of kind `BadValue` for values that a config cannot contain: NaN, integers of more than 64 bits,
 * functions, symbols, instances of classes such as `Date`, and circular values
 */
export function fromValue(value: unknown, origin: Origin = nowhere): ConfigNode {
  return new Builder(origin).build(value);
}

/** An object or array on the way to the current value, and its remaining fields or items. */
interface Level {
  source: object;
  node: ObjectNode | ListNode;
  rest: Iterator<[unknown, unknown]>;
  /** The current key or index. */
  at: unknown;
}

/** Builds a tree without recursion, so that a value may have any depth. */
class Builder {
  readonly #origin: Origin;
  readonly #levels: Level[] = [];
  /** The objects and arrays of the levels. */
  readonly #open = new Set<object>();

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  build(value: unknown): ConfigNode {
    const root = this.#node(value);
    for (let level = this.#levels.at(-1); level !== undefined; level = this.#levels.at(-1)) {
      const { done, value: entry } = level.rest.next();
      if (done) {
        this.#levels.pop();
        this.#open.delete(level.source);
      } else this.#put(level, entry[0], entry[1]);
    }
    return root;
  }

  #put(level: Level, key: unknown, value: unknown): void {
    const { node } = level;
    const isKey = node.kind === 'list' || typeof key === 'string' || typeof key === 'number';
    level.at = isKey ? key : '*';
    if (!isKey) throw this.#refused(`under a key that is ${inWords(key)}`, 'use strings for keys');
    if (node.kind === 'list') node.items.push(this.#node(value));
    else if (value !== undefined) {
      node.entries.set(String(key), this.#node(value));
      node.keys.set(String(key), this.#origin);
    }
  }

  #node(value: unknown): ConfigNode {
    const origin = this.#origin;
    switch (typeof value) {
      case 'string':
        return { kind: 'string', value, origin };
      case 'boolean':
        return { kind: 'boolean', value, origin };
      case 'bigint':
        if (!isLong(value)) throw this.#refused('an integer of more than 64 bits', 'write it as a string');
        return { kind: 'number', value: narrow(value), text: String(value), float: false, origin };
      case 'number':
        if (Number.isNaN(value)) throw this.#refused('NaN', 'use null or a string');
        return { kind: 'number', ...fromDouble(value), text: String(value), origin };
      case 'undefined':
        return { kind: 'null', origin };
      case 'object':
        return value === null ? { kind: 'null', origin } : this.#object(value);
      default:
        throw this.#refused(inWords(value));
    }
  }

  #object(value: object): ConfigNode {
    const origin = this.#origin;
    if (value instanceof Float) {
      if (Number.isNaN(value.value)) throw this.#refused('NaN', 'use null or a string');
      return { kind: 'number', value: value.value, text: floatText(value.value), float: true, origin };
    }
    if (this.#open.has(value)) throw this.#refused('a value that contains itself', 'break the circle');
    if (!isPlain(value)) throw this.#refused(inWords(value), 'convert it to a string, number, list or plain object');
    const isArray = Array.isArray(value);
    const node: ObjectNode | ListNode = isArray
      ? { kind: 'list', items: [], origin }
      : { kind: 'object', entries: new Map(), keys: new Map(), origin };
    let rest: Iterator<[unknown, unknown]>;
    if (isArray) rest = value.entries();
    else rest = value instanceof Map ? value.entries() : Object.entries(value)[Symbol.iterator]();
    this.#levels.push({ source: value, node, rest, at: undefined });
    this.#open.add(value);
    return node;
  }

  #refused(what: string, hint = 'remove it'): ConfigError {
    const path = this.#levels.map(({ at, node }) => (node.kind === 'list' ? `[${at}]` : `.${String(at)}`)).join('');
    const name = path.startsWith('.') ? path.slice(1) : path;
    const message = `${name === '' ? 'the value' : name} is ${what}, which a config cannot contain`;
    return new ConfigError('BadValue', name, message, { hint });
  }
}

/** Returns true for an array, a map, or an object without a class. The value may come from another realm. */
function isPlain(value: object): boolean {
  if (Array.isArray(value) || value instanceof Map) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function inWords(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const name = value.constructor?.name;
  return name === undefined || name === '' ? 'an object of a class' : `an instance of ${name}`;
}
