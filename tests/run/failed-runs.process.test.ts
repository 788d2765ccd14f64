import { afterAll, describe, expect, it } from 'vitest';
import { firstIds, type RecordedParts, recorded } from './recorded-batches.ts';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

describe('a failed run', () => {
  it.each(['preExecute', 'postExecute'])('logs the reason after a colon if %s throws', async (phase) => {
    const { config } = recorded(harness, { connector: `class: CountConnector, count: 1, failIn: ${phase}` });
    await harness.run(config);
    expect(harness.logged.map(({ message }) => message)).toContain(`${phase} failed: no ${phase} today`);
  });

  const reasons: [string, RecordedParts, { text: string; message: string }][] = [
    [
      'fails when a connector throws',
      { connector: 'class: CountConnector, count: 10, failAfter: 5' },
      { text: 'c: ERROR. Connector exception. Time: ', message: 'the source broke after 5 documents' },
    ],
    [
      'fails when preExecute throws',
      { connector: 'class: CountConnector, count: 1, failIn: preExecute' },
      { text: 'c: ERROR. preExecute failed.\n', message: 'no preExecute today' },
    ],
    [
      'fails when postExecute throws',
      { connector: 'class: CountConnector, count: 1, failIn: postExecute' },
      { text: 'c: ERROR. postExecute failed\n', message: 'no postExecute today' },
    ],
    [
      'fails when close throws',
      { connector: 'class: CountConnector, count: 1, failIn: close' },
      { text: 'c: ERROR. Error closing connector\n', message: 'no close today' },
    ],
    [
      'fails when a stage does not start',
      { stages: '{class: Trouble, kind: start}' },
      { text: 'c: ERROR. Error starting workers for pipeline p\n', message: 'this stage does not start' },
    ],
    [
      'fails when the indexer cannot connect',
      { options: 'failConnect: true' },
      { text: 'c: ERROR. Indexer could not connect.\n', message: 'no server is listening' },
    ],
    [
      'fails when a stage ends the thread',
      { stages: '{class: Trouble, kind: exit}' },
      { text: 'c: ERROR. Connector exception. Time: ', message: 'ended unexpectedly' },
    ],
    [
      'fails when a connector takes too long',
      { connector: 'class: CountConnector, count: 0, endless: true', rest: 'runner { connectorTimeout: 300 }' },
      { text: 'c: ERROR. Connector timeout. Time: ', message: 'did not finish within 300 ms' },
    ],
  ];
  it.each(reasons)('%s', async (_, parts, { text, message }) => {
    const { config } = recorded(harness, parts);
    const result = await harness.run(config);
    accountsOf(result);
    expect(result.status).toBe('FAILED');
    expect(result.message).toContain('RUN SUMMARY: Failure. 0/1 connectors complete.');
    expect(result.message).toContain(text);
    expect(result.problems.map((problem) => problem.message).join()).toContain(message);
    expect(result.problems[0]).toMatchObject({ severity: 'error', component: 'c', path: 'connectors[0]' });
  });

  it('fails when a check of the output fails, with the advice of the check', async () => {
    const result = await harness.run(
      configOf({ indexer: 'class: WholeIndexer', rest: 'whole { hint: "Count again." }' }),
    );
    expect(result.status).toBe('FAILED');
    expect(result.message).toContain('Check size: FAILED. 1, expected 2\n');
    expect(result.problems[0]).toMatchObject({ code: 'HR_RUN_CHECK_FAILED', hint: 'Count again.' });
  });

  it.each([250, 270, 290, 310])(
    'counts each document once if connectorTimeout (%i ms) ends while documents wait for space',
    async (limit) => {
      const { config, ids } = recorded(harness, {
        connector: 'class: CountConnector, count: 0, endless: true',
        options: 'millis: 20, stream: true',
        rest: `runner { connectorTimeout: ${limit} }, publisher { queueCapacity: 1000 }`,
      });
      const result = await harness.run(config);
      expect(accountsOf(result).succeeded).toBe(ids().length);
    },
  );

  it('reports both reasons if the connector and its close method throw', async () => {
    const { config } = recorded(harness, { connector: 'class: CountConnector, count: 3, failAfter: 1, failIn: close' });
    const result = await harness.run(config);
    expect(result.message).toContain('c: ERROR. Error closing connector\n');
    expect(result.problems.map(({ message }) => message)).toEqual([
      'Connector exception: the source broke after 1 documents',
      'Error closing connector: no close today',
    ]);
  });

  it('fails if a connector without a pipeline publishes a document', async () => {
    const result = await harness.run(`connectors: [{name: s, class: CountConnector, count: 1}], pipelines: []
      indexer { class: NopIndexer }`);
    expect(result.message).toContain('s: ERROR. execute failed.\n');
  });

  it('skips the connectors after the one that failed', async () => {
    const result = await harness.run(`connectors: [
        {name: a, class: CountConnector, pipeline: p, count: 3}
        {name: b, class: CountConnector, pipeline: p, count: 3, failAfter: 0}
        {name: d, class: CountConnector, pipeline: p, count: 3}
      ]
      pipelines: [{name: p, stages: []}]
      indexer { class: NopIndexer }`);
    expect(result.connectors.map((connector) => connector.status)).toEqual(['complete', 'failed', 'skipped']);
    expect(result.message).toContain('RUN SUMMARY: Failure. 1/3 connectors complete. All published docs succeeded.');
    expect(result.message).toContain('\nd: skipped.\n');
  });

  it('keeps documents that were published before the source failed', async () => {
    const { config, ids } = recorded(harness, { connector: 'class: CountConnector, count: 9999, failAfter: 2345' });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 2345, succeeded: 2345 });
    expect(ids()).toEqual(firstIds(2345));
  });

  it('fails immediately if its source is a device or a pipe, which could block a thread forever', async () => {
    const { config } = recorded(harness, { connector: 'class: CSVConnector, path: /dev/zero' });
    const result = await harness.run(config);
    expect(result.problems[0]).toMatchObject({
      code: 'HR_SOURCE_UNREADABLE',
      message: expect.stringContaining('regular file'),
    });
  });

  it('fails without side effects if its config is invalid', async () => {
    const { config } = recorded(harness, { stages: '{class: Troubel, kind: x}, {class: TrimWhitespace}' });
    const result = await harness.run(config);
    expect(result.message).toContain('RUN SUMMARY: Failure. 0/0 connectors complete. No docs published.\n');
    expect(result.problems).toMatchObject([
      { code: 'HR_CONFIG_UNKNOWN_CLASS', path: 'pipelines[0].stages[0].class', hint: 'Did you mean Trouble?' },
      { code: 'HR_CONFIG_MISSING_PARAMETER', path: 'pipelines[0].stages[1]', line: 2 },
    ]);
  });
});
