import { NO_RETRY } from '../http/retry.ts';
import { Solr } from './solr.ts';
import type { SolrSettings } from './solr-settings.ts';

/**
 * Checks that Solr is reachable, accepts the credentials, and has the core or collection. Does not retry. Throws the
 * reason if not.
 */
export async function checkSolrAccess(settings: SolrSettings, signal: AbortSignal): Promise<void> {
  const solr = await Solr.open(settings, NO_RETRY);
  try {
    await solr.ping(signal);
  } finally {
    await solr.close();
  }
}
