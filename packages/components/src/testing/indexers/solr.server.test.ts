import { describeWithServer } from '@headrace/testing/real-server';
import { describeConformance } from './conformance.ts';
import { describeFamilies } from './family-conformance.ts';
import { describeSolrConformance } from './solr-conformance.ts';
import { SolrEngine } from './solr-engine.ts';

await describeWithServer('solr', (server) => {
  const url = () => server.url;
  const engine = new SolrEngine(false, server);
  describeSolrConformance(engine, url);
  describeConformance(engine, url);
  describeFamilies(engine, url);
});
