import { describeWithServer } from '@headrace/testing/real-server';
import { describeRebuilds } from './rebuild-conformance.ts';

await describeWithServer('elasticsearch', (server) => describeRebuilds('Elasticsearch', () => server.url));
