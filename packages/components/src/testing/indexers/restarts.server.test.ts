import { describeWithOwnServer } from '@headrace/testing/real-server';
import { describe } from 'vitest';
import { BulkEngine } from './bulk-engine.ts';
import { describeRestart } from './restart-conformance.ts';
import { SolrEngine } from './solr-engine.ts';

// Skipped in continuous integration: on a busy machine, OpenSearch may take longer to start than any limit allows.
describe.skipIf(process.env.CI === 'true')('search engines that are restarted', async () => {
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
});
