import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

let files = 0;
/** A config whose indexer writes a line for each batch, and a reader of those lines. */
function recorded(parts: Parameters<typeof configOf>[0] & { options?: string }) {
  const path = `${harness.directory}/batches-${++files}`;
  const config = configOf({
    ...parts,
    indexer: `class: BatchFileIndexer, ${parts.indexer ?? ''}`,
    rest: `batchfile { path: "${path}", ${parts.options ?? ''} }\n${parts.rest ?? ''}`,
  });
  const batches = () =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' '));
  return { config, batches, ids: () => batches().flat() };
}

const firstIds = (count: number) => Array.from({ length: count }, (_, i) => String(i));

describe('a run', () => {
  it('brings every document to the indexer, in order, and says so', async () => {
    const { config, ids } = recorded({ connector: 'class: CountConnector, count: 2500' });
    const result = await harness.run(config);
    expect(accountsOf(result)).toEqual({ published: 2500, created: 0, succeeded: 2500, failed: 0, dropped: 0 });
    expect(result.status).toBe('SUCCEEDED');
    expect(result.message.replace(/\d+\.\d\d secs/, 'T secs')).toBe(
      '\n\nRUN SUMMARY: Success. 1/1 connectors complete. All published docs succeeded.\n\n' +
        'c: complete. 2500 docs succeeded. 0 docs failed. 0 docs dropped. Time: T secs.\n',
    );
    expect(ids()).toEqual(firstIds(2500));
  });

  it.each([1, 2, 4])(
    'keeps the order with %i threads, stages that wait for different times included',
    async (threads) => {
      const { config, ids } = recorded({
        connector: 'class: CountConnector, count: 3000, pad: 2000',
        stages: '{class: Trouble, kind: concurrent, millis: 3}, {class: Trouble, kind: wait, every: 97, millis: 5}',
        rest: `worker { threads: ${threads} }`,
      });
      accountsOf(await harness.run(config));
      expect(ids()).toEqual(firstIds(3000));
    },
  );

  it('writes the same bytes with 1, 2 and 4 threads', async () => {
    const source = `${harness.directory}/threads.csv`;
    const rows = Array.from(
      { length: 60_000 },
      (_, i) => `${i}, é${i % 97} ,"a;b${i % 7 === 0 ? '""' : ''}",${'x'.repeat(i % 50)}`,
    );
    writeFileSync(source, `n,title,tags,text\n${rows.join('\n')}\n`);
    const written = async (threads: number) => {
      const target = `${harness.directory}/threads-${threads}.jsonl`;
      const config = configOf({
        connector: `class: CSVConnector, path: "${source}"`,
        stages: `{class: TrimWhitespace, fields: [title]}, {class: ApplyRegex, source: [n], dest: [even], regex: "^\\\\d*([02468])$"}
          {class: SplitFieldValues, inputField: tags, outputField: list, delimiter: ";", trimWhitespace: true}
          {class: Concatenate, dest: label, formatString: "{title}/{even}"}`,
        indexer: 'type: JSONLines',
        rest: `jsonl { path: "${target}" }, worker { threads: ${threads} }`,
      });
      const result = await harness.run(config, { runId: 'the-run' });
      expect(accountsOf(result)).toMatchObject({ published: 60_000, succeeded: 60_000 });
      return readFileSync(target, 'utf8');
    };
    const one = await written(1);
    expect(one.split('\n')).toHaveLength(60_001);
    expect((await written(2)) === one).toBe(true);
    expect((await written(4)) === one).toBe(true);
  });

  it('puts children before their parent, and counts them', async () => {
    const { config, ids } = recorded({
      connector: 'class: CountConnector, count: 2',
      stages: '{class: Trouble, kind: children}, {class: Trouble, kind: children, every: 2}',
    });
    const counts = accountsOf(await harness.run(config));
    expect(counts).toMatchObject({ published: 2, created: 18, succeeded: 20 });
    const family = (id: string) =>
      [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => `${id}-${i}-${j}`).concat(`${id}-${i}`));
    expect(ids()).toEqual([...family('0'), '0-0', '0-1', '0-2', '0', '1-0', '1-1', '1-2', '1']);
  });

  it('fails a document that a stage throws on, alone, with its reason', async () => {
    const { config, ids } = recorded({ stages: '{class: Trouble, name: picky, kind: throw, every: 4}' });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ succeeded: 7, failed: 3 });
    expect(result.status).toBe('SUCCEEDED');
    expect(result.message).toContain('RUN SUMMARY: Partial success. 1/1 connectors complete. Some docs failed.');
    expect(result.message).toContain('c: complete. 7 docs succeeded. 3 docs FAILED. Time:');
    expect(result.failures[1]).toEqual({
      id: '4',
      connector: 'c',
      at: 'picky',
      failure: { code: 'HR_STAGE_FAILED', message: 'document 4 is not liked' },
    });
    expect(ids()).toEqual(['1', '2', '3', '5', '6', '7', '9']);
    expect(result.problems[1]).toMatchObject({
      severity: 'warning',
      component: 'picky',
      message: 'Document 4 failed: document 4 is not liked',
    });
  });

  it('fails a document on which a stage computes without end, and the rest goes on', async () => {
    const { config, ids } = recorded({
      stages: '{class: Trouble, kind: children, every: 4}, {class: Trouble, name: slow, kind: hang, at: 5}',
      rest: 'worker { maxProcessingSecs: 1 }',
    });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 10, created: 9, succeeded: 18, failed: 1 });
    expect(result.failures).toMatchObject([{ id: '5', at: 'slow', failure: { code: 'HR_STAGE_OVERDUE' } }]);
    expect(ids().filter((id) => !id.includes('-'))).toEqual(firstIds(10).filter((id) => id !== '5'));
  });

  it.each(['concurrent', 'wait'])('and so where another stage is waiting: %s', async (kind) => {
    const { config, ids } = recorded({
      stages: `{class: Trouble, kind: ${kind}, millis: 2}, {class: Trouble, name: slow, kind: hang, at: 5}`,
      rest: 'worker { maxProcessingSecs: 1 }',
    });
    const result = await harness.run(config);
    expect(result.failures).toMatchObject([{ id: '5', at: 'slow', failure: { code: 'HR_STAGE_OVERDUE' } }]);
    expect(accountsOf(result)).toMatchObject({ succeeded: 9, failed: 1 });
    expect(ids()).toEqual(firstIds(10).filter((id) => id !== '5'));
  });

  it('takes nothing for endless that is only slow altogether, in rows of a table and one by one', async () => {
    const path = `${harness.directory}/slow.csv`;
    writeFileSync(path, `text\n${Array.from({ length: 400 }, (_, i) => `t${i}`).join('\n')}\n`);
    const { config, ids } = recorded({
      connector: `class: CSVConnector, path: "${path}"`,
      stages: '{class: TrimWhitespace, fields: [text]}, {class: Trouble, kind: compute, millis: 6}',
      rest: 'worker { maxProcessingSecs: 1, threads: 1 }',
    });
    const result = await harness.run(config);
    expect(result.failures).toEqual([]);
    expect(accountsOf(result)).toMatchObject({ published: 400, succeeded: 400 });
    expect(ids()).toEqual(Array.from({ length: 400 }, (_, i) => `slow.csv-${i + 1}`));
  });

  it('takes back the children of a document that is ended', async () => {
    const { config, ids } = recorded({
      connector: 'class: CountConnector, count: 4',
      stages: '{class: Trouble, kind: endless, at: 2}',
      rest: 'worker { maxProcessingSecs: 1 }',
    });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 4, created: 0, succeeded: 3, failed: 1 });
    expect(ids()).toEqual(['0', '1', '3']);
  });

  it.each(['', ', {class: Trouble, kind: concurrent}'])(
    'lets the children of one document leave while it makes more (%s)',
    async (further) => {
      const path = `${harness.directory}/many${further.length}.jsonl`;
      const config = configOf({
        connector: 'class: CountConnector, count: 1',
        stages: `{class: Trouble, kind: many, path: "${path}"}${further}`,
        indexer: 'type: JSONLines',
        rest: `jsonl { path: "${path}" }, worker { threads: 1 }`,
      });
      expect(accountsOf(await harness.run(config))).toMatchObject({ published: 1, created: 1024, succeeded: 1025 });
      const [last, parent] = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-2);
      // At most 16 MiB wait for the indexer, and a few are on their way to it.
      expect((JSON.parse(last as string) as { written: number }).written).toBeGreaterThan(512);
      expect(JSON.parse(parent as string)).toMatchObject({ id: '0' });
    },
  );

  it('stops a document that makes children without end', async () => {
    const { config } = recorded({
      connector: 'class: CountConnector, count: 4',
      stages: `{class: Trouble, kind: endless, at: 2, count: ${Number.MAX_SAFE_INTEGER}}`,
    });
    const run = harness.start(config);
    while (run.progress().counts.created === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    run.stop('CANCELLED');
    const result = await run.done;
    expect(result.status).toBe('CANCELLED');
    const { published, created, succeeded, failed, dropped } = result.counts;
    expect(published + created).toBe(succeeded + failed + dropped);
  });

  it('holds back stages that wait, too, when the indexer is slow', async () => {
    const { config, ids } = recorded({
      connector: 'class: CountConnector, count: 3000, pad: 20000',
      stages: '{class: Trouble, kind: concurrent, millis: 1}',
      options: 'millis: 1',
      rest: 'worker { threads: 1 }, publisher { queueCapacity: 500 }',
    });
    expect(accountsOf(await harness.run(config))).toMatchObject({ succeeded: 3000 });
    expect(ids()).toEqual(firstIds(3000));
  });

  it('fails a row on which a regular expression has no end, in a table of others', async () => {
    const path = `${harness.directory}/regex.csv`;
    writeFileSync(
      path,
      `text\n${Array.from({ length: 50 }, (_, i) => (i === 7 || i === 30 ? 'a'.repeat(60) : `t${i}`)).join('\n')}\n`,
    );
    const { config, ids } = recorded({
      connector: `class: CSVConnector, path: "${path}"`,
      stages:
        '{class: TrimWhitespace, fields: [text]}, {class: ApplyRegex, source: [text], dest: [found], regex: "(a+)+b"}',
      rest: 'worker { maxProcessingSecs: 1 }',
    });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 50, succeeded: 48, failed: 2 });
    expect(result.failures.map(({ id, at }) => `${id} ${at}`)).toEqual(['regex.csv-8 stage_2', 'regex.csv-31 stage_2']);
    expect(ids()).toHaveLength(48);
  });

  it('names the field that a stage gave a value that is none', async () => {
    const { config } = recorded({ stages: '{class: Trouble, kind: object, every: 9}' });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ succeeded: 8, failed: 2 });
    expect(result.failures[0]?.failure).toMatchObject({
      code: 'HR_DOCUMENT_TYPE',
      message: 'Field "odd" cannot hold this value (Object)',
    });
  });

  it('does not send dropped documents, and does not say that nothing was published', async () => {
    const { config, ids } = recorded({ stages: '{class: Trouble, kind: drop}' });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 10, dropped: 10, succeeded: 0 });
    expect(result.message).toContain('All published docs were dropped.');
    expect(result.message).toContain('c: complete. 0 docs succeeded. 0 docs failed. 10 docs dropped.');
    expect(ids()).toEqual([]);
  });

  it('merges consecutive documents of one id when it collapses', async () => {
    writeFileSync(
      `${harness.directory}/c.jsonl`,
      '{"id":"a","x":1}\n{"id":"a","x":2}\n{"id":"b","x":3}\n{"id":"a","x":4}\n',
    );
    const { config, ids } = recorded({
      connector: `class: JSONConnector, jsonPath: "${harness.directory}/c.jsonl", collapse: true`,
    });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 3, succeeded: 3 });
    expect(result.connectors[0]?.received).toBe(4);
    expect(ids()).toEqual(['a', 'b', 'a']);
  });

  it('gives the run id to documents and children', async () => {
    const path = `${harness.directory}/ids.jsonl`;
    const config = configOf({
      connector: 'class: CountConnector, count: 1',
      stages: '{class: Trouble, kind: children}',
      indexer: 'type: JSONLines',
      rest: `jsonl { path: "${path}" }`,
    });
    await harness.run(config, { runId: 'the-run' });
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(JSON.parse(line).run_id).toBe('the-run');
  });
});

