import { describeWithServer } from '../real-server.ts';
import { describeBulkConformance, describeDeleteByQuery } from './bulk-conformance.ts';
import { BulkEngine } from './bulk-engine.ts';
import { describeConformance } from './conformance.ts';

await describeWithServer('opensearch', (server) => {
  const url = () => server.url;
  const engine = new BulkEngine('OpenSearch', url);
  describeBulkConformance(engine, url);
  describeDeleteByQuery(engine, url);
  describeConformance(engine, server, url);
});
