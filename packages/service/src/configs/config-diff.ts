import { configToJson, maskSecrets } from '@headrace/engine';
import type { ConfigNode, ConfigRoot } from './config-source.ts';

/**
 * A value that differs between two configs, with secrets masked. `old` is absent for a new value, `new` for a removed
 * one.
 */
export interface ConfigChange {
  /** The path in the same format as in problems: `pipelines[0].stages[2].dest`. */
  path: string;
  old?: unknown;
  new?: unknown;
}

/** A value and its masked form, which may be shown. */
interface Pair {
  real: ConfigNode;
  shown: ConfigNode;
}

/**
 * Lists the changes from one config to another, in the order of the text. Compares the real values, so that the change
 * of a secret is reported; the secret itself is not shown.
 */
export function diffConfigs(from: ConfigRoot, to: ConfigRoot): ConfigChange[] {
  const changes: ConfigChange[] = [];
  compare({ real: from, shown: maskSecrets(from) }, { real: to, shown: maskSecrets(to) }, '', changes);
  return changes;
}

function compare(old: Pair | undefined, now: Pair | undefined, path: string, changes: ConfigChange[]): void {
  if (old?.real.kind === 'object' && now?.real.kind === 'object') compareObjects(old, now, path, changes);
  else if (old?.real.kind === 'list' && now?.real.kind === 'list') compareLists(old, now, path, changes);
  else if (old === undefined || now === undefined || textOf(old.real) !== textOf(now.real)) {
    changes.push({
      path,
      ...(old === undefined ? {} : { old: JSON.parse(textOf(old.shown)) }),
      ...(now === undefined ? {} : { new: JSON.parse(textOf(now.shown)) }),
    });
  }
}

function compareObjects(old: Pair, now: Pair, path: string, changes: ConfigChange[]): void {
  const before = fieldsOf(old);
  const after = fieldsOf(now);
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    compare(before.get(key), after.get(key), path === '' ? key : `${path}.${key}`, changes);
  }
}

/** Compares two lists. Skips equal items at the start and at the end, so that one inserted item is one change. */
function compareLists(old: Pair, now: Pair, path: string, changes: ConfigChange[]): void {
  const before = itemsOf(old);
  const after = itemsOf(now);
  const beforeTexts = before.map(({ real }) => textOf(real));
  const afterTexts = after.map(({ real }) => textOf(real));
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && beforeTexts[start] === afterTexts[start]) start++;
  let end = 0;
  while (end < least - start && beforeTexts.at(-1 - end) === afterTexts.at(-1 - end)) end++;
  for (let i = start; i < Math.max(before.length, after.length) - end; i++) {
    const left = i < before.length - end ? before[i] : undefined;
    compare(left, i < after.length - end ? after[i] : undefined, `${path}[${i}]`, changes);
  }
}

function fieldsOf({ real, shown }: Pair): Map<string, Pair> {
  const fields = new Map<string, Pair>();
  if (real.kind !== 'object' || shown.kind !== 'object') return fields;
  for (const [key, child] of real.entries) {
    fields.set(key, { real: child, shown: shown.entries.get(key) as ConfigNode });
  }
  return fields;
}

function itemsOf({ real, shown }: Pair): Pair[] {
  if (real.kind !== 'list' || shown.kind !== 'list') return [];
  return real.items.map((item, i) => ({ real: item, shown: shown.items[i] as ConfigNode }));
}

/** Returns a value as JSON with sorted keys. */
function textOf(node: ConfigNode): string {
  // Wrap the value, because `configToJson` needs an object.
  const origin = node.origin;
  const keys = new Map([['', origin]]);
  const text = configToJson({ kind: 'object', entries: new Map([['', node]]), keys, origin }, { sorted: true });
  return text.slice(text.indexOf(':') + 1, text.lastIndexOf('}')).trim();
}
