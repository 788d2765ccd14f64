import { describeOutsideCi, describeWithOwnServer } from '@headrace/testing/real-server';
import { BulkEngine } from './bulk-engine.ts';
import { describeRestart } from './restart-conformance.ts';
import { SolrEngine } from './solr-engine.ts';

await describeOutsideCi('restarted search engines: on a busy machine, their start has no limit', async () => {
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
