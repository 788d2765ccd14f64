import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { firstIds, recorded } from './recorded-batches.ts';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

describe('the indexer', () => {
  it('receives all documents, with a very small queue', async () => {
    const { config, ids } = recorded(harness, {
      connector: 'class: CountConnector, count: 5000',
      indexer: 'batchSize: 7',
      rest: 'publisher { queueCapacity: 1, maxPendingDocs: 3 }, worker { threads: 3 }',
    });
    expect(accountsOf(await harness.run(config))).toMatchObject({ succeeded: 5000 });
    expect(ids()).toEqual(firstIds(5000));
  });

  it('can fail single documents of a batch; the others succeed', async () => {
    const { config } = recorded(harness, { connector: 'class: CountConnector, count: 200', options: 'failIds: "7"' });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ succeeded: 180, failed: 20 });
    expect(result.failures[0]).toMatchObject({ id: '7', at: 'indexer', failure: { message: '7 is refused' } });
  });

  it.each(['false', 'true'])(
    'fails every document of a batch if it throws, and continues (streaming: %s)',
    async (stream) => {
      const { config } = recorded(harness, {
        connector: 'class: CountConnector, count: 5000',
        options: `throwFrom: 1, stream: ${stream}`,
      });
      const result = await harness.run(config);
      const counts = accountsOf(result);
      expect(counts.published).toBe(5000);
      expect(counts.failed).toBeGreaterThan(0);
      expect(result.failures.every(({ failure }) => failure.message === 'the destination is gone')).toBe(true);
      expect(result.failures.length).toBeLessThanOrEqual(1000);
    },
  );

  it.each([
    ['nothing', 'null'],
    ['no list', '{}'],
    ['a document twice', '[{"index":1,"message":"a"},{"index":1,"message":"b"}]'],
    ['a position that does not exist', '[{"index":10,"message":"a"}]'],
    ['a failure without a position', '[{"message":"a"}]'],
  ])('fails the batch if it returns %s', async (_, answer) => {
    const { config } = recorded(harness, { options: `answer: ${JSON.stringify(answer)}` });
    const result = await harness.run(config);
    expect(result.status).toBe('FAILED');
    expect(accountsOf(result)).toMatchObject({ published: 10, succeeded: 0, failed: 10 });
    expect(result.failures[0]?.failure).toMatchObject({
      code: 'HR_INDEXER_FAILED',
      hint: expect.stringContaining('an empty list'),
    });
  });

  it('sends nothing with sendEnabled: false', async () => {
    const result = await harness.run(
      configOf({
        indexer: 'type: CSV, sendEnabled: false',
        rest: `csv { path: "${harness.directory}/never.csv", columns: [id] }`,
      }),
    );
    expect(accountsOf(result)).toMatchObject({ succeeded: 10 });
    expect(() => readFileSync(`${harness.directory}/never.csv`)).toThrow(/ENOENT/);
  });

  it.each(['type: CSV', 'type: JSONLines'])(
    '%s keeps the output of the last run if this run fails at the start',
    async (indexer) => {
      const path = `${harness.directory}/kept-${indexer.replace(/\W/g, '')}`;
      const blocks = `csv { path: "${path}", columns: [id] }, jsonl { path: "${path}" }`;
      writeFileSync(path, 'of the last run');
      const failing = configOf({ connector: 'class: CountConnector, count: 1, failAfter: 0', indexer, rest: blocks });
      expect((await harness.run(failing)).status).toBe('FAILED');
      expect(readFileSync(path, 'utf8')).toBe('of the last run');
      const empty = configOf({ connector: 'class: CountConnector, count: 0', indexer, rest: blocks });
      expect((await harness.run(empty)).status).toBe('SUCCEEDED');
      expect(readFileSync(path, 'utf8')).toBe(indexer === 'type: CSV' ? '"id"\n' : '');
    },
  );

  it('cannot overwrite a source file of a connector', async () => {
    const path = `${harness.directory}/both-ways.jsonl`;
    writeFileSync(path, '{"id":"1"}\n');
    const connector = `class: JSONConnector, jsonPath: "${path}"`;
    const result = await harness.run(
      configOf({ connector, indexer: 'type: JSONLines', rest: `jsonl { path: "${path}" }` }),
    );
    expect(result.problems).toMatchObject([
      { path: 'connectors[0].jsonPath', message: expect.stringContaining('overwrite') },
    ]);
    expect(readFileSync(path, 'utf8')).toBe('{"id":"1"}\n');
  });

  it('fails documents with the reason if it cannot write a dry run', async () => {
    const result = await harness.run(configOf({}), { dryRunFile: '/dev/full' });
    expect(accountsOf(result)).toMatchObject({ failed: 10 });
    expect(result.failures[0]?.failure.message).toContain('ENOSPC');
  });

  it('serves all connectors of a run with one CSV file and one header', async () => {
    const path = `${harness.directory}/both.csv`;
    const result = await harness.run(`connectors: [
        {name: a, class: CountConnector, pipeline: p, count: 2, docIdPrefix: a}
        {name: b, class: CountConnector, pipeline: p, count: 1, docIdPrefix: b}
      ]
      pipelines: [{name: p, stages: []}]
      indexer { type: CSV }
      csv { path: "${path}", columns: [id, n] }`);
    expect(result.status).toBe('SUCCEEDED');
    expect(readFileSync(path, 'utf8')).toBe('"id","n"\n"a0","0"\n"a1","1"\n"b0","0"\n');
  });
});

