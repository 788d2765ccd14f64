import { describeWithServer } from '@headrace/testing/real-server';
import { afterAll, expect, it } from 'vitest';
import { describeConformance } from './conformance.ts';
import { byId, EngineRuns, type EngineUnderTest, numbered, outcome } from './engine-runs.ts';
import { describeSolrConformance } from './solr-conformance.ts';
import { SolrEngine } from './solr-engine.ts';

await describeWithServer(
  'solr',
  (server) => {
    const url = () => server.url;
    const engine = new SolrEngine(true, server);
    const byZooKeeper: EngineUnderTest = {
      config: (address, target, settings) => {
        const zooKeeper = `127.0.0.1:${Number(new URL(address).port) + 1000}`;
        return `indexer { type: "Solr", ${settings} }
          solr { useCloudClient: true, zkHosts: ["127.0.0.1:1", "${zooKeeper}"], zkChroot: "/solr", defaultCollection: "${target}" }`;
      },
      create: () => engine.create(),
      contents: (target) => engine.contents(target),
    };
    const runs = new EngineRuns(byZooKeeper);
    afterAll(() => runs.close());

    it('finds the nodes through ZooKeeper', async () => {
      const target = await engine.create();
      expect(outcome(await runs.send(url(), target, numbered(20)))).toMatchObject({ succeeded: 20, failed: {} });
      expect(await engine.contents(target)).toEqual(byId(numbered(20)));
    });

    describeSolrConformance(engine, url);
    describeConformance(engine, url);
  },
  { SOLR_MODE: 'cloud' },
);
