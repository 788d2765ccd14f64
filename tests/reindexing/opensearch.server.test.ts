import { describeWithServer } from '@headrace/testing/real-server';
import { describeRebuilds } from './rebuild-conformance.ts';

await describeWithServer('opensearch', (server) => describeRebuilds('OpenSearch', () => server.url));
