import { describeWithServer } from '@headrace/testing/real-server';
import { describeBeside } from './rebuild-beside.ts';
import { describeRebuilds } from './rebuild-conformance.ts';

await describeWithServer('opensearch', (server) => {
  describeRebuilds('OpenSearch', () => server.url);
  describeBeside('OpenSearch', () => server.url);
});
