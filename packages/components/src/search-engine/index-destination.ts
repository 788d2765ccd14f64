import type { IndexerSettings } from '@headrace/engine';
import { DEFAULT_RETRY } from '../http/retry.ts';
import { safeUrl } from '../http/safe-url.ts';
import { parse } from './bulk-reply.ts';
import { baseUrls } from './connection.ts';
import type { IndexParameters } from './index-parameters.ts';
import type { SearchEngine } from './search-engine.ts';

/** The paths of answers with the id of the cluster. The first one needs fewer privileges, but a proxy may answer it. */
const WITH_ID = ['/', '/_cluster/state/version?filter_path=cluster_uuid'];

/** Returns the id of a cluster, which is the same at each of its addresses. If it is hidden: its address. */
export async function placeOf(engine: SearchEngine, url: string): Promise<string> {
  for (const path of WITH_ID) {
    const response = await engine.request({ method: 'GET', path, retry: DEFAULT_RETRY });
    const { cluster_uuid: id } = (parse(response) ?? {}) as { cluster_uuid?: unknown };
    // A cluster that has not elected a leader has the second one.
    if (typeof id === 'string' && id !== '_na_') return `cluster ${id}`;
  }
  return baseUrls(url).map(safeUrl).toSorted().join(', ');
}

/**
 * Returns why the changes of a run cannot be recorded for a rebuild, so that the two exclude each other; undefined if
 * they can.
 */
export function whyAlone(
  { sync, skipUnchanged }: IndexParameters,
  { childrenField, deleteByFieldField }: IndexerSettings,
): string | undefined {
  const query = 'deletes by a query, which has no known documents';
  if (sync?.deleteMissing === true) return `sync.deleteMissing ${query}`;
  if (childrenField !== undefined) return `indexer.childrenField ${query}`;
  if (deleteByFieldField !== undefined) return `indexer.deleteByFieldField ${query}`;
  return skipUnchanged === true ? 'skipUnchanged compares documents with one index' : undefined;
}
