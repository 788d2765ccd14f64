import { describeWithServer } from '@headrace/testing/real-server';
import { describeSkipping } from './skip-conformance.ts';

await describeWithServer('elasticsearch', (server) => describeSkipping('Elasticsearch', () => server.url));
