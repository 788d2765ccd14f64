import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type KeptFailure, writeFailureLine } from '@headrace/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

let files = 0;
const newPath = (suffix = '') => `${harness.directory}/failures-${++files}${suffix}`;

/** Returns the config of an indexer that writes a line for each batch. */
const toFile = (path: string, options = '') => ({
  indexer: 'class: BatchFileIndexer',
  rest: `batchfile { path: "${path}", ${options} }`,
});

const idsIn = (path: string) =>
  readFileSync(path, 'utf8')
    .split(/\s+/)
    .filter((id) => id !== '');

async function failuresOf(config: string) {
  const result = await harness.run(config);
  return {
    result,
    failures: harness.failures.filter(({ runId }) => runId === harness.lastRunId).map(({ kept }) => kept),
  };
}

const retry = (config: string, failures: readonly KeptFailure[]) =>
  harness.run(config, { retry: failures.map(writeFailureLine) });

const inputOf = ({ document }: KeptFailure) => (document?.kind === 'input' ? document.json : undefined);

describe('a document that fails in a stage', () => {
  it('is stored as the source published it, without the changes of earlier stages', async () => {
    const path = newPath('.csv');
    const rows = Array.from({ length: 3000 }, (_, i) => `r${i}, a ${i} ,"1.0"`);
    writeFileSync(path, `key,text,n\n${rows.join('\n')}\n`);
    const config = configOf({
      connector: `class: CSVConnector, path: "${path}", idField: key`,
      stages: `{class: TrimWhitespace, fields: [text]}, {class: RenameFields, fieldMapping: {text: title}}
        {class: Refuse, name: picky, ids: [r7, r2999]}`,
      ...toFile(newPath()),
    });
    const { result, failures } = await failuresOf(config);
    expect(accountsOf(result)).toMatchObject({ succeeded: 2998, failed: 2 });
    expect(failures).toMatchObject([
      { id: 'r7', connector: 'c', pipeline: 'p', at: 'picky', failure: { code: 'HR_STAGE_FAILED' } },
      { id: 'r2999', at: 'picky' },
    ]);
    const input = JSON.parse(inputOf(failures[0] as KeptFailure) as string);
    expect(input).toMatchObject({ id: 'r7', text: ' a 7 ', n: '1.0' });
    expect(input).not.toHaveProperty('title');
    expect(input).not.toHaveProperty('run_id');
    // The result lists failed documents without their content.
    expect(result.failures[0]).not.toHaveProperty('document');
  });

  it('is found among the documents of many small files, which are processed together', async () => {
    const folder = newPath();
    mkdirSync(folder);
    for (let i = 0; i < 50; i++) {
      const lines = [2 * i, 2 * i + 1].map((n) => JSON.stringify({ id: `r${n}`, n }));
      if (i === 30) lines.splice(1, 0, '{"id": broken');
      writeFileSync(`${folder}/${String(i).padStart(2, '0')}.jsonl`, `${lines.join('\n')}\n`);
    }
    const written = newPath();
    const { result, failures } = await failuresOf(
      configOf({
        connector: `class: FileConnector, paths: ["${folder}"], fileHandlers { json { idField: id } }`,
        stages: '{class: Trouble, name: picky, kind: throw, at: 41}, {class: Trouble, name: slow, kind: hang, at: 77}',
        ...toFile(written),
        rest: `batchfile { path: "${written}" }, worker { threads: 1, maxProcessingSecs: 1 }`,
      }),
    );
    expect(accountsOf(result)).toMatchObject({ published: 101, succeeded: 98, failed: 3 });
    // Files are read in the order of the folder.
    expect(failures.map(({ id, at }) => `${at} ${id.replace(/^.*\//, '')}`).sort()).toEqual([
      'connector 30.jsonl:2:8',
      'picky r41',
      'slow r77',
    ]);
    const slow = failures.find(({ at }) => at === 'slow');
    expect(JSON.parse(inputOf(slow as KeptFailure) as string)).toMatchObject({ id: 'r77', n: 77 });
    const others = Array.from({ length: 100 }, (_, n) => `r${n}`).filter((id) => id !== 'r41' && id !== 'r77');
    expect(idsIn(written).sort()).toEqual(others.sort());
  });

  it.each([
    ['waits', '{class: Trouble, kind: wait, millis: 2}'],
    ['is one of several in flight', '{class: Trouble, kind: concurrent, millis: 2}'],
    ['has children', '{class: Trouble, kind: children}'],
    [
      'has children, several in flight',
      '{class: Trouble, kind: concurrent, millis: 2}, {class: Trouble, kind: children}',
    ],
  ])('is distinguished from the other documents if it %s', async (_, stages) => {
    const { failures } = await failuresOf(
      configOf({
        connector: 'class: CountConnector, count: 600',
        stages: `${stages}, {class: Trouble, name: picky, kind: throw, every: 37}`,
        ...toFile(newPath()),
      }),
    );
    const expected = Array.from({ length: Math.ceil(600 / 37) }, (_, i) => ({ id: String(37 * i), n: 37 * i }));
    expect(failures.map((failure) => JSON.parse(inputOf(failure) as string))).toEqual(expected);
  });

  it('is stored if it exceeded the time limit', async () => {
    const { failures } = await failuresOf(
      configOf({
        connector: 'class: CountConnector, count: 20',
        stages: '{class: Trouble, kind: children, every: 4}, {class: Trouble, kind: hang, at: 5}',
        rest: 'worker { maxProcessingSecs: 1 }',
      }),
    );
    expect(failures).toMatchObject([{ id: '5', failure: { code: 'HR_STAGE_OVERDUE' } }]);
    expect(inputOf(failures[0] as KeptFailure)).toBe('{"id":"5","n":5}');
  });

  it('is stored if it cannot be encoded for the indexer', async () => {
    const { failures } = await failuresOf(
      configOf({
        stages: '{class: Trouble, kind: corrupt, at: 3}',
        indexer: 'type: JSONLines',
        rest: `jsonl { path: "${newPath('.jsonl')}" }`,
      }),
    );
    expect(failures).toMatchObject([{ id: '3', at: 'indexer', failure: { code: 'HR_DOCUMENT_TYPE' } }]);
    expect(inputOf(failures[0] as KeptFailure)).toBe('{"id":"3","n":3}');
  });

  it('is reported without its content and with a reason if the content is too large', async () => {
    const { failures } = await failuresOf(
      configOf({
        connector: 'class: CountConnector, count: 2, pad: 1100000',
        stages: '{class: Trouble, kind: throw, at: 1}',
      }),
    );
    expect(failures).toMatchObject([{ id: '1', omitted: expect.stringContaining('the limit is 1048576') }]);
    expect(failures[0]).not.toHaveProperty('document');
  });

  it('is stored for more documents than the result lists', async () => {
    const { result, failures } = await failuresOf(
      configOf({ connector: 'class: CountConnector, count: 1500', stages: '{class: Trouble, kind: throw}' }),
    );
    expect(accountsOf(result)).toMatchObject({ failed: 1500 });
    expect(result.failures).toHaveLength(1000);
    expect(result.message).not.toContain('not kept');
    expect(failures.map(({ id }) => id)).toEqual(Array.from({ length: 1500 }, (_, i) => String(i)));
    expect(failures.every((failure) => inputOf(failure) === `{"id":"${failure.id}","n":${failure.id}}`)).toBe(true);
  });
});

