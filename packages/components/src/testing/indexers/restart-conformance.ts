import type { OwnServer } from '@headrace/testing/real-server';
import { afterAll, expect, it } from 'vitest';
import { byId, EngineRuns, type EngineUnderTest, numbered, outcome } from './engine-runs.ts';
import { FaultyProxy } from './faulty-proxy.ts';

/** The test of a restart for every indexer that writes to an engine over HTTP. */
export function describeRestart(
  engine: EngineUnderTest,
  server: Pick<OwnServer, 'start' | 'stop'>,
  url: () => string,
): void {
  const runs = new EngineRuns(engine);
  afterAll(() => runs.close());

  it('continues when the engine is restarted during a run', { timeout: 300_000 }, async () => {
    const proxy = await FaultyProxy.start(url());
    try {
      const target = await engine.create();
      const documents = numbered(120);
      let requests = 0;
      let restarted: Promise<void> | undefined;
      proxy.fault = () => {
        // At this point some documents are written, and others are in progress.
        if (++requests === 4) restarted = server.stop().then(() => server.start());
        return undefined;
      };
      const settings = 'batchSize: 5, maxRetries: 2000, retryWaitDurationMs: 100, retryMaxWaitDurationMs: 500';
      const result = await runs.send(proxy.url, target, documents, settings);
      await restarted;
      expect(requests).toBeGreaterThan(24);
      expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded: 120, failed: {} });
      expect(await engine.contents(target)).toEqual(byId(documents));
    } finally {
      await proxy.close();
    }
  });
}
