import type { RunResult } from '@headrace/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { firstIds, recorded } from './recorded-batches.ts';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

describe('stopping', () => {
  it('wakes up a connector without a pipeline', async () => {
    const run = harness.start(`connectors: [{name: s, class: SleepConnector, duration: 600000}], pipelines: []
      indexer { class: NopIndexer }`);
    while (run.progress().connectors[0]?.status !== 'running') await new Promise((resolve) => setTimeout(resolve, 20));
    run.stop('CANCELLED');
    const result = await run.done;
    expect(result.message).toMatch(
      /Cancelled\. 0\/1 connectors complete[\s\S]*s: stopped\. No pipeline configured\. Time: \d/,
    );
    expect(result.problems).toEqual([]);
  });

  it('starts no further document if the current one takes too long', async () => {
    const { config } = recorded(harness, {
      connector: 'class: CountConnector, count: 1000',
      stages: '{class: Trouble, kind: wait, millis: 400}',
      rest: 'worker { threads: 1 }',
    });
    const run = harness.start(config);
    // A thread starts documents for six seconds after the request: fifteen of them.
    const isBusy = ({ published, succeeded }: RunResult['counts']) => succeeded > 0 && published - succeeded > 16;
    while (!isBusy(run.progress().counts)) await new Promise((resolve) => setTimeout(resolve, 20));
    run.stop('CANCELLED');
    const result = await run.done;
    const counts = accountsOf(result);
    expect(counts.failed).toBeGreaterThan(0);
    expect(result.message).toMatch(/Cancelled\. [\s\S]*c: stopped\. \d+ docs succeeded\. \d+ docs FAILED\./);
    expect(result.failures.at(-1)?.failure.code).toBe('HR_RUN_CANCELLED');
  });

  it('finishes documents in flight, and counts the remaining ones separately', async () => {
    const { config, ids } = recorded(harness, {
      connector: 'class: CountConnector, count: 0, endless: true',
      stages: '{class: Trouble, kind: wait, every: 100, millis: 2}',
      // On a busy machine, more documents would take longer than a stop may take.
      rest: 'publisher { queueCapacity: 100 }',
    });
    const run = harness.start(`${config}\nconnectors += {name: later, class: SleepConnector, duration: 1}`);
    while (run.progress().counts.succeeded === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    run.stop('CANCELLED');
    run.stop('CANCELLED');
    const result = await run.done;
    const counts = accountsOf(result);
    expect(result.status).toBe('CANCELLED');
    expect(counts.failed).toBe(0);
    expect(ids()).toEqual(firstIds(counts.succeeded));
    expect(result.connectors.map((connector) => connector.status)).toEqual(['stopped', 'skipped']);
    expect(result.message).toMatch(/RUN SUMMARY: Cancelled\. 0\/2 connectors complete\.[\s\S]*c: stopped\. /);
  });

  it('aborts a run if a stage does not return', async () => {
    const run = harness.start(configOf({ stages: '{class: Trouble, kind: compute, millis: 86400000}' }));
    while (run.progress().connectors[0]?.status !== 'running') await new Promise((resolve) => setTimeout(resolve, 20));
    run.stop('CANCELLED');
    const result = await run.done;
    expect(result.status).toBe('CANCELLED');
    accountsOf(result);
  });

  it('counts the documents of a hanging indexer as failed when the connector times out', async () => {
    const { config } = recorded(harness, { options: 'hang: true', rest: 'runner { connectorTimeout: 3000 }' });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 10, failed: 10 });
    expect(result.failures[0]?.failure.code).toBe('HR_CONNECTOR_TIMEOUT');
  });
});

describe('memory', () => {
  it('exhausted by a stage fails only its run, with the reason', async () => {
    const small = new RunHarness({ heapMb: 64 });
    try {
      const greedy = small.run(configOf({ stages: '{class: Trouble, kind: memory}' }));
      const modest = small.run(configOf({}));
      const result = await greedy;
      expect(result.status).toBe('FAILED');
      expect(result.problems[0]).toMatchObject({
        code: 'HR_RUN_OUT_OF_MEMORY',
        hint: expect.stringContaining('runHeapMb'),
      });
      accountsOf(result);
      expect((await modest).status).toBe('SUCCEEDED');
    } finally {
      await small.close();
    }
  });
});
