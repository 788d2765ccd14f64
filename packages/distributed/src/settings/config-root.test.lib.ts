import { readConfigText } from '@headrace/engine';
import type { ObjectNode } from '@headrace/hocon';

/** Returns the root of a config that is plain JSON. */
export function rootOf(config: object): ObjectNode {
  const { root } = readConfigText(JSON.stringify(config), { env: {} });
  if (root === undefined) throw new Error('The config cannot be read');
  return root;
}
