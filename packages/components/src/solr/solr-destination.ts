import { DEFAULT_RETRY } from '../http/retry.ts';
import type { SearchEngine } from '../search-engine/search-engine.ts';

/** Returns the ZooKeeper of a SolrCloud, which all its nodes share. Without one, or if it is hidden: the address. */
export async function placeOf(engine: SearchEngine): Promise<string> {
  const path = '/admin/info/system?wt=json';
  const { status, body } = await engine.request({ method: 'GET', path, retry: DEFAULT_RETRY });
  const zooKeeper = status === 200 ? /"zkHost"\s*:\s*"([^"]+)"/.exec(body.toString())?.[1] : undefined;
  return zooKeeper === undefined ? engine.address : `SolrCloud ${zooKeeper}`;
}
