import { HeadraceError, messageOf, parseJson } from '@headrace/engine';
import { requireSuccess } from '../http/http-client.ts';
import { NO_RETRY, type RetryPolicy, WRITE_ANSWER_MS } from '../http/retry.ts';
import { withoutEndSlashes } from '../http/without-end-slashes.ts';
import { SearchEngine } from '../search-engine/search-engine.ts';
import { type SolrSettings, solrAccess, solrUrls } from './solr-settings.ts';
import { ZooKeeper } from './zookeeper.ts';

const ZOOKEEPER_TIMEOUT_MS = 10_000;

/** Splits the URL of a core into the URL of Solr and the name of the core. */
export function splitCoreUrl(url: string): { base: string; core: string } {
  const whole = withoutEndSlashes(url);
  const slash = whole.lastIndexOf('/');
  const base = withoutEndSlashes(whole.slice(0, slash + 1));
  const core = whole.slice(slash + 1);
  return { base, core: decodeURIComponent(core) };
}

/**
 * Connects to Solr. A standalone Solr is the first URL, whose core must answer a ping. In a cloud, connects to the live
 * nodes that a node or ZooKeeper lists; any node accepts updates and forwards them. Throws the reason if Solr is not
 * reachable.
 * @param retry of requests after the first one. Defaults to none
 */
export async function connectToSolr(settings: SolrSettings, retry: RetryPolicy = NO_RETRY): Promise<SearchEngine> {
  const { useCloudClient, zkHosts = [] } = settings;
  if (!useCloudClient) {
    const { base, core } = splitCoreUrl(solrUrls(settings)[0] ?? '');
    return opened([base], settings, retry, `/${encodeURIComponent(core)}/admin/ping?wt=json`);
  }
  const known = zkHosts.length > 0 ? await nodesInZooKeeper(settings) : solrUrls(settings);
  const first = await opened(known, settings, retry, CLUSTER_STATUS);
  if (zkHosts.length > 0) return first;
  try {
    const answer = requireSuccess(await first.request({ path: CLUSTER_STATUS }));
    const { cluster } = parseJson(answer.body.toString()) as ClusterStatus;
    const scheme = cluster?.properties?.urlScheme ?? new URL(known[0] as string).protocol.slice(0, -1);
    const others = (cluster?.live_nodes ?? [])
      .map((name) => nodeUrl(name, scheme))
      .filter((url) => !known.includes(url));
    if (others.length === 0) return first;
    // The nodes in the config come first: the addresses of other nodes may not be reachable from here.
    const all = await open([...known, ...others], settings, retry);
    await first.close();
    return all;
  } catch (error) {
    await first.close();
    throw error;
  }
}

const CLUSTER_STATUS = '/admin/collections?action=CLUSTERSTATUS&wt=json';

interface ClusterStatus {
  readonly cluster?: {
    readonly live_nodes?: readonly string[];
    readonly properties?: { readonly urlScheme?: string };
  };
}

async function opened(
  urls: readonly string[],
  settings: SolrSettings,
  retry: RetryPolicy,
  check: string,
): Promise<SearchEngine> {
  const engine = await open(urls, settings, retry);
  try {
    const answer = requireSuccess(await engine.request({ path: check }));
    const { responseHeader } = parseJson(answer.body.toString()) as { responseHeader?: { status?: number } };
    if (responseHeader?.status !== 0)
      throw new Error(`Solr at ${engine.address} answered with status ${responseHeader?.status}`);
    return engine;
  } catch (error) {
    await engine.close();
    if (!messageOf(error).includes('not running in SolrCloud mode')) throw error;
    const hint = 'Set useCloudClient: false, with the name of a core in the url, or start Solr as a SolrCloud.';
    throw new HeadraceError('HR_INDEXER_START', `Solr at ${engine.address} is not a SolrCloud`, { hint });
  }
}

function open(urls: readonly string[], settings: SolrSettings, retry: RetryPolicy): Promise<SearchEngine> {
  return SearchEngine.open({
    ...solrAccess(settings),
    url: urls.join(','),
    connections: 1,
    answerTimeout: WRITE_ANSWER_MS,
    retry,
  });
}

/**
 * Returns the URLs of the live nodes of a SolrCloud, as ZooKeeper lists them. Throws an error with the reason if that
 * fails.
 */
export async function nodesInZooKeeper({
  zkHosts = [],
  zkChroot = '',
}: Pick<SolrSettings, 'zkHosts' | 'zkChroot'>): Promise<string[]> {
  const client = await ZooKeeper.open(zkHosts, ZOOKEEPER_TIMEOUT_MS);
  try {
    const root = withoutEndSlashes(zkChroot);
    const names = await client.children(`${root}/live_nodes`);
    if (names === undefined || names.length === 0) {
      throw new Error(
        `ZooKeeper at ${zkHosts.join(', ')} lists no live Solr node below ${root || '/'}; check zkChroot`,
      );
    }
    const properties = await client.data(`${root}/clusterprops.json`);
    const { urlScheme = 'http' } = parseJson(properties || '{}') as { urlScheme?: string };
    return names.map((name) => nodeUrl(name, urlScheme));
  } finally {
    client.close();
  }
}

/** Returns the URL of a node from its name in the cluster, `host:8983_solr`. */
function nodeUrl(name: string, scheme: string): string {
  const at = name.indexOf('_');
  const path = decodeURIComponent(name.slice(at + 1));
  return `${scheme}://${name.slice(0, at)}${path === '' ? '' : `/${path}`}`;
}