describe('all documents that fail', () => {
  it('are reported on request, from stages and from the indexer, without a limit', async () => {
    for (const [more, indexed] of [
      ['', { ...toFile(newPath(), 'throwFrom: 0'), stages: '' }],
      [', pad: 1100000', { stages: '{class: Trouble, kind: throw}' }],
    ] as const) {
      const count = more === '' ? 2500 : 70;
      const config = configOf({ connector: `class: CountConnector, count: ${count}${more}`, ...indexed });
      const result = await harness.run(config, { keepAllFailures: true });
      const failures = harness.failures.filter(({ runId }) => runId === harness.lastRunId).map(({ kept }) => kept);
      expect(failures.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, i) => String(i)));
      expect(failures.filter(({ document }) => document === undefined)).toEqual([]);
      expect(result.message).not.toContain('not kept');
      expect(result.failures.length).toBeLessThanOrEqual(1000);
    }
  });
});

describe('a document that fails at the indexer', () => {
  it('is stored as the indexer received it', async () => {
    const { failures } = await failuresOf(
      configOf({ connector: 'class: CountConnector, count: 300', ...toFile(newPath(), 'failIds: "77", throwFrom: 2') }),
    );
    expect(failures.slice(0, 3)).toMatchObject([
      { id: '77', at: 'indexer', failure: { message: '77 is refused' }, document: { kind: 'encoded', text: '77\n' } },
      { id: '177', document: { text: '177\n' } },
      { id: '200', failure: { message: 'the destination is gone' }, document: { text: '200\n' } },
    ]);
    expect(failures).toHaveLength(102);
  });

  it('is not stored with its content in streaming mode', async () => {
    const { failures } = await failuresOf(configOf(toFile(newPath(), 'stream: true, throwFrom: 0')));
    expect(failures).toHaveLength(10);
    expect(failures[0]).toMatchObject({ id: '0', omitted: expect.stringContaining('stream') });
  });
});