describe('batches', () => {
  it('have batchSize documents, 100 by default, the last one what is left', async () => {
    const { config, batches } = recorded({ connector: 'class: CountConnector, count: 250' });
    await harness.run(config);
    expect(batches().map((batch) => batch.length)).toEqual([100, 100, 50]);
    const small = recorded({ connector: 'class: CountConnector, count: 7', indexer: 'batchSize: 3' });
    await harness.run(small.config);
    expect(small.batches().map((batch) => batch.length)).toEqual([3, 3, 1]);
  });

  it('end before they exceed batchByteSize; one document is sent whatever its size', async () => {
    // An id of one digit takes two bytes with its line end.
    const { config, batches } = recorded({ indexer: 'batchByteSize: 5' });
    await harness.run(config);
    expect(batches().map((batch) => batch.length)).toEqual([2, 2, 2, 2, 2]);
    const tiny = recorded({ indexer: 'batchByteSize: 1' });
    await harness.run(tiny.config);
    expect(tiny.batches().map((batch) => batch.length)).toEqual(new Array(10).fill(1));
  });

  it('leave before they are full when nothing more can come', async () => {
    const { config, ids } = recorded({
      connector: 'class: CountConnector, count: 25000',
      indexer: 'batchSize: 20000, batchTimeout: 3600000',
    });
    expect(accountsOf(await harness.run(config))).toMatchObject({ succeeded: 25000 });
    expect(ids()).toEqual(firstIds(25000));
    const large = recorded({
      connector: 'class: CountConnector, count: 12000, pad: 3000',
      indexer: 'batchByteSize: 100000000, batchTimeout: 3600000',
    });
    expect(accountsOf(await harness.run(large.config))).toMatchObject({ succeeded: 12000 });
  });

  it('leave when nothing comes for batchTimeout', async () => {
    const { config, batches, ids } = recorded({
      stages: '{class: Trouble, kind: wait, millis: 200}',
      indexer: 'batchTimeout: 1, batchSize: 1000000',
    });
    accountsOf(await harness.run(config));
    expect(batches().length).toBeGreaterThan(1);
    expect(ids()).toEqual(firstIds(10));
  });
});

