import type { ConfigListing, ConfigVersionListing, Store } from '../store/store.ts';
import type { Preset } from './presets.ts';

/** A config in a list. A preset has no versions and no times. */
export type ConfigItem = Omit<ConfigListing, 'seq' | 'version' | 'createdTime' | 'updatedTime'> & {
  preset: boolean;
  version: number | null;
  /** Seconds since the epoch. */
  createdTime: number | null;
  updatedTime: number | null;
};

/** A part of a list. `next` is the cursor of the next page, null on the last page. */
export interface Page<Item> {
  items: Item[];
  next: string | null;
}

/**
 * A page of the configs: presets by name, then uploads, newest first. With labels: only the uploads that have all of
 * them.
 * @param after the cursor from the previous page
 */
export async function configPage(
  store: Store,
  presets: ReadonlyMap<string, Preset>,
  { after, limit, labels }: { after: string | undefined; limit: number; labels: Readonly<Record<string, string>> },
): Promise<Page<ConfigItem>> {
  const labelled = Object.keys(labels).length > 0;
  const cursor = parseCursor(after);
  const items: { item: ConfigItem; cursor: string }[] = [];
  if (cursor.preset !== undefined && !labelled) {
    for (const { name, digest } of presets.values()) {
      if (name > cursor.preset) items.push({ item: presetItem(name, digest), cursor: `preset:${name}` });
    }
  }
  // One item more than requested shows whether there is another page.
  if (items.length <= limit) {
    const rest = { before: cursor.before, limit: limit + 1 - items.length };
    for (const { seq, ...config } of await store.listConfigs(rest, { labels })) {
      // Start from the same object for all items, so that all have the same order of fields.
      const item = { ...presetItem(config.id, config.digest), ...config, preset: false };
      items.push({ item, cursor: String(seq) });
    }
  }
  const page = items.slice(0, limit);
  return { items: page.map(({ item }) => item), next: items.length > limit ? (page.at(-1)?.cursor ?? null) : null };
}

/** A page of the kept versions of a config, newest first. */
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

function presetItem(id: string, digest: string): ConfigItem {
  return {
    id,
    preset: true,
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

/** Where a page starts: after a preset, or before a position in the order of uploads. */
function parseCursor(after: string | undefined): { preset?: string; before?: number | undefined } {
  if (after === undefined) return { preset: '' };
  return after.startsWith('preset:') ? { preset: after.slice('preset:'.length) } : { before: Number(after) };
}
