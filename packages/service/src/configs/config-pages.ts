import { containsText } from '../store/contains-text.ts';
import type { ConfigFilter, ConfigListing, ConfigVersionListing, Store } from '../store/store.ts';
import type { Preset } from './presets.ts';

/** A config in a list. Presets have no versions and no times. */
export type ConfigItem = Omit<ConfigListing, 'seq' | 'version' | 'createdTime' | 'updatedTime'> & {
  preset: boolean;
  /** Why the file of a preset is not in use as it is; see `Preset`. Null for an upload. */
  problem: string | null;
  version: number | null;
  /** The time, in seconds since the epoch. */
  createdTime: number | null;
  updatedTime: number | null;
};

/** One page of a list. `next` is the cursor of the next page, or null on the last page. */
export interface Page<Item> {
  items: Item[];
  next: string | null;
}

/**
 * Returns a page of the configs: presets by name, then uploads, newest first. With labels, it contains only the uploads
 * that have all of them. With a text, it contains only configs with this text in their id, name or description.
 * @param after the cursor from the previous page
 */
export async function configPage(
  store: Store,
  presets: ReadonlyMap<string, Preset>,
  { after, limit, labels, text = '' }: ConfigFilter & { after: string | undefined; limit: number },
): Promise<Page<ConfigItem>> {
  const labelled = Object.keys(labels ?? {}).length > 0;
  const cursor = parseCursor(after);
  const items: { item: ConfigItem; cursor: string }[] = [];
  if (cursor.preset !== undefined && !labelled) {
    for (const { name, digest, problem } of presets.values()) {
      if (name > cursor.preset && containsText(name, text))
        items.push({ item: presetItem(name, digest, problem), cursor: `preset:${name}` });
    }
  }
  // Read one item more than requested, to know whether there is another page.
  if (items.length <= limit) {
    const rest = { before: cursor.before, limit: limit + 1 - items.length };
    for (const { seq, ...config } of await store.listConfigs(rest, { labels, text })) {
      // All items start from the same object, so that their fields have the same order.
      const item = { ...presetItem(config.id, config.digest, null), ...config, preset: false };
      items.push({ item, cursor: String(seq) });
    }
  }
  const page = items.slice(0, limit);
  return { items: page.map(({ item }) => item), next: items.length > limit ? (page.at(-1)?.cursor ?? null) : null };
}

/** Returns a page of the stored versions of a config, newest first. */
export async function versionPage(
  store: Store,
  id: string,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<Page<ConfigVersionListing>> {
  const found = await store.listConfigVersions(id, {
    before: after === undefined ? undefined : Number(after),
    limit: limit + 1,
  });
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? String(items.at(-1)?.version) : null };
}

function presetItem(id: string, digest: string, problem: string | null): ConfigItem {
  return {
    id,
    preset: true,
    problem,
    name: null,
    description: null,
    labels: {},
    version: null,
    digest,
    createdTime: null,
    createdBy: null,
    updatedTime: null,
    updatedBy: null,
  };
}

/** Parses a cursor, the start of a page: after a preset, or before a position in the order of uploads. */
function parseCursor(after: string | undefined): { preset?: string; before?: number | undefined } {
  if (after === undefined) return { preset: '' };
  return after.startsWith('preset:') ? { preset: after.slice('preset:'.length) } : { before: Number(after) };
}
