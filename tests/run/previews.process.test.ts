import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

describe('a dry run', () => {
  it('writes every document that would reach the indexer, and does not open the destination', async () => {
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
  it('does not change the sources', async () => {
    const { directory } = harness;
    const source = `${directory}/moved.csv`;
    const connector = `class: CSVConnector, path: "${source}", emptyColumns: fail, moveToErrorFolder: "${directory}/bad"`;
    writeFileSync(source, 'a,\n1,2\n');
    const { problems } = await harness.preview(configOf({ connector }));
    expect(problems).toHaveLength(1);
    expect(readFileSync(source, 'utf8')).toBe('a,\n1,2\n');
  });

  it.each([true, false])('writes no files of stages (one for each thread: %s)', async (appendThreadName) => {
    const { directory } = harness;
    const outputFile = `${directory}/printed-${appendThreadName}.jsonl`;
    const files = [outputFile, outputFile.replace('.jsonl', 'preview.jsonl')] as const;
    for (const file of files) writeFileSync(file, 'old\n');
    const stages = `{class: Print, outputFile: "${outputFile}", appendThreadName: ${appendThreadName}}`;
    const { results, problems } = await harness.preview(configOf({ stages }), { documents: ['{"id":"a"}'] });
    expect(problems).toEqual([]);
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(['old\n', 'old\n']);
    expect(results[0]?.log?.map(({ message }) => message)).toEqual([
      `${outputFile} is not written in a preview`,
      '{"id":"a"}',
    ]);
  });

  it('shows an unreadable record as JSON, like all other records', async () => {
    const path = `${harness.directory}/ragged.csv`;
    writeFileSync(path, 'a,b\n1,2\n3\n');
    const { results } = await harness.preview(configOf({ connector: `class: CSVConnector, path: "${path}"` }));
    expect(results.map(({ input }) => JSON.parse(input))).toEqual([expect.objectContaining({ a: '1' }), `${path}:3`]);
    expect(results[1]?.failure).toMatchObject({ stage: 'c', code: 'HR_RECORD_UNREADABLE' });
  });

  it('returns the pipeline output for given documents', async () => {
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

  it.each([false, true])('fails a document if a stage never finishes it (traced: %s)', async (trace) => {
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

  it('uses the first documents of the connectors if none are given', async () => {
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

  it('merges documents with the same id, as a run does', async () => {
    writeFileSync(
      `${harness.directory}/p.jsonl`,
      '{"id":"a","x":1}\n{"id":"a","x":2}\n{"id":"b"}\n{"id":"b","x":3}\n{"id":"c"}\n',
    );
    const connector = `class: JSONConnector, jsonPath: "${harness.directory}/p.jsonl", collapse: true`;
    const { results } = await harness.preview(configOf({ connector }), { limit: 2 });
    expect(results.map((result) => result.documents)).toEqual([['{"id":"a","x":[1,2]}'], ['{"id":"b","x":3}']]);
  });

  it('fails immediately if a stage ends the thread', async () => {
    const exiting = harness.preview(configOf({ stages: '{class: Trouble, kind: exit}' }), {
      documents: ['{"id":"a","n":0}'],
    });
    await expect(exiting).rejects.toMatchObject({ code: 'HR_RUN_THREAD_LOST' });
  });

  it('reports a config with errors, and a pipeline that does not exist', async () => {
    expect((await harness.preview(configOf({ stages: '{class: Nothing}' }))).problems).toHaveLength(1);
    const { problems } = await harness.preview(configOf({}), { pipeline: 'q', documents: [] });
    expect(problems).toMatchObject([{ code: 'HR_CONFIG_MISSING_PIPELINE', hint: 'Did you mean p?' }]);
  });

  it('shows each document after each stage if a trace is requested', async () => {
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
    // How long a stage worked on a document. A stage that was not called has no time.
    const millis = expect.any(Number);
    expect(a).toEqual([
      { stage: 'set', class: 'SetStaticValues', skipped: 'condition' },
      { stage: 'drop', class: 'Trouble', millis, dropped: true },
    ]);
    expect(b?.at(-1)).toEqual({
      stage: 'throw',
      class: 'Trouble',
      millis,
      failure: { code: 'HR_STAGE_FAILED', message: 'document 3 is not liked' },
    });
    expect(c?.[0]).toEqual({
      stage: 'set',
      class: 'SetStaticValues',
      millis,
      document: '{"id":"c","n":4,"d":1.0,"a":1}',
    });
    const made = c?.find(({ stage }) => stage === 'make')?.children ?? [];
    expect(made.map(({ document }) => document)).toEqual(plain.results[2]?.documents.slice(0, -1));
    expect(made[0]?.trace).toEqual([{ stage: 'trim', class: 'TrimWhitespace', millis, unchanged: true }]);
  });

  it('ends when its signal is aborted', async () => {
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

  it('ends with the finished documents if it takes too long', async () => {
    const hanging = harness.preview(
      configOf({ stages: '{class: Trouble, kind: hang}' }),
      // Each document may use a third of the time.
      { documents: Array.from({ length: 5 }, (_, n) => `{"id":"${n}","n":${n}}`) },
      700,
    );
    await expect(hanging).rejects.toMatchObject({ code: 'HR_RUN_CANCELLED' });
  });
});
