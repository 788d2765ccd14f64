import { describeWithServer } from '@headrace/testing/real-server';
import { describeSkipping } from './skip-conformance.ts';

await describeWithServer('opensearch', (server) => describeSkipping('OpenSearch', () => server.url));
