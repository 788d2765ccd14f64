import { describeWithOwnServer } from '@headrace/testing/real-server';
import { it } from 'vitest';
import { BulkEngine } from './bulk-engine.ts';
import { describeRestart } from './restart-conformance.ts';
import { SolrEngine } from './solr-engine.ts';

// Skipped in continuous integration: on a busy machine, OpenSearch may take longer to start than any limit allows. A
// skipped suite is still defined, which would start the servers.
if (process.env.CI === 'true') it.skip('search engines that are restarted', () => undefined);
else await describeRestarts();

async function describeRestarts(): Promise<void> {
  for (const type of ['OpenSearch', 'Elasticsearch'] as const) {
    await describeWithOwnServer(type === 'OpenSearch' ? 'opensearch' : 'elasticsearch', (server) => {
      const url = () => server.url;
      describeRestart(new BulkEngine(type, url), server, url);
    });
  }
  for (const mode of ['standalone', 'cloud']) {
    await describeWithOwnServer(
      'solr',
      (server) => describeRestart(new SolrEngine(mode === 'cloud', server), server, () => server.url),
      { SOLR_MODE: mode },
    );
  }
}
