import { writeFileSync } from 'node:fs';
import type { RunResult } from '@headrace/engine';
import { StubServer } from '@headrace/testing/stub-server';
import { afterAll, describe, expect, it } from 'vitest';
import { configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

const counts = ({ stages }: RunResult) =>
  stages.map(({ stage, processed, failed, children }) => [stage, processed, failed, children]);
const skips = ({ stages }: RunResult) => stages.map(({ stage, processed, skipped }) => [stage, processed, skipped]);

/** The values of `n` from 1 to `count` that are divisible by `step`, as a condition. */
const multiplesOf = (step: number, count: number) => {
  const values = Array.from({ length: Math.floor(count / step) }, (_, i) => `"${(i + 1) * step}"`);
  return `conditions: [{fields: [n], values: [${values}]}]`;
};

/** Creates a file with this many rows, which are decoded as tables. `n` is the number of the row, from 1. */
function rows(count: number): string {
  const path = `${harness.directory}/${count}.csv`;
  writeFileSync(path, `n\n${Array.from({ length: count }, (_, i) => `${i + 1}\n`).join('')}`);
  return `class: CSVConnector, path: "${path}"`;
}

describe('the statistics of the stages in a run', () => {
  it('are summed over all threads, with failed documents, children and time', async () => {
    const result = await harness.run(
      configOf({
        connector: 'class: CountConnector, count: 3000, pad: 2000',
        stages: `{class: Trouble, name: first, kind: throw, every: 100},
          {class: Trouble, name: second, kind: children, every: 500, conditions: [{fields: [n], values: ["0"], operator: must_not}]},
          {class: Trouble, name: third, kind: wait, millis: 0, every: 1000}`,
        rest: 'worker { threads: 2 }',
      }),
    );
    expect(counts(result)).toEqual([
      ['first', 3000, 30, 0],
      ['second', 2970, 0, 0],
      ['third', 2970, 0, 0],
    ]);
    expect(result.stages[0]).toMatchObject({ connector: 'c', pipeline: 'p', class: 'Trouble' });
    expect(result.stages[0]?.meanMillis).toBeGreaterThan(0);
  });

  it('count each document once if a stage never finishes one of them', async () => {
    const result = await harness.run(
      configOf({
        connector: 'class: CountConnector, count: 600',
        stages: `{class: Trouble, name: first, kind: throw, every: 100},
          {class: Trouble, name: second, kind: hang, at: 450}`,
        rest: 'worker { threads: 1, maxProcessingSecs: 1 }',
      }),
    );
    expect(counts(result)).toEqual([
      ['first', 600, 6, 0],
      ['second', 594, 1, 0],
    ]);
  });

  it('include the time that a stage waits', async () => {
    const { stages } = await harness.run(
      configOf({ stages: '{class: Trouble, name: slow, kind: concurrent, millis: 200}' }),
    );
    expect(stages[0]?.meanMillis).toBeGreaterThan(20);
  });

  it('are available during the run, and after it was aborted', async () => {
    const run = harness.start(
      configOf({
        connector: 'class: CountConnector, count: 1, endless: true',
        stages: '{class: Trouble, name: a, kind: nothing}, {class: Trouble, name: last, kind: exit, at: 2000000000}',
      }),
    );
    await expect.poll(() => run.progress().stages[1]?.processed ?? 0).toBeGreaterThan(0);
    const [connector] = run.progress().connectors;
    expect(connector).toMatchObject({ name: 'c', status: 'running' });
    expect(connector?.counts.published).toBeGreaterThan(0);
    run.stop('CANCELLED');
    const { stages } = await run.done;
    expect(stages.map(({ stage }) => stage)).toEqual(['a', 'last']);
  });

  it('count each document once if work is repeated after the time limit', async () => {
    const result = await harness.run(
      configOf({
        connector: rows(1300),
        stages: `{class: SetStaticValues, name: table, staticValues: {a: 1}},
          {class: Trouble, name: slow, kind: hang, every: 700}`,
        rest: 'worker { maxProcessingSecs: 1, threads: 1 }',
      }),
    );
    expect(result.counts).toMatchObject({ published: 1300, failed: 1 });
    expect(counts(result)).toEqual([
      ['table', 1300, 0, 0],
      ['slow', 1300, 1, 0],
    ]);
  });

  it('count each document once if a part is sent in the middle of a table', async () => {
    const result = await harness.run(
      configOf({
        connector: rows(2000),
        stages: `{class: SetStaticValues, name: table, staticValues: {a: 1}},
          {class: Trouble, name: slow, kind: compute, millis: 30, every: 100}`,
        rest: 'worker { threads: 1 }',
      }),
    );
    expect(counts(result)).toEqual([
      ['table', 2000, 0, 0],
      ['slow', 2000, 0, 0],
    ]);
  });

  it('count the documents that do not meet the conditions of a stage, in tables and in single documents', async () => {
    const stages = (single: string) => `
      {class: SetStaticValues, name: table, staticValues: {a: 1}, ${multiplesOf(3, 2500)}},
      {class: SetStaticValues, name: none, staticValues: {b: 1}, conditions: [{fields: [missing]}]},
      {class: Trouble, name: single, ${single}, ${multiplesOf(7, 2500)}},
      {class: SetStaticValues, name: last, staticValues: {c: 1}, ${multiplesOf(2, 2500)}}`;
    for (const single of ['kind: nothing', 'kind: wait, millis: 0', 'kind: concurrent, millis: 0']) {
      const rest = 'worker { threads: 2 }';
      const result = await harness.run(configOf({ connector: rows(2500), stages: stages(single), rest }));
      expect([single, skips(result)]).toEqual([
        single,
        [
          ['table', 833, 1667],
          ['none', 0, 2500],
          ['single', 357, 2143],
          ['last', 1250, 1250],
        ],
      ]);
    }
  });

  it('count each skipped document once if work is repeated, or if a part is sent in the middle of a table', async () => {
    const table = `{class: SetStaticValues, name: table, staticValues: {a: 1}, ${multiplesOf(3, 2000)}}`;
    const hanging = await harness.run(
      configOf({
        connector: rows(2000),
        stages: `${table}, {class: Trouble, name: slow, kind: hang, every: 700, ${multiplesOf(7, 2000)}}`,
        rest: 'worker { maxProcessingSecs: 1, threads: 1 }',
      }),
    );
    expect(hanging.counts).toMatchObject({ published: 2000, failed: 2 });
    expect(skips(hanging)).toEqual([
      ['table', 666, 1334],
      ['slow', 285, 1715],
    ]);
    const slow = await harness.run(
      configOf({
        connector: rows(2000),
        stages: `${table}, {class: Trouble, name: slow, kind: compute, millis: 30, every: 100}`,
        rest: 'worker { threads: 1 }',
      }),
    );
    expect(skips(slow)).toEqual([
      ['table', 666, 1334],
      ['slow', 2000, 0],
    ]);
  });

  it('count the lookups in the cache of a stage, over all threads', async () => {
    const stub = await StubServer.start((_, response) => {
      response.setHeader('cache-control', 'max-age=600').end('page');
    });
    try {
      const config = configOf({
        connector: rows(40),
        stages: `{class: Concatenate, name: no cache, dest: url, formatString: "${stub.url}/{n}"},
          {class: FetchUri, name: cached, source: url, dest: page, cache.path: "${harness.directory}/pages"}`,
        rest: 'worker { threads: 2 }',
      });
      const lookups = async () =>
        (await harness.run(config)).stages.map(({ cacheHits, cacheMisses }) => [cacheHits, cacheMisses]);
      expect([await lookups(), await lookups()]).toEqual([
        [
          [0, 0],
          [0, 40],
        ],
        [
          [0, 0],
          [40, 0],
        ],
      ]);
      expect(stub.requests).toHaveLength(40);
    } finally {
      await stub.close();
    }
  });
});
