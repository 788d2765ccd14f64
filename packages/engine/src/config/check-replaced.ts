import type { ConfigNode, ObjectNode, Origin } from '@headrace/hocon';
import { join, place } from '../component/config-nodes.ts';
import type { ProblemList } from './check-component.ts';

/**
 * Warns of keys that appear twice in a file with different values: the first value is lost. HOCON allows this, but it
 * is usually a mistake. Values that includes, substitutions and overrides replace are intended, so they are not
 * reported.
 */
export function warnOfReplaced(root: ObjectNode, list: ProblemList): void {
  const { replaced = [] } = root;
  if (replaced.length === 0) return;
  const paths = pathsByPlace(root);
  const reported = new Set<string>();
  for (const { key, by, before } of replaced) {
    if (reported.has(placeKey(before))) continue;
    reported.add(placeKey(before));
    list.add({
      severity: 'warning',
      code: 'HR_CONFIG_UNUSED',
      path: paths.get(placeKey(by)) ?? join('', key),
      ...place(before),
      message: `${key} appears twice with different values: the value in line ${by.line} is used, this value is lost`,
      hint: 'Remove one of them.',
    });
  }
}

/** Returns the path of each key of the config, by the position of the key. */
function pathsByPlace(root: ObjectNode): Map<string, string> {
  const paths = new Map<string, string>();
  const pending: [ConfigNode, string][] = [[root, '']];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [node, path] = next;
    if (node.kind === 'list') for (const [i, item] of node.items.entries()) pending.push([item, join(path, i)]);
    if (node.kind !== 'object') continue;
    for (const [key, child] of node.entries) {
      const origin = node.keys.get(key);
      if (origin !== undefined) paths.set(placeKey(origin), join(path, key));
      pending.push([child, join(path, key)]);
    }
  }
  return paths;
}

function placeKey({ file, line, column }: Origin): string {
  return `${line}:${column}:${file}`;
}