describe('document counts', () => {
  it('include every document of a connector, even if a pipeline thread is lost', async () => {
    const { config, ids } = recorded(harness, {
      connector: 'class: CountConnector, count: 5000',
      stages: '{class: Trouble, kind: exit, at: 3500}',
      rest: 'worker { threads: 2 }',
    });
    const result = await harness.run(config);
    const counts = accountsOf(result);
    expect(result.status).toBe('FAILED');
    expect(counts.published).toBeGreaterThan(3500);
    expect(counts.failed).toBeGreaterThan(0);
    expect(result.message).toContain('Some docs failed.');
    expect(new Set(ids()).size).toBe(ids().length);
  });

  it('of finished connectors remain if the run thread is lost', async () => {
    const result = await harness.run(`connectors: [
        {name: a, class: CountConnector, pipeline: p, count: 10}
        {name: b, class: SleepConnector, duration: 1}
        {name: c, class: CountConnector, pipeline: p, count: 5, failIn: exit}
        {name: d, class: CountConnector, pipeline: p, count: 5}
      ]
      pipelines: [{name: p, stages: []}]
      indexer { class: NopIndexer }`);
    accountsOf(result);
    expect(result.message.replace(/\d+\.\d\d secs/g, 'T secs')).toContain(
      '\n\nRUN SUMMARY: Failure. 2/4 connectors complete. All published docs succeeded.\n\n' +
        'a: complete. 10 docs succeeded. 0 docs failed. 0 docs dropped. Time: T secs.\n' +
        'b: complete. No pipeline configured. Time: T secs.\n' +
        'c: ERROR. Connector exception. Time: T secs.\n' +
        'd: skipped.\n',
    );
  });

  it('stop a connector at the maximum number of documents in flight', async () => {
    const { config } = recorded(harness, {
      connector: 'class: CountConnector, count: 500',
      stages: '{class: Trouble, kind: wait, millis: 2}',
      rest: 'publisher { maxPendingDocs: 10 }',
    });
    const run = harness.start(config);
    let most = 0;
    const watch = setInterval(() => {
      const { published, succeeded } = run.progress().counts;
      most = Math.max(most, published - succeeded);
    }, 1);
    expect(accountsOf(await run.done)).toMatchObject({ published: 500, succeeded: 500 });
    clearInterval(watch);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(10);
  });
});
