import { describeWithServer } from '@headrace/testing/real-server';
import { describeBulkConformance } from './bulk-conformance.ts';
import { BulkEngine } from './bulk-engine.ts';
import { describeConformance } from './conformance.ts';
import { describeDataStreams } from './data-stream-conformance.ts';

await describeWithServer('elasticsearch', (server) => {
  const url = () => server.url;
  const engine = new BulkEngine('Elasticsearch', url);
  describeBulkConformance(engine, url);
  describeConformance(engine, url);
  describeDataStreams(engine, url, false);
});