describe('a run fails, saying why,', () => {
  const reasons: [string, Parameters<typeof recorded>[0], { text: string; message: string }][] = [
    [
      'when a connector throws',
      { connector: 'class: CountConnector, count: 10, failAfter: 5' },
      { text: 'c: ERROR. Connector exception. Time: ', message: 'the source broke after 5 documents' },
    ],
    [
      'when preExecute throws',
      { connector: 'class: CountConnector, count: 1, failIn: preExecute' },
      { text: 'c: ERROR. preExecute failed.\n', message: 'no preExecute today' },
    ],
    [
      'when postExecute throws',
      { connector: 'class: CountConnector, count: 1, failIn: postExecute' },
      { text: 'c: ERROR. postExecute failed\n', message: 'no postExecute today' },
    ],
    [
      'when close throws',
      { connector: 'class: CountConnector, count: 1, failIn: close' },
      { text: 'c: ERROR. Error closing connector\n', message: 'no close today' },
    ],
    [
      'when a stage does not start',
      { stages: '{class: Trouble, kind: start}' },
      { text: 'c: ERROR. Error starting workers for pipeline p\n', message: 'this stage does not start' },
    ],
    [
      'when the indexer cannot connect',
      { options: 'failConnect: true' },
      { text: 'c: ERROR. Indexer could not connect.\n', message: 'nobody is listening' },
    ],
    [
      'when a stage ends the thread',
      { stages: '{class: Trouble, kind: exit}' },
      { text: 'c: ERROR. Connector exception. Time: ', message: 'ended unexpectedly' },
    ],
    [
      'when a connector takes too long',
      { connector: 'class: CountConnector, count: 0, endless: true', rest: 'runner { connectorTimeout: 300 }' },
      { text: 'c: ERROR. Connector timeout. Time: ', message: 'did not finish within 300 ms' },
    ],
  ];
  it.each(reasons)('%s', async (_, parts, { text, message }) => {
    const { config } = recorded(parts);
    const result = await harness.run(config);
    accountsOf(result);
    expect(result.status).toBe('FAILED');
    expect(result.message).toContain('RUN SUMMARY: Failure. 0/1 connectors complete.');
    expect(result.message).toContain(text);
    expect(result.problems.map((problem) => problem.message).join()).toContain(message);
    expect(result.problems[0]).toMatchObject({ severity: 'error', component: 'c', path: 'connectors[0]' });
  });

  it.each([250, 270, 290, 310])(
    'and has one end for each document when %i ms pass while documents wait for room',
    async (limit) => {
      const { config, ids } = recorded({
        connector: 'class: CountConnector, count: 0, endless: true',
        options: 'millis: 20, stream: true',
        rest: `runner { connectorTimeout: ${limit} }, publisher { queueCapacity: 1000 }`,
      });
      const result = await harness.run(config);
      expect(accountsOf(result).succeeded).toBe(ids().length);
    },
  );

  it('when closing throws too, with both reasons', async () => {
    const { config } = recorded({ connector: 'class: CountConnector, count: 3, failAfter: 1, failIn: close' });
    const result = await harness.run(config);
    expect(result.message).toContain('c: ERROR. Error closing connector\n');
    expect(result.problems.map(({ message }) => message)).toEqual([
      'Connector exception: the source broke after 1 documents',
      'Error closing connector: no close today',
    ]);
  });

  it('when a connector without a pipeline wants to publish', async () => {
    const result = await harness.run(`connectors: [{name: s, class: CountConnector, count: 1}], pipelines: []
      indexer { class: NopIndexer }`);
    expect(result.message).toContain('s: ERROR. execute failed.\n');
  });

  it('and skips the connectors after the one that failed', async () => {
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

  it('without a loss of what was published before the source broke', async () => {
    const { config, ids } = recorded({ connector: 'class: CountConnector, count: 9999, failAfter: 2345' });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 2345, succeeded: 2345 });
    expect(ids()).toEqual(firstIds(2345));
  });

  it('at once when its source is a device or a pipe, which could hold a thread for ever', async () => {
    const { config } = recorded({ connector: 'class: CSVConnector, path: /dev/zero' });
    const result = await harness.run(config);
    expect(result.problems[0]).toMatchObject({
      code: 'HR_SOURCE_UNREADABLE',
      message: expect.stringContaining('regular file'),
    });
  });

  it('when its config is invalid, without touching anything', async () => {
    const { config } = recorded({ stages: '{class: Troubel, kind: x}, {class: TrimWhitespace}' });
    const result = await harness.run(config);
    expect(result.message).toContain('RUN SUMMARY: Failure. 0/0 connectors complete. No docs published.\n');
    expect(result.problems).toMatchObject([
      { code: 'HR_CONFIG_UNKNOWN_CLASS', path: 'pipelines[0].stages[0].class', hint: 'Did you mean Trouble?' },
      { code: 'HR_CONFIG_MISSING_PARAMETER', path: 'pipelines[0].stages[1]', line: 2 },
    ]);
  });
});

