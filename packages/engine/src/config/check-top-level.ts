import type { ObjectNode } from '@headrace/hocon';
import type { CatalogEntry } from '../component/catalog.ts';
import { join, place, scalarText } from '../component/config-nodes.ts';
import type { Registry } from '../component/registry.ts';
import type { ProblemList } from './check-component.ts';
import { engineBlocks } from './engine-blocks.ts';
import { nearest } from './nearest.ts';

/** Sections that every config may have beside the blocks of the engine and of indexers. */
const SECTIONS = ['connectors', 'pipelines', 'indexer'];

/**
 * Keys of the reference that change nothing here, and the schema that editors look for: nobody misspells them. The
 * storage blocks and `javax` are for the files of Kafka's properties and for Solr.
 */
const SILENT: ReadonlySet<string> = new Set(['$schema', 'azure', 'gcp', 'javax', 's3']);

/**
 * Warns of keys at the top that nothing reads. Configs keep values of their own there to substitute: what a substitution
 * names is none of our business, nor is what an included file brings. A block of an indexer that is not selected is kept
 * for the day when it is. Configs that were not read from a text do not say what they substitute: nothing is told.
 */
export async function warnOfUnknownSections(root: ObjectNode, registry: Registry, list: ProblemList): Promise<void> {
  const { substituted } = root;
  if (substituted === undefined) return;
  const indexers = [...registry.list('indexer'), ...(await customIndexer(root, registry))];
  const blocks = indexers.flatMap(({ block }) => block ?? []);
  const known = [...SECTIONS, ...Object.keys(engineBlocks), ...blocks];
  for (const [key, node] of root.entries) {
    const origin = root.keys.get(key) ?? node.origin;
    if (known.includes(key) || SILENT.has(key) || substituted.has(key) || origin.file !== root.origin.file) continue;
    const best = nearest(key, known);
    list.add({
      severity: 'warning',
      code: 'HR_CONFIG_UNUSED',
      path: join('', key),
      ...place(origin),
      message: `Nothing reads ${key}: it has no effect`,
      hint: best === undefined ? `Substitute it somewhere (\${${key}}), or remove it.` : `Did you mean ${best}?`,
    });
  }
}

/** The indexer that the config names by a module, which no list has; nothing when there is none, which the check of the indexer tells. */
async function customIndexer(root: ObjectNode, registry: Registry): Promise<CatalogEntry[]> {
  const indexer = root.entries.get('indexer');
  const node = indexer?.kind === 'object' ? indexer.entries.get('class') : undefined;
  const name = node === undefined ? undefined : scalarText(node);
  if (name === undefined) return [];
  try {
    const entry = await registry.find('indexer', name);
    return entry === undefined ? [] : [entry];
  } catch {
    return [];
  }
}
