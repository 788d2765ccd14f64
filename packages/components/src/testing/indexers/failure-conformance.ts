import { expect, it } from 'vitest';
import {
  byId,
  DELETES,
  type EngineRuns,
  type EngineUnderTest,
  lastOf,
  numbered,
  outcome,
  versions,
} from './engine-runs.ts';
import type { Fault, FaultyProxy } from './faulty-proxy.ts';

/**
 * The tests for every indexer whose engine fails for a while.
 *
 * @param proxy returns a proxy for the engine, reset before each test; called only inside tests
 */
export function describeFailures(engine: EngineUnderTest, runs: EngineRuns, proxy: () => FaultyProxy): void {
  it('fails after the last retry with the reason, and writes the missing documents with a retry of the run', async () => {
    const target = await engine.create();
    const documents = numbered(20);
    proxy().fault = (body) => (body.includes('"d3"') ? { kind: 'answer', status: 503 } : undefined);
    const settings = 'batchSize: 5, maxRetries: 2, retryWaitDurationMs: 5';
    const result = await runs.send(proxy().url, target, documents, settings);
    const reason = expect.stringContaining('returned HTTP 503: the proxy says 503');
    expect(outcome(result)).toEqual({
      status: 'SUCCEEDED',
      succeeded: 15,
      failed: { d0: reason, d1: reason, d2: reason, d3: reason, d4: reason },
    });
    expect(proxy().bodies.filter((body) => body.includes('"d3"'))).toHaveLength(3);
    expect(await engine.contents(target)).toEqual(byId(documents.slice(5)));

    // Without a response, it is unknown whether the documents were accepted.
    proxy().fault = () => ({ kind: 'cut-reply' });
    const unheard = await runs.send(proxy().url, target, [], settings, '', '', { retry: runs.failed });
    expect(unheard.counts).toMatchObject({ published: 5, succeeded: 0, failed: 5 });
    proxy().reset();
    const heard = await runs.send(proxy().url, target, [], settings, '', '', { retry: runs.failed });
    expect(outcome(heard)).toEqual({ status: 'SUCCEEDED', succeeded: 5, failed: {} });
    expect(await engine.contents(target)).toEqual(byId(documents));
  });

  it('keeps the order of the versions and deletes of a document during failures', async () => {
    const target = await engine.create();
    const documents = versions(400);
    const kinds: (Fault | undefined)[] = [
      undefined,
      { kind: 'answer', status: 429 },
      undefined,
      { kind: 'cut-reply' },
      { kind: 'cut' },
      undefined,
      { kind: 'answer', status: 503 },
    ];
    let requests = 0;
    proxy().fault = () => kinds[requests++ % kinds.length];
    const result = await runs.send(
      proxy().url,
      target,
      documents,
      `batchSize: 7, maxRetries: 20, retryWaitDurationMs: 2, ${DELETES}`,
    );
    expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded: 400, failed: {} });
    expect(await engine.contents(target)).toEqual(lastOf(documents));
  });
}
