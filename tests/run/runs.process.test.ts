import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { firstIds, recorded } from './recorded-batches.ts';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

describe('a run', () => {
  it('sends every document to the indexer in order, and counts it', async () => {
    const { config, ids } = recorded(harness, { connector: 'class: CountConnector, count: 2500' });
    const result = await harness.run(config);
    expect(accountsOf(result)).toEqual({ published: 2500, created: 0, succeeded: 2500, failed: 0, dropped: 0 });
    expect(result.status).toBe('SUCCEEDED');
    expect(result.message.replace(/\d+\.\d\d secs/, 'T secs')).toBe(
      '\n\nRUN SUMMARY: Success. 1/1 connectors complete. All published docs succeeded.\n\n' +
        'c: complete. 2500 docs succeeded. 0 docs failed. 0 docs dropped. Time: T secs.\n',
    );
    expect(ids()).toEqual(firstIds(2500));
  });

  it.each([1, 2, 4])('keeps the order with %i threads, even if stages wait for different times', async (threads) => {
    const { config, ids } = recorded(harness, {
      connector: 'class: CountConnector, count: 3000, pad: 2000',
      stages: '{class: Trouble, kind: concurrent, millis: 3}, {class: Trouble, kind: wait, every: 97, millis: 5}',
      rest: `worker { threads: ${threads} }`,
    });
    accountsOf(await harness.run(config));
    expect(ids()).toEqual(firstIds(3000));
  });

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

  it('sends children before their parent, and counts them', async () => {
    const { config, ids } = recorded(harness, {
      connector: 'class: CountConnector, count: 2',
      stages: '{class: Trouble, kind: children}, {class: Trouble, kind: children, every: 2}',
    });
    const counts = accountsOf(await harness.run(config));
    expect(counts).toMatchObject({ published: 2, created: 18, succeeded: 20 });
    const family = (id: string) =>
      [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => `${id}-${i}-${j}`).concat(`${id}-${i}`));
    expect(ids()).toEqual([...family('0'), '0-0', '0-1', '0-2', '0', '1-0', '1-1', '1-2', '1']);
  });

  it('fails only the document that a stage rejects, with the reason', async () => {
    const { config, ids } = recorded(harness, { stages: '{class: Trouble, name: picky, kind: throw, every: 4}' });
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

  it('fails a document if a stage never finishes it, and continues', async () => {
    const { config, ids } = recorded(harness, {
      stages: '{class: Trouble, kind: children, every: 4}, {class: Trouble, name: slow, kind: hang, at: 5}',
      rest: 'worker { maxProcessingSecs: 1 }',
    });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 10, created: 9, succeeded: 18, failed: 1 });
    expect(result.failures).toMatchObject([{ id: '5', at: 'slow', failure: { code: 'HR_STAGE_OVERDUE' } }]);
    expect(ids().filter((id) => !id.includes('-'))).toEqual(firstIds(10).filter((id) => id !== '5'));
  });

  it('fails three documents that a stage never finishes, each with its reason', async () => {
    const { config, ids } = recorded(harness, {
      connector: 'class: CountConnector, count: 600',
      stages: '{class: Trouble, name: slow, kind: hang, every: 250}',
      rest: 'worker { maxProcessingSecs: 1, threads: 1 }',
    });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 600, succeeded: 597, failed: 3 });
    expect(result.failures.map(({ id, at, failure }) => `${id} ${at} ${failure.code}`)).toEqual(
      [0, 250, 500].map((id) => `${id} slow HR_STAGE_OVERDUE`),
    );
    expect(ids()).toEqual(firstIds(600).filter((id) => Number(id) % 250 !== 0));
  });

  it('processes the documents before and after an aborted one once, including invalid records', async () => {
    const path = `${harness.directory}/mixed.csv`;
    const text = (i: number) => ([7, 333, 334].includes(i) ? 'a'.repeat(60) : `t${i}`);
    const rows = Array.from({ length: 900 }, (_, i) => (i % 100 === 50 ? `${i},1,2,3` : `${i},${text(i)}`));
    writeFileSync(path, `n,text\n${rows.join('\n')}\n`);
    const { config, ids } = recorded(harness, {
      connector: `class: CSVConnector, path: "${path}", idField: n`,
      stages:
        '{class: TrimWhitespace, fields: [text]}, {class: ApplyRegex, source: [text], dest: [found], regex: "(a+)+b"}',
      rest: 'worker { maxProcessingSecs: 1, threads: 1 }',
    });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 900, succeeded: 888, failed: 12 });
    expect(result.failures.filter(({ failure }) => failure.code === 'HR_STAGE_OVERDUE').map(({ id }) => id)).toEqual([
      '7',
      '333',
      '334',
    ]);
    const failed = new Set(['7', '333', '334']);
    expect(ids()).toEqual(firstIds(900).filter((id) => !failed.has(id) && Number(id) % 100 !== 50));
  });

  it.each(['concurrent', 'wait'])('processes documents once if another stage waits: %s', async (kind) => {
    const { config, ids } = recorded(harness, {
      stages: `{class: Trouble, kind: ${kind}, millis: 2}, {class: Trouble, name: slow, kind: hang, at: 5}`,
      rest: 'worker { maxProcessingSecs: 1 }',
    });
    const result = await harness.run(config);
    expect(result.failures).toMatchObject([{ id: '5', at: 'slow', failure: { code: 'HR_STAGE_OVERDUE' } }]);
    expect(accountsOf(result)).toMatchObject({ succeeded: 9, failed: 1 });
    expect(ids()).toEqual(firstIds(10).filter((id) => id !== '5'));
  });

  it('does not abort slow stages, in tables and in single documents', async () => {
    const path = `${harness.directory}/slow.csv`;
    writeFileSync(path, `text\n${Array.from({ length: 400 }, (_, i) => `t${i}`).join('\n')}\n`);
    const { config, ids } = recorded(harness, {
      connector: `class: CSVConnector, path: "${path}"`,
      stages: '{class: TrimWhitespace, fields: [text]}, {class: Trouble, kind: compute, millis: 6}',
      rest: 'worker { maxProcessingSecs: 1, threads: 1 }',
    });
    const result = await harness.run(config);
    expect(result.failures).toEqual([]);
    expect(accountsOf(result)).toMatchObject({ published: 400, succeeded: 400 });
    expect(ids()).toEqual(Array.from({ length: 400 }, (_, i) => `slow.csv-${i + 1}`));
  });

  it('removes the children of a document that is aborted', async () => {
    const { config, ids } = recorded(harness, {
      connector: 'class: CountConnector, count: 4',
      stages: '{class: Trouble, kind: endless, at: 2}',
      rest: 'worker { maxProcessingSecs: 1 }',
    });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 4, created: 0, succeeded: 3, failed: 1 });
    expect(ids()).toEqual(['0', '1', '3']);
  });

  it.each(['', ', {class: Trouble, kind: concurrent}'])(
    'sends the children of one document while it creates more (%s)',
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
      // The indexer has at most 16 MiB waiting, and a few documents are in flight.
      expect((JSON.parse(last as string) as { written: number }).written).toBeGreaterThan(512);
      expect(JSON.parse(parent as string)).toMatchObject({ id: '0' });
    },
  );

  it('aborts a document that creates children without end', async () => {
    const { config } = recorded(harness, {
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

  it('slows down waiting stages if the indexer is slow', async () => {
    const { config, ids } = recorded(harness, {
      connector: 'class: CountConnector, count: 3000, pad: 20000',
      stages: '{class: Trouble, kind: concurrent, millis: 1}',
      options: 'millis: 1',
      rest: 'worker { threads: 1 }, publisher { queueCapacity: 500 }',
    });
    expect(accountsOf(await harness.run(config))).toMatchObject({ succeeded: 3000 });
    expect(ids()).toEqual(firstIds(3000));
  });

  it('fails only the row of a table on which a regular expression never ends', async () => {
    const path = `${harness.directory}/regex.csv`;
    writeFileSync(
      path,
      `text\n${Array.from({ length: 50 }, (_, i) => (i === 7 || i === 30 ? 'a'.repeat(60) : `t${i}`)).join('\n')}\n`,
    );
    const { config, ids } = recorded(harness, {
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

  it('names the field with an invalid value of a stage', async () => {
    const { config } = recorded(harness, { stages: '{class: Trouble, kind: object, every: 9}' });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ succeeded: 8, failed: 2 });
    expect(result.failures[0]?.failure).toMatchObject({
      code: 'HR_DOCUMENT_TYPE',
      message: 'Field "odd" cannot hold this value (Object)',
    });
  });

  it('counts dropped documents, and does not report that nothing was published', async () => {
    const { config, ids } = recorded(harness, { stages: '{class: Trouble, kind: drop}' });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 10, dropped: 10, succeeded: 0 });
    expect(result.message).toContain('All published docs were dropped.');
    expect(result.message).toContain('c: complete. 0 docs succeeded. 0 docs failed. 10 docs dropped.');
    expect(ids()).toEqual([]);
  });

  it('merges consecutive documents with one id if collapse is on', async () => {
    writeFileSync(
      `${harness.directory}/c.jsonl`,
      '{"id":"a","x":1}\n{"id":"a","x":2}\n{"id":"b","x":3}\n{"id":"a","x":4}\n',
    );
    const { config, ids } = recorded(harness, {
      connector: `class: JSONConnector, jsonPath: "${harness.directory}/c.jsonl", collapse: true`,
    });
    const result = await harness.run(config);
    expect(accountsOf(result)).toMatchObject({ published: 3, succeeded: 3 });
    expect(result.connectors[0]?.received).toBe(4);
    expect(ids()).toEqual(['a', 'b', 'a']);
  });

  it('adds the run id to documents and children', async () => {
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
  it('contain batchSize documents, 100 by default, and the last one contains the rest', async () => {
    const { config, batches } = recorded(harness, { connector: 'class: CountConnector, count: 250' });
    await harness.run(config);
    expect(batches().map((batch) => batch.length)).toEqual([100, 100, 50]);
    const small = recorded(harness, { connector: 'class: CountConnector, count: 7', indexer: 'batchSize: 3' });
    await harness.run(small.config);
    expect(small.batches().map((batch) => batch.length)).toEqual([3, 3, 1]);
  });

  it('end before they exceed batchByteSize, but one document is sent at any size', async () => {
    // An id of one digit takes two bytes, including the line break.
    const { config, batches } = recorded(harness, { indexer: 'batchByteSize: 5' });
    await harness.run(config);
    expect(batches().map((batch) => batch.length)).toEqual([2, 2, 2, 2, 2]);
    const tiny = recorded(harness, { indexer: 'batchByteSize: 1' });
    await harness.run(tiny.config);
    expect(tiny.batches().map((batch) => batch.length)).toEqual(new Array(10).fill(1));
  });

  it('are sent early if no more documents can arrive', async () => {
    const { config, ids } = recorded(harness, {
      connector: 'class: CountConnector, count: 25000',
      indexer: 'batchSize: 20000, batchTimeout: 3600000',
    });
    expect(accountsOf(await harness.run(config))).toMatchObject({ succeeded: 25000 });
    expect(ids()).toEqual(firstIds(25000));
    const large = recorded(harness, {
      connector: 'class: CountConnector, count: 12000, pad: 3000',
      indexer: 'batchByteSize: 100000000, batchTimeout: 3600000',
    });
    expect(accountsOf(await harness.run(large.config))).toMatchObject({ succeeded: 12000 });
  });

  it('are sent if no document arrives for batchTimeout', async () => {
    const { config, batches, ids } = recorded(harness, {
      stages: '{class: Trouble, kind: wait, millis: 200}',
      indexer: 'batchTimeout: 1, batchSize: 1000000',
    });
    accountsOf(await harness.run(config));
    expect(batches().length).toBeGreaterThan(1);
    expect(ids()).toEqual(firstIds(10));
  });
});
