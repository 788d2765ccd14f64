import type { IndexerSettings } from '@headrace/engine';
import type { IndexParameters } from './index-parameters.ts';

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
