import { randomUUID } from 'node:crypto';
import { describeWithServer } from '@headrace/testing/real-server';
import { askForServer } from '@headrace/testing/shared-servers';
import { expect, inject, it } from 'vitest';
import {
  finished,
  kill,
  runDetails,
  type Served,
  serve,
  serviceDirectory,
  startRun,
  upload,
} from '../service/served.ts';
import { rebuildBeside } from './beside-rounds.ts';
import { ChangingShop } from './changing-shop.ts';

/** The advisory lock that a rebuild waits for. */
const LOCK = 4242;

/** A config whose runs write to another destination. */
const UNRELATED = `connectors: [{ class: SequenceConnector, name: s, numDocs: 10, pipeline: p }]
pipelines: [{ name: p, stages: [] }]
indexer { class: NopIndexer }`;

/** Starts a rebuild that waits for `LOCK` after it has begun. Returns the id of its run. */
async function holdRebuild(shop: ChangingShop, url: string, configId: string): Promise<string> {
  await shop.query(`SELECT pg_advisory_lock(${LOCK})`);
  const { runId } = await startRun(url, configId);
  const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`;
  await expect.poll(() => shop.query(waiting)).toHaveLength(1);
  return runId;
}

/** The database of products, beside the search engine. */
async function postgresUrl(): Promise<string> {
  return (
    process.env['POSTGRES_URL'] ?? (await askForServer(inject('sharedServers'), { name: 'postgres', settings: {} })).url
  );
}

await describeWithServer('opensearch', (server) => {
  const placesIn = async (folder: string) => ({
    postgres: await postgresUrl(),
    opensearch: server.url,
    alias: `products-${randomUUID()}`,
    folder,
  });

  it('a rebuild in the service keeps prices and deletions of another config that its snapshot does not have', async () => {
    const folder = serviceDirectory();
    const shop = await ChangingShop.open(await placesIn(folder), 200, 1);
    const { url } = await serve(folder);
    const rebuild = await upload(url, shop.rebuildConfig());
    const slowRebuild = await upload(url, shop.rebuildConfig(LOCK));
    const incremental = await upload(url, shop.incrementalConfig());
    const run = async (configId: string) => finished(url, (await startRun(url, configId)).runId);
    expect(await run(rebuild)).toMatchObject({ status: 'SUCCEEDED' });
    const runId = await holdRebuild(shop, url, slowRebuild);
    await shop.setPrice(7, 777.77);
    await shop.delete(8);
    expect(await run(incremental)).toMatchObject({ status: 'SUCCEEDED' });
    await shop.query(`SELECT pg_advisory_unlock(${LOCK})`);
    const { status, runResult } = await finished(url, runId);
    expect([status, runResult?.message]).toEqual(['SUCCEEDED', expect.stringContaining('2 changes of other runs')]);
    expect(await shop.differences()).toEqual([]);
    await shop.close();
  });

  it('a run that deletes by a query waits for a rebuild, says so, and leaves its place to other runs', async () => {
    const folder = serviceDirectory('limits: { maxConcurrentRuns: 2 }');
    const shop = await ChangingShop.open(await placesIn(folder), 200, 1);
    const { url } = await serve(folder);
    const rebuild = await holdRebuild(shop, url, await upload(url, shop.rebuildConfig(LOCK)));
    await shop.delete(8);
    const deleting = shop.incrementalConfig().replace('batchSize: 100', 'batchSize: 100, childrenField: parent');
    const { runId } = await startRun(url, await upload(url, deleting));
    const waiting = async () => (await runDetails(url, runId)).progress.waiting;
    await expect.poll(waiting).toMatch(`by the run ${rebuild}, because indexer.childrenField deletes by a query`);
    const other = await startRun(url, await upload(url, UNRELATED));
    expect(await finished(url, other.runId)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await runDetails(url, rebuild)).toMatchObject({ status: 'RUNNING' });
    await shop.query(`SELECT pg_advisory_unlock(${LOCK})`);
    expect(await finished(url, rebuild)).toMatchObject({ status: 'SUCCEEDED' });
    const { status, progress } = await finished(url, runId);
    expect([status, progress.waiting]).toEqual(['SUCCEEDED', undefined]);
    expect(await shop.differences()).toEqual([]);
    await shop.close();
  });

  it('an index and a table are equal after rebuilds beside incremental runs, with cancelled runs and a killed service', async () => {
    const folder = serviceDirectory();
    const launch = () => {
      const served = serve(folder);
      return { url: served.then(({ url }: Served) => url), kill: async () => kill(await served) };
    };
    const places = await placesIn(folder);
    const report = await rebuildBeside({ places, launch, products: 300, rounds: 1, seed: 10, everyMillis: 50 });
    expect(report.incremental).toBeGreaterThan(0);
    expect(report.kills).toBeGreaterThan(0);
  });
});
