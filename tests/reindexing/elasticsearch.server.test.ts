import { describeWithServer } from '@headrace/testing/real-server';
import { describeBeside } from './rebuild-beside.ts';
import { describeRebuilds } from './rebuild-conformance.ts';

await describeWithServer('elasticsearch', (server) => {
  describeRebuilds('Elasticsearch', () => server.url);
  describeBeside('Elasticsearch', () => server.url);
});
