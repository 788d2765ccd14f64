import type { ConfigNode } from '@headrace/hocon';
import { internName } from '../document/names.ts';
import { integer, type JsonObject, type Value } from '../document/value.ts';

/**
 * Converts a free-form part of a config to a field value. Whole floating-point numbers become integers, as in HOCON.
 */
export function nodeToValue(node: ConfigNode): Value {
  switch (node.kind) {
    case 'null':
      return null;
    case 'string':
    case 'boolean':
      return node.value;
    case 'number':
      return typeof node.value === 'bigint' ? integer(node.value) : node.value;
    case 'list':
      return node.items.map(nodeToValue);
    case 'object': {
      const object: JsonObject = new Map();
      for (const [key, child] of node.entries) object.set(internName(key), nodeToValue(child));
      return object;
    }
  }
}
