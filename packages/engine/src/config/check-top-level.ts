import type { ObjectNode } from '@headrace/hocon';
import type { CatalogEntry } from '../component/catalog.ts';
import { isPresent, join, place, scalarText } from '../component/config-nodes.ts';
import { pluginBlocks } from '../component/plugin-classes.ts';
import type { Registry } from '../component/registry.ts';
import { nearest } from '../errors/nearest.ts';
import type { ProblemList } from './check-component.ts';
import { engineBlocks } from './engine-blocks.ts';
import { SECTIONS } from './sections.ts';

/**
 * Keys that are known but not read: blocks of the reference, and `$schema`, which editors read. They are not reported
 * as misspelt. The reference uses the storage blocks and `javax` for Kafka property files and for Solr.
 */
const SILENT: ReadonlySet<string> = new Set(['$schema', 'azure', 'gcp', 'javax', 's3']);

/**
 * Warns of top-level keys that nothing reads.
 * Users may define their own keys for substitutions, so keys that a substitution names are not reported. Keys of an
 * included file are not reported either. If an include, the environment or an override selects the indexer, it may
 * select another one next time, so blocks of other indexers are not reported. If the config was not parsed from a text,
 * its substitutions are unknown, and nothing is reported.
 */
export async function warnOfUnknownSections(root: ObjectNode, registry: Registry, list: ProblemList): Promise<void> {
  const { substituted } = root;
  if (substituted === undefined) return;
  const selected = await selectedIndexer(root, registry);
  const indexers = [...registry.list('indexer'), ...(selected === undefined ? [] : [selected.entry])];
  const engine = Object.keys(engineBlocks);
  const blocks = [...indexers.flatMap(({ block }) => block ?? []), ...pluginBlocks];
  const known = [...SECTIONS, ...engine, ...blocks];
  for (const [key, node] of root.entries) {
    const origin = root.keys.get(key) ?? node.origin;
    if (SILENT.has(key) || list.misnamed.has(key) || substituted.has(key) || origin.file !== root.origin.file) continue;
    const isOther = blocks.includes(key) && !engine.includes(key) && key !== selected?.entry.block;
    if (isOther && selected?.isFixed === true && node.kind !== 'null') {
      const { name, block } = selected.entry;
      list.add({
        severity: 'warning',
        code: 'HR_CONFIG_UNUSED',
        path: join('', key),
        ...place(origin),
        message: `The indexer is ${name}, which does not read ${key}: it has no effect`,
        hint: block === undefined ? 'Remove it.' : `Remove it. ${name} reads ${block}.`,
      });
      continue;
    }
    if (known.includes(key)) continue;
    const best = nearest(key, known);
    list.add({
      severity: 'warning',
      code: 'HR_CONFIG_UNUSED',
      path: join('', key),
      ...place(origin),
      message: `Nothing reads ${key}: it has no effect`,
      hint: best === undefined ? `Remove it, or use it in a substitution (\${${key}}).` : `Did you mean ${best}?`,
    });
  }
}

interface SelectedIndexer {
  readonly entry: CatalogEntry;
  /** True if the config itself sets the indexer; false if an include, the environment or an override sets it. */
  readonly isFixed: boolean;
}

/**
 * Returns the indexer that the config selects. Returns undefined for an invalid selection, which the indexer check
 * reports.
 */
async function selectedIndexer(root: ObjectNode, registry: Registry): Promise<SelectedIndexer | undefined> {
  const indexer = root.entries.get('indexer');
  if (indexer?.kind !== 'object') return undefined;
  const key = isPresent(indexer, 'class') ? 'class' : 'type';
  const node = indexer.entries.get(key);
  const name = node === undefined ? undefined : scalarText(node);
  if (node === undefined || name === undefined) return undefined;
  try {
    const entry = key === 'class' ? await registry.find('indexer', name) : registry.findIndexerType(name);
    const fromEnv = node.kind === 'string' && node.fromEnv === true;
    return entry && { entry, isFixed: !fromEnv && node.origin.file === root.origin.file };
  } catch {
    return undefined;
  }
}
