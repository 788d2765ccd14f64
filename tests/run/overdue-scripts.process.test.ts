import { DEFAULT_POLICY, type Policy } from '@headrace/engine';
import { afterAll, expect, it } from 'vitest';
import { configOf, RunHarness, registrySource } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

it('a stage that computes without end when it starts is ended after worker.maxProcessingSecs', async () => {
  const config = configOf({
    stages: '{ class: Trouble, name: regex, kind: endless-start }',
    rest: 'worker { threads: 1, maxProcessingSecs: 1 }',
  });
  const result = await harness.run(config);
  expect(result.status).toBe('FAILED');
  expect(result.problems).toMatchObject([
    {
      code: 'HR_STAGE_START',
      message: expect.stringContaining(
        'Stage regex (Trouble) computed longer than 1 s to start (worker.maxProcessingSecs)',
      ),
    },
  ]);
});

it.each([
  ['connector', 'HR_CONNECTOR_FAILED', 'Connector c (CountConnector)', 'failIn: endless-start', ''],
  ['indexer', 'HR_INDEXER_START', 'The indexer BatchFileIndexer', '', 'endless: prepare'],
  ['indexer', 'HR_INDEXER_CONNECT', 'The indexer BatchFileIndexer', '', 'endless: connect'],
  ['indexer', 'HR_INDEXER_CONNECT', 'The indexer BatchFileIndexer', '', 'endless: begin'],
])('a policy ends a run whose %s computes without end when it starts: %s', async (_, code, name, failIn, endless) => {
  const config = configOf({
    connector: `class: CountConnector, count: 1, ${failIn}`,
    indexer: 'class: BatchFileIndexer',
    rest: `batchfile { path: "${harness.directory}/out", ${endless} }`,
  });
  const policy: Policy = { ...DEFAULT_POLICY, limits: { maxProcessingSecs: 1 } };
  const result = await harness.run(config, { registry: { ...registrySource, policy } });
  expect(result.status).toBe('FAILED');
  const message = `${name} computed longer than 1 s to start, which is the limit for uploaded configs`;
  expect(result.problems).toMatchObject([{ code, message }]);
});

it(
  'worker.maxProcessingSecs limits a trusted script in a separate process, and the run continues',
  async () => {
    const script = 'while doc.n == 2: pass';
    const config = configOf({
      connector: 'class: CountConnector, count: 4',
      stages: `{ class: EmbeddedPython, name: python, script: ${JSON.stringify(script)} }`,
      rest: 'worker { threads: 1, maxProcessingSecs: 1 }',
    });
    const result = await harness.run(config, { trusted: true });
    expect(result.failures).toMatchObject([{ id: '2', at: 'python', failure: { code: 'HR_STAGE_OVERDUE' } }]);
    expect(result).toMatchObject({ counts: { published: 4, succeeded: 3, failed: 1 } });
  },
  10 * 60_000,
);

it(
  'a sandboxed script that exceeds worker.maxProcessingSecs fails its document, and later documents succeed',
  async () => {
    const config = configOf({
      connector: 'class: CountConnector, count: 4',
      stages: `{ class: ApplyJavascript, name: script, script: "if (doc.n == 2) while (true) {}" }`,
      rest: 'worker { threads: 1, maxProcessingSecs: 1 }',
    });
    const result = await harness.run(config);
    expect(result.failures).toMatchObject([{ id: '2', at: 'script', failure: { code: 'HR_STAGE_OVERDUE' } }]);
    expect(result).toMatchObject({ counts: { published: 4, succeeded: 3, failed: 1 } });
  },
  10 * 60_000,
);
