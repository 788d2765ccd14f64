import { requireSuccess } from '../http/http-client.ts';
import { NO_RETRY, WRITE_ANSWER_MS } from '../http/retry.ts';
import { withoutEndSlashes } from '../http/without-end-slashes.ts';
import { SearchEngine } from '../search-engine/search-engine.ts';
import { type SolrSettings, solrAccess, solrUrls } from './solr-settings.ts';
import { ZooKeeper } from './zookeeper.ts';

const ZOOKEEPER_TIMEOUT_MS = 10_000;

/** The URL of a core, apart: that of Solr itself, and the name of the core. */
export function splitCoreUrl(url: string): { base: string; core: string } {
  const whole = withoutEndSlashes(url);
  const slash = whole.lastIndexOf('/');
  const base = withoutEndSlashes(whole.slice(0, slash + 1));
  const core = whole.slice(slash + 1);
  return { base, core: decodeURIComponent(core) };
}

/**
 * Connects to Solr: standalone to the first URL, whose core must answer a ping; in a cloud to the nodes that are alive, as
 * one of them or ZooKeeper tells. Any node of a cloud takes updates and hands them to where they belong. Throws the reason
 * if it is not there.
 */
export async function connectToSolr(settings: SolrSettings): Promise<SearchEngine> {
  const { useCloudClient = false, zkHosts = [] } = settings;
  if (!useCloudClient) {
    const { base, core } = splitCoreUrl(solrUrls(settings)[0] ?? '');
    return opened([base], settings, `/${encodeURIComponent(core)}/admin/ping?wt=json`);
  }
  const known = zkHosts.length > 0 ? await nodesInZooKeeper(settings) : solrUrls(settings);
  const first = await opened(known, settings, CLUSTER_STATUS);
  if (zkHosts.length > 0) return first;
  try {
    const answer = requireSuccess(await first.request({ path: CLUSTER_STATUS }));
    const { cluster } = JSON.parse(answer.body.toString()) as ClusterStatus;
    const scheme = cluster?.properties?.urlScheme ?? new URL(known[0] as string).protocol.slice(0, -1);
    const others = (cluster?.live_nodes ?? [])
      .map((name) => nodeUrl(name, scheme))
      .filter((url) => !known.includes(url));
    if (others.length === 0) return first;
    // The ones that the config names come first: others may be known to each other by addresses that are not ours.
    const all = await open([...known, ...others], settings);
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

async function opened(urls: readonly string[], settings: SolrSettings, check: string): Promise<SearchEngine> {
  const engine = await open(urls, settings);
  try {
    const answer = requireSuccess(await engine.request({ path: check }));
    const { responseHeader } = JSON.parse(answer.body.toString()) as { responseHeader?: { status?: number } };
    if (responseHeader?.status !== 0)
      throw new Error(`Solr at ${engine.address} answered with status ${responseHeader?.status}`);
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function open(urls: readonly string[], settings: SolrSettings): Promise<SearchEngine> {
  return SearchEngine.open({
    ...solrAccess(settings),
    url: urls.join(','),
    connections: 1,
    answerTimeout: WRITE_ANSWER_MS,
    retry: NO_RETRY,
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
        `ZooKeeper at ${zkHosts.join(', ')} knows of no live node of Solr below ${root || '/'}; check zkChroot`,
      );
    }
    const properties = await client.data(`${root}/clusterprops.json`);
    const { urlScheme = 'http' } = JSON.parse(properties || '{}') as { urlScheme?: string };
    return names.map((name) => nodeUrl(name, urlScheme));
  } finally {
    client.close();
  }
}

/** The URL of a node by its name in the cluster, `host:8983_solr`. */
function nodeUrl(name: string, scheme: string): string {
  const at = name.indexOf('_');
  const path = decodeURIComponent(name.slice(at + 1));
  return `${scheme}://${name.slice(0, at)}${path === '' ? '' : `/${path}`}`;
}
