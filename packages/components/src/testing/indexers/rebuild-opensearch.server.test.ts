import { describeWithServer } from '@headrace/testing/real-server';
import { BulkEngine } from './bulk-engine.ts';
import { describeRebuilds } from './rebuild-conformance.ts';

await describeWithServer('opensearch', (server) => {
  const url = () => server.url;
  describeRebuilds(new BulkEngine('OpenSearch', url), url);
});
