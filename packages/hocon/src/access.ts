import type { ConfigNode } from './node.ts';
import { parsePath } from './path.ts';

/**
 * The value at a path, an expression or its elements. Undefined when nothing is there; a null value is there.
 *
 * @throws PathError when the expression does not parse
 */
export function getPath(node: ConfigNode, path: string | readonly string[]): ConfigNode | undefined {
  let at: ConfigNode | undefined = node;
  for (const key of typeof path === 'string' ? parsePath(path) : path) {
    if (at?.kind !== 'object') return undefined;
    at = at.entries.get(key);
  }
  return at;
}
