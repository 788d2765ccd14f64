import type { ConfigNode, ObjectNode, Origin } from '@headrace/hocon';
import { join, place } from '../component/config-nodes.ts';
import type { ProblemList } from './check-component.ts';

/**
 * Warns of keys that one file gives twice with different values: the first value is lost. HOCON allows it, but it is
 * usually a mistake. Values that includes, substitutions and overrides replace are not reported, because that is
 * intended.
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
      message: `${key} is given twice with different values: the one in line ${by.line} counts, this one is lost`,
      hint: 'Remove one of them.',
    });
  }
}

/** The path of each key of the config, by its position. */
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
