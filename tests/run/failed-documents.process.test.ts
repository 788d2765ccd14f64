import { afterAll, describe, expect, it } from 'vitest';
import { recorded } from './recorded-batches.ts';
import { accountsOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

const failing = '{class: Trouble, kind: throw, every: 1}';

describe('a run in which no document succeeded', () => {
  it('fails if a stage failed on every document', async () => {
    const { config } = recorded(harness, { connector: 'class: CountConnector, count: 2500', stages: failing });
    const result = await harness.run(config);
    expect(result.status).toBe('FAILED');
    expect(accountsOf(result)).toMatchObject({ published: 2500, failed: 2500 });
    expect(result.message).toMatch(
      /^\n\nRUN SUMMARY: Failure\. 1\/1 connectors complete\. Some docs failed\.\n\nc: complete\. 0 docs succeeded\. 2500 docs FAILED\. Time: /,
    );
    expect(result.problems[0]).toMatchObject({
      severity: 'error',
      code: 'HR_RUN_NOTHING_SUCCEEDED',
      message: 'All 2500 documents failed, and none succeeded',
    });
  });

  it('fails if the destination rejected every document', async () => {
    const { config } = recorded(harness, {
      connector: 'class: CountConnector, count: 10',
      options: 'failIds: "", stream: false',
    });
    const result = await harness.run(config);
    expect(result).toMatchObject({ status: 'FAILED', counts: { published: 10, failed: 10 } });
  });

  it('fails if the other documents were dropped', async () => {
    const { config } = recorded(harness, {
      stages: '{class: Trouble, kind: throw, every: 9}, {class: Trouble, kind: drop, every: 1}',
    });
    const result = await harness.run(config);
    expect(result).toMatchObject({ status: 'FAILED', counts: { failed: 2, dropped: 8 } });
    expect(result.problems[0]?.message).toBe('2 documents failed, and none succeeded');
  });

  it.each([
    ['failed', '', 'HR_RUN_NOTHING_SUCCEEDED', 10, 1],
    ['failed beyond maxFailures', 'runner { maxFailures: "10%" }', 'HR_RUN_MAX_FAILURES', 100, 3],
  ])('does not mark its source as read if documents %s', async (_what, rest, code, count, every) => {
    const { config } = recorded(harness, {
      connector: `class: CountConnector, count: ${count}, failIn: postExecute`,
      stages: `{class: Trouble, kind: throw, every: ${every}}`,
      rest,
    });
    const result = await harness.run(config);
    expect(result.problems.filter(({ severity }) => severity === 'error')).toMatchObject([{ code }]);
    expect(result.connectors).toMatchObject([{ status: 'complete' }]);
  });

  it('succeeds if no document failed', async () => {
    const dropping = recorded(harness, { stages: '{class: Trouble, kind: drop, every: 1}' });
    expect((await harness.run(dropping.config)).status).toBe('SUCCEEDED');
    const empty = recorded(harness, { connector: 'class: CountConnector, count: 0' });
    expect((await harness.run(empty.config)).status).toBe('SUCCEEDED');
  });
});

describe('runner.maxFailures', () => {
  it('stops an endless run when more documents have failed', async () => {
    const { config, ids } = recorded(harness, {
      connector: 'class: CountConnector, count: 0, endless: true',
      stages: '{class: Trouble, kind: throw, every: 3}',
      rest: 'runner { maxFailures: 20 }',
    });
    const result = await harness.run(config);
    expect(result.status).toBe('FAILED');
    expect(result.problems[0]).toMatchObject({ severity: 'error', code: 'HR_RUN_MAX_FAILURES' });
    expect(result.message).toContain(
      'RUN SUMMARY: Failure. 0/1 connectors complete. Some docs failed.\n\nc: stopped. ',
    );
    const { succeeded, failed } = accountsOf(result);
    expect(failed).toBeGreaterThan(20);
    // Documents in flight failed after the stop. The message has the same counts as the summary.
    expect(result.problems[0]?.message).toContain(`${failed} of `);
    expect(ids()).toHaveLength(succeeded);
  });

  it('allows the given number of failed documents', async () => {
    const { config } = recorded(harness, {
      stages: '{class: Trouble, kind: throw, every: 4}',
      rest: 'runner.maxFailures: 3',
    });
    expect(await harness.run(config)).toMatchObject({ status: 'SUCCEEDED', counts: { succeeded: 7, failed: 3 } });
  });

  it('stops a run when a larger part of the documents fails than the percentage', async () => {
    const { config } = recorded(harness, {
      connector: 'class: CountConnector, count: 0, endless: true',
      stages: '{class: Trouble, kind: throw, every: 3}',
      rest: 'runner.maxFailures: 5%',
    });
    const result = await harness.run(config);
    expect(result).toMatchObject({
      status: 'FAILED',
      problems: [{ code: 'HR_RUN_MAX_FAILURES' }, ...Array(10).fill({})],
    });
    expect(accountsOf(result).published).toBeGreaterThanOrEqual(1000);
  });

  it('continues after one failed document if the limit is a percentage', async () => {
    // The first of 10,000 documents fails, and every 5000th after it.
    const { config } = recorded(harness, {
      connector: 'class: CountConnector, count: 10000',
      stages: '{class: Trouble, kind: throw, every: 5000}',
      rest: 'runner.maxFailures: 1%',
    });
    expect(await harness.run(config)).toMatchObject({ status: 'SUCCEEDED', counts: { succeeded: 9998, failed: 2 } });
  });

  it('applies the percentage to a short run when the run ends', async () => {
    const { config } = recorded(harness, {
      stages: '{class: Trouble, kind: throw, every: 4}',
      rest: 'runner.maxFailures: 10%',
    });
    const result = await harness.run(config);
    expect(result).toMatchObject({ status: 'FAILED', counts: { succeeded: 7, failed: 3 } });
    expect(result.problems[0]).toMatchObject({
      code: 'HR_RUN_MAX_FAILURES',
      message: '3 of 10 documents failed, and at most 10% may fail (runner.maxFailures)',
    });
  });

  it.each(['some', '-1', '101%', '5 percent'])('must be a number or a percentage, not %s', async (value) => {
    const { config } = recorded(harness, { rest: `runner.maxFailures: "${value}"` });
    const { status, problems } = await harness.run(config);
    expect(status).toBe('FAILED');
    expect(problems).toMatchObject([
      {
        code: 'HR_CONFIG_INVALID_VALUE',
        path: 'runner.maxFailures',
        line: expect.any(Number),
        message: `maxFailures must be a number of documents or a percentage, was "${value}"`,
      },
    ]);
  });
});
