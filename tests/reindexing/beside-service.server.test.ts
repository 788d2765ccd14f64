import { randomUUID } from 'node:crypto';
import { describeWithServer } from '@headrace/testing/real-server';
import { askForServer } from '@headrace/testing/shared-servers';
import { expect, inject, it } from 'vitest';
import { finished, kill, type Served, serve, serviceDirectory, startRun, upload } from '../service/served.ts';
import { rebuildBeside } from './beside-rounds.ts';
import { ChangingShop } from './changing-shop.ts';

/** The advisory lock that a rebuild waits for. */
const LOCK = 4242;

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
    await shop.query(`SELECT pg_advisory_lock(${LOCK})`);
    const { runId } = await startRun(url, slowRebuild);
    const waiting = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`;
    await expect.poll(() => shop.query(waiting)).toHaveLength(1);
    await shop.setPrice(7, 777.77);
    await shop.delete(8);
    expect(await run(incremental)).toMatchObject({ status: 'SUCCEEDED' });
    await shop.query(`SELECT pg_advisory_unlock(${LOCK})`);
    const { status, runResult } = await finished(url, runId);
    expect([status, runResult?.message]).toEqual(['SUCCEEDED', expect.stringContaining('2 changes of other runs')]);
    expect(await shop.differences()).toEqual([]);
    await shop.close();
  });

  it('an index and a table are equal after rebuilds beside incremental runs, with cancelled runs and killed services', async () => {
    const folder = serviceDirectory();
    const launch = () => {
      const served = serve(folder);
      return { url: served.then(({ url }: Served) => url), kill: async () => kill(await served) };
    };
    const places = await placesIn(folder);
    const report = await rebuildBeside({ places, launch, products: 300, rounds: 1, seed: 7, everyMillis: 50 });
    expect(report.incremental).toBeGreaterThan(0);
    expect(report.killedRebuilds).toBeGreaterThan(0);
  });
});
