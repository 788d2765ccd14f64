import { PathError, parsePath, renderPath } from '../lexing/path.ts';
import { ArgumentError } from '../tree/arguments.ts';
import { ConfigError } from '../tree/config-error.ts';
import type { ConfigNode, ObjectNode } from '../tree/node.ts';

/** A path expression such as `a."b.c"`, or the elements of a path. */
export type PathLike = string | readonly string[];

/**
 * Returns the elements of a path.
 * @throws ConfigError of kind `BadPath` for an invalid expression
 */
export function elementsOf(path: PathLike): readonly string[] {
  if (Array.isArray(path) && path.every((element) => typeof element === 'string')) return path;
  if (typeof path !== 'string') throw new ArgumentError('a path must be a string, or an array of strings');
  try {
    return parsePath(path);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    const hint =
      'write a.b.c, with double quotes around names with special characters, or pass the elements as an array';
    throw new ConfigError('BadPath', path, error.message, { hint });
  }
}

/**
 * Returns the value at a path, which is an expression or its elements. Returns undefined if the value does not exist. A
 * null value exists.
 * @throws ConfigError of kind `BadPath` for an invalid expression
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
 * Returns true if a value other than null exists at a path.
 * @throws ConfigError of kind `BadPath` for an invalid expression
 */
export function hasPath(node: ConfigNode, path: PathLike): boolean {
  const found = getPath(node, path);
  return found !== undefined && found.kind !== 'null';
}

/** Returns the rendered paths of all leaves, including lists. Nulls and empty objects are not included. */
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
