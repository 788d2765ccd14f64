import { expect, it } from 'vitest';
import { kill, replace, runDetails, serve, serviceDirectory, startRun, upload } from './served.ts';

const config = (n: number) => `connectors: [{class: SequenceConnector, name: c${n}, pipeline: p, numDocs: 1}]
pipelines: [{name: p, stages: []}]
indexer { class: NopIndexer }`;

it('keeps every acknowledged upload, version and run, whenever it is killed', async () => {
  const directory = serviceDirectory();
  const acknowledged: string[] = [];
  const runs: string[] = [];
  /** The version of a config of each client that was acknowledged last. */
  const versions = new Map<string, number>();
  for (let round = 0; round < 6; round++) {
    const service = await serve(directory);
    for (const id of acknowledged) {
      const answer = await fetch(`${service.url}/v1/config/${id}`);
      expect(answer.status, `config ${id} after ${round} kills`).toBe(200);
      await answer.arrayBuffer();
    }
    for (const id of runs) {
      const answer = await fetch(`${service.url}/v1/run/${id}`);
      expect(answer.status, `run ${id} after ${round} kills`).toBe(200);
      // It was going or waiting when the process died, unless it had ended.
      expect(await answer.json()).toMatchObject({ done: true });
    }
    for (const [name, version] of versions) {
      const answer = await fetch(`${service.url}/v1/config/${name}/versions?limit=1`);
      const { items } = (await answer.json()) as { items: { version: number }[] };
      // The last one may have been stored without an answer.
      expect([version, version + 1], `${name} after ${round} kills`).toContain(items[0]?.version);
      versions.set(name, items[0]?.version ?? 0);
    }
    // Several clients at once, so that the kill falls between the steps of some of their writes.
    let alive = true;
    const before = acknowledged.length;
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let n = 0; alive; n++) {
        try {
          const id = await upload(service.url, config(client * 1000 + n));
          acknowledged.push(id);
          if (n % 5 === 0) runs.push((await startRun(service.url, id)).runId);
          if (n % 3 === 0) versions.set(`c${client}`, await replace(service.url, `c${client}`, `n: ${round}.${n}`));
        } catch {
          return;
        }
      }
    });
    await expect.poll(() => acknowledged.length, { timeout: 20_000, interval: 1 }).toBeGreaterThan(before + round * 17);
    alive = false;
    await Promise.all([kill(service), ...clients]);
  }
  const service = await serve(directory);
  const listed = Object.keys((await (await fetch(`${service.url}/v1/config`)).json()) as object);
  expect(listed).toEqual(expect.arrayContaining(acknowledged));
  expect(runs.length).toBeGreaterThan(0);
  await kill(service);
}, 120_000);

it('shows a run that was going when it was killed as interrupted, with accounts that add up', async () => {
  const directory = serviceDirectory();
  const first = await serve(directory);
  const endless = `connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: 2000000000}]
    pipelines: [{name: p, stages: [{class: SetStaticValues, staticValues: {a: 1}}]}]
    indexer { class: NopIndexer }`;
  const { runId } = await startRun(first.url, await upload(first.url, endless));
  await expect
    .poll(async () => (await runDetails(first.url, runId)).progress.succeeded, { timeout: 20_000 })
    .toBeGreaterThan(0);
  await kill(first);

  const second = await serve(directory);
  const details = await runDetails(second.url, runId);
  expect(details).toMatchObject({ status: 'INTERRUPTED', done: true, runResult: { status: false } });
  const { published, pending, succeeded, failed, dropped } = details.progress;
  expect(pending).toBe(0);
  expect(published).toBe(succeeded + failed + dropped);
  await kill(second);
}, 60_000);