describe('the indexer', () => {
  it('gets everything, however few documents may wait for it', async () => {
    const { config, ids } = recorded({
      connector: 'class: CountConnector, count: 5000',
      indexer: 'batchSize: 7',
      rest: 'publisher { queueCapacity: 1, maxPendingDocs: 3 }, worker { threads: 3 }',
    });
    expect(accountsOf(await harness.run(config))).toMatchObject({ succeeded: 5000 });
    expect(ids()).toEqual(firstIds(5000));
  });

  it('fails single documents', async () => {
    const { config } = recorded({ connector: 'class: CountConnector, count: 200', options: 'failIds: "7"' });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ succeeded: 180, failed: 20 });
    expect(result.failures[0]).toMatchObject({ id: '7', at: 'indexer', failure: { message: '7 is refused' } });
  });

  it.each(['false', 'true'])(
    'fails every document of a batch that it throws on, and goes on (streaming: %s)',
    async (stream) => {
      const { config } = recorded({
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
    ['one that is not there', '[{"index":10,"message":"a"}]'],
    ['one without a position', '[{"message":"a"}]'],
  ])('fails the batch when it gives back %s', async (_, answer) => {
    const { config } = recorded({ options: `answer: ${JSON.stringify(answer)}` });
    const result = await harness.run(config);
    expect(result.status).toBe('SUCCEEDED');
    expect(accountsOf(result)).toMatchObject({ published: 10, succeeded: 0, failed: 10 });
    expect(result.failures[0]?.failure).toMatchObject({
      code: 'HR_INDEXER_FAILED',
      hint: expect.stringContaining('an empty list'),
    });
  });

  it('is bypassed with sendEnabled: false, whatever it is', async () => {
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
    '%s keeps the output of the last run when this one fails at once',
    async (indexer) => {
      const path = `${harness.directory}/kept-${++files}`;
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

  it('may not overwrite what a connector reads', async () => {
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

  it('that cannot write a dry run fails its documents, with the reason', async () => {
    const result = await harness.run(configOf({}), { dryRunFile: '/dev/full' });
    expect(accountsOf(result)).toMatchObject({ failed: 10 });
    expect(result.failures[0]?.failure.message).toContain('ENOSPC');
  });

  it('serves all connectors of a run as one: one CSV file, one header', async () => {
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

describe('accounts', () => {
  it('tell of every document that a connector handed over, even when a pipeline thread is lost', async () => {
    const { config, ids } = recorded({
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

  it('of a thread of a run that is lost keep what its connectors had', async () => {
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

  it('hold back a connector that has as many documents under way as it may', async () => {
    const { config } = recorded({
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

  it('begins no further document when what is under way takes too long', async () => {
    const { config } = recorded({
      connector: 'class: CountConnector, count: 1000',
      stages: '{class: Trouble, kind: wait, millis: 400}',
    });
    const run = harness.start(config);
    while (run.progress().counts.succeeded === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    run.stop('CANCELLED');
    const result = await run.done;
    const counts = accountsOf(result);
    expect(counts).toMatchObject({ published: 1000 });
    expect(counts.failed).toBeGreaterThan(0);
    expect(result.message).toMatch(/Cancelled\. [\s\S]*c: stopped\. \d+ docs succeeded\. \d+ docs FAILED\./);
    expect(result.failures.at(-1)?.failure.code).toBe('HR_RUN_CANCELLED');
  });

  it('finishes what is in flight, tells the rest apart, and keeps the accounts', async () => {
    const { config, ids } = recorded({
      connector: 'class: CountConnector, count: 0, endless: true',
      stages: '{class: Trouble, kind: wait, every: 100, millis: 2}',
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

  it('ends a run by force when a stage does not let go', async () => {
    const run = harness.start(configOf({ stages: '{class: Trouble, kind: hang}' }));
    while (run.progress().connectors[0]?.status !== 'running') await new Promise((resolve) => setTimeout(resolve, 20));
    run.stop('CANCELLED');
    const result = await run.done;
    expect(result.status).toBe('CANCELLED');
    accountsOf(result);
  });

  it('counts what a hanging indexer held as failed when the connector times out', async () => {
    const { config } = recorded({ options: 'hang: true', rest: 'runner { connectorTimeout: 500 }' });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 10, failed: 10 });
    expect(result.failures[0]?.failure.code).toBe('HR_CONNECTOR_TIMEOUT');
  });
});

describe('memory', () => {
  it('that a stage exhausts fails its run, which says so, and nothing else', async () => {
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

describe('a dry run', () => {
  it('writes every document that would have reached the indexer, and does not touch the indexer', async () => {
    const path = `${harness.directory}/dry.jsonl`;
    const config = configOf({
      connector: 'class: CountConnector, count: 3',
      stages: '{class: Trouble, kind: drop, every: 2}',
      indexer: 'type: CSV',
      rest: `csv { path: "${harness.directory}/untouched.csv", columns: [id] }`,
    });
    const result = await harness.run(config, { dryRunFile: path, runId: 'r' });
    expect(accountsOf(result)).toMatchObject({ succeeded: 1, dropped: 2 });
    expect(readFileSync(path, 'utf8')).toBe('{"connector":"c","document":{"id":"1","n":1,"run_id":"r"}}\n');
    expect(() => readFileSync(`${harness.directory}/untouched.csv`)).toThrow(/ENOENT/);
  });
});

describe('a preview', () => {
  it('leaves the sources where they are', async () => {
    const { directory } = harness;
    const source = `${directory}/moved.csv`;
    const connector = `class: CSVConnector, path: "${source}", moveToErrorFolder: "${directory}/bad"`;
    writeFileSync(source, 'a,\n1,2\n');
    const { problems } = await harness.preview(configOf({ connector }));
    expect(problems).toHaveLength(1);
    expect(readFileSync(source, 'utf8')).toBe('a,\n1,2\n');
  });

  it('shows a record that cannot be read, as JSON like all others', async () => {
    const path = `${harness.directory}/ragged.csv`;
    writeFileSync(path, 'a,b\n1,2\n3\n');
    const { results } = await harness.preview(configOf({ connector: `class: CSVConnector, path: "${path}"` }));
    expect(results.map(({ input }) => JSON.parse(input))).toEqual([expect.objectContaining({ a: '1' }), `${path}:3`]);
    expect(results[1]?.failure).toMatchObject({ stage: 'c', code: 'HR_RECORD_UNREADABLE' });
  });

  it('gives what a pipeline makes of given documents', async () => {
    const config = configOf({
      stages:
        '{class: Trouble, kind: drop, every: 5}, {class: Trouble, kind: throw, every: 3}, {class: Trouble, kind: children, every: 2}',
    });
    const documents = ['{"id":"a","n":5}', '{"id":"b","n":3}', '{"id":"c","n":4,"d":1.0}', '{"id":', '{"n":1}'];
    const { results, problems } = await harness.preview(config, { documents });
    expect(problems).toEqual([]);
    expect(results).toMatchObject([
      { input: documents[0], documents: [], dropped: ['a'] },
      { documents: [], failure: { stage: 'stage_2', message: 'document 3 is not liked' } },
      { documents: ['{"id":"c-0","n":4}', '{"id":"c-1","n":4}', '{"id":"c-2","n":4}', '{"id":"c","n":4,"d":1.0}'] },
      { documents: [], failure: { code: 'HR_DOCUMENT_SYNTAX' } },
      { documents: [], failure: { code: 'HR_DOCUMENT_NO_ID' } },
    ]);
  });

  it.each([false, true])('fails a document on which a stage computes without end; traced: %s', async (trace) => {
    for (const kind of ['drop', 'wait', 'concurrent']) {
      const config = configOf({
        stages: `{class: Trouble, kind: ${kind}, every: 100}, {class: Trouble, name: slow, kind: hang, at: 5}`,
        rest: 'worker { maxProcessingSecs: 1 }',
      });
      const documents = ['{"id":"a","n":5}', '{"id":"b","n":1}'];
      const { results } = await harness.preview(config, { documents, trace });
      expect(results).toMatchObject([
        { documents: [], failure: { stage: 'slow', code: 'HR_STAGE_OVERDUE' } },
        { documents: ['{"id":"b","n":1}'] },
      ]);
    }
  });

  it('takes the first documents of the connectors when none are given', async () => {
    const { results } = await harness.preview(
      configOf({ connector: 'class: CountConnector, count: 0, endless: true' }),
      {
        limit: 3,
      },
    );
    expect(results.map((result) => result.documents)).toEqual([
      ['{"id":"0","n":0}'],
      ['{"id":"1","n":1}'],
      ['{"id":"2","n":2}'],
    ]);
  });

  it('collapses as a run does', async () => {
    writeFileSync(
      `${harness.directory}/p.jsonl`,
      '{"id":"a","x":1}\n{"id":"a","x":2}\n{"id":"b"}\n{"id":"b","x":3}\n{"id":"c"}\n',
    );
    const connector = `class: JSONConnector, jsonPath: "${harness.directory}/p.jsonl", collapse: true`;
    const { results } = await harness.preview(configOf({ connector }), { limit: 2 });
    expect(results.map((result) => result.documents)).toEqual([['{"id":"a","x":[1,2]}'], ['{"id":"b","x":3}']]);
  });

  it('fails at once when a stage ends the thread', async () => {
    const exiting = harness.preview(configOf({ stages: '{class: Trouble, kind: exit}' }), {
      documents: ['{"id":"a","n":0}'],
    });
    await expect(exiting).rejects.toMatchObject({ code: 'HR_RUN_THREAD_LOST' });
  });

  it('tells of a config with errors, and of a pipeline that is not there', async () => {
    expect((await harness.preview(configOf({ stages: '{class: Nothing}' }))).problems).toHaveLength(1);
    const { problems } = await harness.preview(configOf({}), { pipeline: 'q', documents: [] });
    expect(problems).toMatchObject([{ code: 'HR_CONFIG_MISSING_PIPELINE', hint: 'Did you mean p?' }]);
  });

  it('shows each document after each stage when asked', async () => {
    const config = configOf({
      stages: `{class: SetStaticValues, name: set, staticValues {a: 1}, conditions: [{fields: [n], values: [4]}]},
        {class: Trouble, name: drop, kind: drop, at: 5}, {class: Trouble, name: throw, kind: throw, at: 3},
        {class: Trouble, name: make, kind: children, at: 4}, {class: TrimWhitespace, name: trim, fields: [x]}`,
    });
    const documents = ['{"id":"a","n":5}', '{"id":"b","n":3}', '{"id":"c","n":4,"d":1.0}'];
    const traced = await harness.preview(config, { documents, trace: true });
    const plain = await harness.preview(config, { documents });
    expect(traced.results.map(({ trace: _, ...rest }) => rest)).toEqual(plain.results);
    const [a, b, c] = traced.results.map(({ trace }) => trace);
    expect(a).toEqual([
      { stage: 'set', class: 'SetStaticValues', skipped: 'condition' },
      { stage: 'drop', class: 'Trouble', dropped: true },
    ]);
    expect(b?.at(-1)).toEqual({
      stage: 'throw',
      class: 'Trouble',
      failure: { code: 'HR_STAGE_FAILED', message: 'document 3 is not liked' },
    });
    expect(c?.[0]).toEqual({ stage: 'set', class: 'SetStaticValues', document: '{"id":"c","n":4,"d":1.0,"a":1}' });
    const made = c?.find(({ stage }) => stage === 'make')?.children ?? [];
    expect(made.map(({ document }) => document)).toEqual(plain.results[2]?.documents.slice(0, -1));
    expect(made[0]?.trace).toEqual([{ stage: 'trim', class: 'TrimWhitespace', unchanged: true }]);
  });

  it('ends with the signal', async () => {
    const client = new AbortController();
    const hanging = harness.preview(
      configOf({ stages: '{class: Trouble, kind: hang}' }),
      { documents: ['{"id":"a","n":0}'] },
      30_000,
      client.signal,
    );
    client.abort();
    await expect(hanging).rejects.toMatchObject({ code: 'HR_RUN_CANCELLED' });
  });

  it('is ended when it takes too long', async () => {
    const hanging = harness.preview(
      configOf({ stages: '{class: Trouble, kind: hang}' }),
      // Each of them has a third of the time.
      { documents: Array.from({ length: 5 }, (_, n) => `{"id":"${n}","n":${n}}`) },
      700,
    );
    await expect(hanging).rejects.toMatchObject({ code: 'HR_RUN_CANCELLED' });
  });
});