describe('failed documents that are processed again', () => {
  it('go through the pipeline without the connector if a stage failed', async () => {
    const broken = configOf({
      connector: 'class: CountConnector, count: 50',
      stages: '{class: Trouble, kind: throw, every: 10}',
    });
    const { failures } = await failuresOf(broken);
    const path = newPath();
    const mended = configOf({
      connector: 'class: CountConnector, count: 50, failIn: preExecute',
      stages: '{class: Trouble, kind: children, every: 20}',
      ...toFile(path),
    });
    const result = await retry(mended, failures);
    expect(accountsOf(result)).toEqual({ published: 5, created: 9, succeeded: 14, failed: 0, dropped: 0 });
    expect(result.status).toBe('SUCCEEDED');
    expect(idsIn(path).filter((id) => !id.includes('-'))).toEqual(['0', '10', '20', '30', '40']);
  });

  it('go to the indexer unchanged and without the stages if the indexer failed', async () => {
    const { failures } = await failuresOf(
      configOf({ connector: 'class: CountConnector, count: 300', ...toFile(newPath(), 'failIds: "7"') }),
    );
    const path = newPath();
    const mended = configOf({
      stages: '{class: Trouble, kind: throw}',
      ...toFile(path),
      rest: `publisher { maxPendingDocs: 4 }, batchfile { path: "${path}" }`,
    });
    const result = await retry(mended, failures);
    expect(accountsOf(result)).toEqual({ published: 30, created: 0, succeeded: 30, failed: 0, dropped: 0 });
    expect(idsIn(path)).toEqual(failures.map(({ id }) => id));
  });

  it('can fail again, and are stored again', async () => {
    const config = configOf({
      stages: '{class: Trouble, kind: throw, at: 4}',
      ...toFile(newPath(), 'failIds: "7"'),
    });
    const { failures } = await failuresOf(config);
    const again = await retry(config, failures);
    expect(accountsOf(again)).toMatchObject({ published: 2, failed: 2 });
    const kept = harness.failures.filter(({ runId }) => runId === harness.lastRunId).map((each) => each.kept);
    expect(kept).toEqual(failures);
  });

  it('keep bytes, whole doubles and long integers', async () => {
    const path = newPath('.jsonl');
    const json = '{"id":"x","whole":1.0,"long":12345678901234567890,"content":"aGk="}';
    const line = `{"id":"x","connector":"c","at":"s","binaryFields":["content"],"document":${json}}`;
    const config = configOf({
      stages: '{class: KindOf, field: content}',
      indexer: 'type: JSONLines',
      rest: `jsonl { path: "${path}" }`,
    });
    await harness.run(config, { retry: [line] });
    expect(readFileSync(path, 'utf8')).toContain('"whole":1.0,"long":12345678901234567890,"content":"aGk="');
    expect(readFileSync(path, 'utf8')).toContain('"kind":"bytes"');
  });

  it('are skipped with a warning if their content is unknown or the config has changed', async () => {
    const lines = [
      '{"id":"a.csv:3","connector":"c","at":"connector","code":"HR_RECORD_UNREADABLE","message":"bad"}',
      '{"id":"big","connector":"c","at":"s","omitted":"It is too large"}',
      '{"id":"1","connector":"gone","at":"s","document":{"id":"1"}}',
      '{"id":"2","connector":"c","at":"indexer","processed":true,"encoding":"0000","document":"2"}',
      '{"id":"3","connector":"c","at":"s","document":{"id":"3","n":3}}',
    ];
    const path = newPath();
    const result = await harness.run(configOf(toFile(path)), { retry: lines });
    expect(result.status).toBe('SUCCEEDED');
    expect(idsIn(path)).toEqual(['3']);
    expect(result.problems.map(({ severity, code, message }) => [severity, code, message])).toEqual(
      [
        'The record could not be read: a.csv:3',
        'It is too large: big',
        'The config has no connector gone: 1',
        'The documents were encoded for another indexer, or for other settings of this indexer: 2',
      ].map((reason) => ['warning', 'HR_RETRY_LEFT_OUT', `1 failed document is not run again. ${reason}`]),
    );
  });

  it('fail the run if none of them can be processed again', async () => {
    const line = '{"id":"2","connector":"c","at":"indexer","processed":true,"encoding":"0000","document":"2"}';
    const result = await harness.run(configOf({}), { retry: [line] });
    expect(result.status).toBe('FAILED');
    expect(result.problems).toMatchObject([{ severity: 'error', code: 'HR_RETRY_LEFT_OUT' }]);
  });

  it('are rejected with all invalid lines reported', async () => {
    const result = await harness.run(configOf({}), {
      retry: ['nonsense', '[]', '{"id":"1","connector":"c","document":{"title":"no id"}}', '{"id":"1"}'],
    });
    expect(result.status).toBe('FAILED');
    expect(result.problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringMatching(/^HR_RETRY_INVALID Failed document 1: it is not JSON: /),
      'HR_RETRY_INVALID Failed document 2: it is not a JSON object',
      'HR_RETRY_INVALID Failed document 3: "document.id" must be a non-empty string',
      'HR_RETRY_INVALID Failed document 4: "connector" must be a non-empty string',
    ]);
  });
});
