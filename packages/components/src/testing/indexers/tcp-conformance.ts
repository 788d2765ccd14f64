import type { OwnServer } from '@headrace/testing/real-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CuttingProxy } from './cutting-proxy.ts';
import {
  byId,
  DELETES,
  type EngineRuns,
  type EngineUnderTest,
  lastOf,
  numbered,
  outcome,
  QUICK,
  versions,
} from './engine-runs.ts';

/** The tests for every indexer without HTTP, with lost connections and restarts of the engine. */
export function describeLostConnections(engine: EngineUnderTest, runs: EngineRuns, server: OwnServer): void {
  let proxy: CuttingProxy;
  beforeEach(async () => {
    proxy = await CuttingProxy.start(server.url);
  });
  afterEach(() => proxy.close());

  it('sends unfinished documents again after a lost connection, and keeps the order of versions and deletes', async () => {
    const target = await engine.create();
    const documents = versions(400);
    proxy.cutEvery = 10_000;
    const result = await runs.send(proxy.url, target, documents, `batchSize: 7, ${DELETES}, ${QUICK}`);
    expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded: 400, failed: {} });
    expect(proxy.cuts).toBeGreaterThan(0);
    expect(await engine.contents(target)).toEqual(lastOf(documents));
  });

  it('fails after the last retry with the reason, and writes the missing documents with a retry of the run', async () => {
    const target = await engine.create();
    const documents = numbered(40);
    proxy.refuseFrom = '"d30"';
    const settings = 'batchSize: 5, maxRetries: 2, retryWaitDurationMs: 5';
    const { succeeded, failed } = outcome(await runs.send(proxy.url, target, documents, settings));
    expect(succeeded).toBe(40 - Object.keys(failed).length);
    expect(failed).toMatchObject({ d30: expect.stringMatching(/connect/i), d39: expect.stringMatching(/connect/i) });
    // Documents that are reported as failed may be present, because the reply may have been lost. All others must be
    // present.
    const taken = documents.filter(({ id }) => !((id as string) in failed));
    expect(await engine.contents(target)).toMatchObject(byId(taken));
    const retried = await runs.send(server.url, target, [], '', '', '', { retry: runs.failed });
    expect(outcome(retried)).toEqual({ status: 'SUCCEEDED', succeeded: 40 - succeeded, failed: {} });
    expect(await engine.contents(target)).toEqual(byId(documents));
  });

  it('continues when the server is restarted during a run', async () => {
    const target = await engine.create();
    const documents = numbered(3000);
    const settings = 'batchSize: 2, maxRetries: 2000, retryWaitDurationMs: 100, retryMaxWaitDurationMs: 500';
    const sending = runs.send(server.url, target, documents, settings);
    // Wait until some documents are written: before the first connection, the indexer has nothing to continue.
    while (Object.keys(await engine.contents(target)).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await server.stop();
    await server.start();
    expect(outcome(await sending)).toEqual({ status: 'SUCCEEDED', succeeded: 3000, failed: {} });
    expect(await engine.contents(target)).toEqual(byId(documents));
  });
}
