import { PathError, parsePath, renderPath } from '../lexing/path.ts';
import { ArgumentError } from '../tree/arguments.ts';
import { ConfigError } from '../tree/config-error.ts';
import type { ConfigNode, ObjectNode } from '../tree/node.ts';

/** A path expression, such as `a."b.c"`, or the elements of a path. */
export type PathLike = string | readonly string[];

/**
 * The elements of a path.
 *
 * @throws ConfigError of kind `BadPath`
 */
export function elementsOf(path: PathLike): readonly string[] {
  if (Array.isArray(path) && path.every((element) => typeof element === 'string')) return path;
  if (typeof path !== 'string') throw new ArgumentError('a path must be a string, or an array of strings');
  try {
    return parsePath(path);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    const hint = 'write a.b.c, with double quotes around what is no plain word, or give the elements as an array';
    throw new ConfigError('BadPath', path, error.message, { hint });
  }
}

/**
 * The value at a path, an expression or its elements. Undefined if it does not exist; a null value exists.
 * @throws ConfigError of kind `BadPath`
 */
export function getPath(node: ConfigNode, path: PathLike): ConfigNode | undefined {
  let at: ConfigNode | undefined = node;
  for (const key of elementsOf(path)) {
    if (at?.kind !== 'object') return undefined;
    at = at.entries.get(key);
  }
  return at;
}

/**
 * Whether a value other than null is at a path.
 *
 * @throws ConfigError of kind `BadPath`
 */
export function hasPath(node: ConfigNode, path: PathLike): boolean {
  const found = getPath(node, path);
  return found !== undefined && found.kind !== 'null';
}

/** The rendered paths of all leaves, lists included. Nulls and empty objects have none. */
export function entryPaths(node: ObjectNode): string[] {
  const paths: string[] = [];
  const work: { node: ConfigNode; path: string[] }[] = [{ node, path: [] }];
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    const { node: at, path } = next;
    if (at.kind === 'object') for (const [key, child] of at.entries) work.push({ node: child, path: [...path, key] });
    else if (at.kind !== 'null') paths.push(renderPath(path));
  }
  return paths.sort();
}
