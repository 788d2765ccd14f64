import { NO_RETRY } from '../http/retry.ts';
import { Solr } from './solr.ts';
import type { SolrSettings } from './solr-settings.ts';

/** Whether Solr is there, lets in, and has the core or collection. Asks once. Throws why not. */
export async function reachSolr(settings: SolrSettings, signal: AbortSignal): Promise<void> {
  const solr = await Solr.open(settings, NO_RETRY);
  try {
    await solr.ping(signal);
  } finally {
    await solr.close();
  }
}
