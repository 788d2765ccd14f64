import { describeWithServer } from '@headrace/testing/real-server';
import { describeBulkConformance } from './bulk-conformance.ts';
import { BulkEngine } from './bulk-engine.ts';
import { describeConformance } from './conformance.ts';
import { describeDataStreams } from './data-stream-conformance.ts';
import { describeDeletesByField } from './delete-by-field-conformance.ts';
import { describeFamilies } from './family-conformance.ts';

await describeWithServer('opensearch', (server) => {
  const url = () => server.url;
  const engine = new BulkEngine('OpenSearch', url);
  describeBulkConformance(engine, url);
  describeDeletesByField(engine, url);
  describeConformance(engine, url);
  describeDataStreams(engine, url);
  describeFamilies(engine, url);
});
