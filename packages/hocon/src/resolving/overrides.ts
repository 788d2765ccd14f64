import { PathError, parsePath, renderPath } from '../lexing/path.ts';
import { nest, setField } from '../merging/fields.ts';
import { layOver } from '../merging/merge.ts';
import type { PathEntry } from '../parsing/properties.ts';
import { objectOfPaths } from '../parsing/properties.ts';
import type { Session } from '../parsing/session.ts';
import type { ConfigNode, ObjectNode, PlainValue } from '../tree/node.ts';
import type { Raw } from '../tree/raw.ts';
import { rawEntries, rawItems } from '../tree/raw.ts';
import { fromValue } from '../values/from-value.ts';

const POSITION = /^(0|[1-9]\d{0,8})$/;

/**
 * Applies the overrides to the text, as the reference does with system properties. An override for a list element sets
 * that element.
 */
export function layOverrides(
  root: ObjectNode,
  overrides: Record<string, PlainValue> | undefined,
  session: Session,
): void {
  if (overrides === undefined) return;
  const { problems, limits, marks } = session;
  const entries: PathEntry[] = [];
  for (const [i, [expression, value]] of Object.entries(overrides).entries()) {
    // Each override counts as a separate line.
    const origin = { file: 'overrides', line: i + 1, column: 1 };
    try {
      const path = parsePath(expression);
      const node = fromValue(value, origin);
      if (path.length + depthOf(node) <= limits.depth) entries.push(...fieldsOf(path, node, origin));
      else problems.add('too-deep', origin, `values are nested deeper than ${limits.depth} levels`, 'nest them less');
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      const hint = 'write a.b.c, with double quotes around names with special characters';
      problems.add('bad-override', origin, error.message, hint);
    }
  }
  const others = entries.filter((entry) => !setElement(root, entry, session));
  layOver(objectOfPaths(others, { file: 'overrides', line: 1, column: 1 }), root, marks);
}

/**
 * Sets the element of a list, or a field in it, if the path leads there. Otherwise changes nothing and returns false.
 */
function setElement(root: ObjectNode, { path, node, origin }: PathEntry, { problems, marks }: Session): boolean {
  let at: Raw | undefined = root;
  let set: (() => void) | undefined;
  for (const [i, key] of path.entries()) {
    if (at?.kind === 'object') at = rawEntries(at).get(key);
    else if (at === undefined || !POSITION.test(key)) break;
    else if (at.kind === 'list') {
      const items = rawItems(at);
      const position = Number(key);
      if (position > items.length) {
        const message = `${renderPath(path.slice(0, i))} has no element ${key}; its length is ${items.length}`;
        problems.add('bad-override', origin, message, `positions start at 0; position ${items.length} adds an element`);
        return true;
      }
      const rest = path.slice(i + 1);
      const item = items[position];
      at = item;
      set = () => {
        if (item?.kind === 'object' && rest.length > 0) setField(item, rest, node, origin, marks);
        else if (item === undefined) items.push(nest(rest, node, origin, marks));
        else items[position] = layOver(nest(rest, node, origin, marks), item, marks);
      };
    } else if (at.kind === 'reference' || at.kind === 'concatenation' || at.kind === 'merge') {
      const message = `the elements of ${renderPath(path.slice(0, i))} cannot be set, because substitutions create the list`;
      problems.add('bad-override', origin, message, 'set a value that the text substitutes');
      return true;
    } else break;
  }
  set?.();
  return set !== undefined;
}

/** Yields the fields of an object separately, because they are merged with the existing value. */
function* fieldsOf(path: string[], node: ConfigNode, origin: PathEntry['origin']): Generator<PathEntry> {
  if (node.kind !== 'object' || node.entries.size === 0) yield { path, node, origin };
  else for (const [key, child] of node.entries) yield* fieldsOf([...path, key], child, origin);
}

/** Returns the nesting depth of a value. A value without children has the depth 0. */
function depthOf(root: ConfigNode): number {
  let depth = -1;
  let level: ConfigNode[] = [root];
  while (level.length > 0) {
    depth++;
    level = level.flatMap((node) =>
      node.kind === 'object' ? [...node.entries.values()] : node.kind === 'list' ? node.items : [],
    );
  }
  return depth;
}
