import type { RunResult } from '@headrace/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { RunHarness } from './run-harness.ts';

const harness = new RunHarness({ registry: { modules: ['./noticing-components.ts'] } });
const local = new RunHarness({ registry: { modules: ['./noticing-components.ts'] }, isLocal: true });
afterAll(() => Promise.all([harness.close(), local.close()]));

const config = ({ count = 100, threads = 1, notices = '', connector = '', indexer = '' } = {}) => `
  connectors: [{ name: numbers, class: NoticingConnector, pipeline: main, count: ${count}, every: 10 ${connector} }]
  pipelines: [{ name: main, stages: [{ name: third, class: NoticingStage, every: 3 }] }]
  indexer { class: NoticingIndexer, batchSize: 7 }
  noticing { ${indexer} }
  worker.threads: ${threads}
  runner.notices { ${notices} }`;

const countsOf = ({ notices }: Pick<RunResult, 'notices'>) =>
  Object.fromEntries(notices.map(({ code, component, count }) => [`${component} ${code}`, count]));

describe('the notices of a run', () => {
  it.each([
    ['one pipeline thread', harness, 1],
    ['three pipeline threads', harness, 3],
    ['a run in the thread of its caller', local, 2],
  ])('are exact with %s', async (_, runs, threads) => {
    const count = 20_000;
    const result = await runs.run(config({ count, threads }));
    expect(result.status).toBe('SUCCEEDED');
    const { 'third custom.stopped': stops, ...counts } = countsOf(result);
    expect(counts).toEqual({
      'numbers custom.read': count / 10,
      'third custom.changed': Math.ceil(count / 3),
      'NoticingIndexer custom.sent': count,
      'NoticingIndexer custom.encoded': count,
    });
    expect(stops).toBeGreaterThanOrEqual(1);
    expect(stops).toBeLessThanOrEqual(threads);
    expect(result.notices[0]).toEqual({
      code: 'custom.read',
      class: 'loss',
      component: 'numbers',
      count: count / 10,
      examples: [1, 11, 21, 31, 41].map((line) => ({ file: 'numbers.txt', line })),
    });
    expect(result.notices[1]).toMatchObject({
      pipeline: 'main',
      examples: [0, 3, 6, 9, 12].map((n) => ({ document: `${n}`, field: 'n', value: `${n}` })),
    });
  });

  it('are in the summary and in the log, with their first example', async () => {
    harness.logged.length = 0;
    const { message } = await harness.run(config({ notices: 'suspect: ignore' }));
    expect(message).toContain(
      '\n\nNotice custom.read (loss) in numbers: 10. First: numbers.txt:1\n' +
        'Notice custom.changed (changed) in third of main: 34. First: document 0, field n, "0"\n',
    );
    expect(message).not.toContain('custom.sent');
    expect(
      harness.logged.filter(({ message }) => message.startsWith('Notice ')).map(({ level, fields }) => [level, fields]),
    ).toEqual([
      ['warn', expect.objectContaining({ code: 'custom.read', class: 'loss', component: 'numbers', count: 10 })],
      ['info', expect.objectContaining({ code: 'custom.changed', pipeline: 'main', count: 34 })],
    ]);
  });

  it('that are ignored are counted and marked', async () => {
    const { notices } = await harness.run(config({ notices: 'loss: ignore' }));
    expect(notices.find(({ code }) => code === 'custom.read')).toMatchObject({ ignored: true, count: 10 });
    expect(notices.find(({ code }) => code === 'custom.changed')).not.toHaveProperty('ignored');
  });

  it('of a code that does not exist fail their connector', async () => {
    const result = await harness.run(config({ connector: ', code: "bytes.invalit"' }));
    expect(result.status).toBe('FAILED');
    expect(result.problems[0]).toMatchObject({
      code: 'HR_COMPONENT_CONTRACT',
      message: expect.stringContaining('numbers reported the notice "bytes.invalit", which does not exist'),
      hint: 'Did you mean bytes.invalid?',
    });
  });

  it('are reported while the run is running', async () => {
    const run = harness.start(config({ count: 1_000_000_000 }));
    await expect
      .poll(() => run.progress().notices.find(({ code }) => code === 'custom.read')?.count)
      .toBeGreaterThan(0);
    run.stop('CANCELLED');
    expect((await run.done).notices).not.toEqual([]);
  });

  it('that mean lost data are passed to the indexer before it puts its output into use', async () => {
    const { checks } = await harness.run(config());
    expect(checks).toMatchObject([{ name: 'losses', found: '10 custom.read' }]);
  });

  it('of the first ten records of a source are warnings of validate --connect', async () => {
    expect(await harness.reach(config({ count: 1_000_000_000 }))).toEqual([
      {
        severity: 'warning',
        code: 'HR_CONFIG_NOTICES',
        path: 'connectors[0]',
        component: 'NoticingConnector (numbers)',
        message: 'Notice in the first records: custom.read (loss) in numbers: 1. First: numbers.txt:1',
      },
    ]);
  });

  it('are shown by a preview', async () => {
    const { notices } = await harness.preview(config(), { limit: 4 });
    expect(countsOf({ notices })).toMatchObject({ 'numbers custom.read': 1, 'third custom.changed': 2 });
  });
});

describe('runner.notices', () => {
  const failure = ({ status, problems }: RunResult) => [status, problems[0]?.code, problems[0]?.message];

  it('fails a run with more notices than it allows', async () => {
    expect(failure(await harness.run(config({ notices: 'custom.changed: { max: 34 }' })))).toEqual([
      'SUCCEEDED',
      undefined,
      undefined,
    ]);
    expect(failure(await harness.run(config({ notices: 'custom.changed: { max: 33 }' })))).toEqual([
      'FAILED',
      'HR_RUN_NOTICES',
      '34 cases of the notice custom.changed, and at most 33 are allowed (runner.notices). First: document 0, field n, "0"',
    ]);
    expect(failure(await harness.run(config({ notices: 'loss: fail' })))[0]).toBe('FAILED');
    expect(failure(await harness.run(config({ notices: 'loss: fail, custom.read: warn' })))[0]).toBe('SUCCEEDED');
    expect(failure(await harness.run(config({ notices: 'loss: { maxPercent: 10 }' })))[0]).toBe('SUCCEEDED');
    expect(failure(await harness.run(config({ notices: 'loss: { maxPercent: 9.9 }' })))[0]).toBe('FAILED');
  });

  it('applies to notices that the indexer reports at its end', async () => {
    const late = (atFinish: number) =>
      harness.run(config({ notices: 'custom.finished: fail', indexer: `atFinish: ${atFinish}` }));
    expect(failure(await late(0))[0]).toBe('SUCCEEDED');
    expect(failure(await late(1)).slice(0, 2)).toEqual(['FAILED', 'HR_RUN_NOTICES']);
  });
});
