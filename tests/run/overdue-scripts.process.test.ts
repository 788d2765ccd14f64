import { afterAll, expect, it } from 'vitest';
import { configOf, RunHarness } from './run-harness.ts';

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
