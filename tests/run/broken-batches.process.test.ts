import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness({ heapMb: 2048 });
afterAll(() => harness.close());

const BREAKS = 'the records cannot be read any further';

describe('a chunk that cannot be decoded completely', () => {
  it.each(['', '{class: Trouble, kind: wait, millis: 20}', '{class: Trouble, kind: concurrent, millis: 20}'])(
    'fails the run, and keeps the documents before the failure (stages: %j)',
    async (stages) => {
      const path = join(harness.directory, 'before.txt');
      const indexer = `class: BatchFileIndexer }\nbatchfile { path: "${path}"`;
      const result = await harness.run(configOf({ connector: 'class: BreakingConnector, count: 5', stages, indexer }));
      expect(result.status).toBe('FAILED');
      expect(result.problems[0]).toMatchObject({
        code: 'HR_SOURCE_UNREADABLE',
        message: expect.stringContaining(BREAKS),
      });
      expect(accountsOf(result)).toMatchObject({ published: 5, succeeded: 5 });
      expect(readFileSync(path, 'utf8').trim().split(/\s/)).toEqual(['0', '1', '2', '3', '4']);
    },
  );

  it('fails the run if no connector waits for it', async () => {
    const result = await harness.run(configOf({ connector: 'class: BreakingConnector, count: 0' }));
    expect(result.status).toBe('FAILED');
  });

  it('fails the run if its decoder does not exist', async () => {
    const connector = 'class: BreakingConnector, count: 5, decoder: BraekingDecoder';
    const result = await harness.run(configOf({ connector }));
    expect(result.status).toBe('FAILED');
    expect(result.problems[0]?.message).toContain('BraekingDecoder');
  });

  it('is not reported to its source as finished', async () => {
    const settledFile = join(harness.directory, 'settled.txt');
    const connector = `class: BreakingConnector, count: 5, settledFile: "${settledFile}"`;
    await harness.run(configOf({ connector, stages: '{class: Trouble, kind: wait, millis: 20}' }));
    expect(readFileSync(settledFile, 'utf8')).toContain(`rejected: ${BREAKS}`);
  });
});

it('a file with a record that takes too long to read is read again by the next run', async () => {
  const inbox = join(harness.directory, 'inbox');
  mkdirSync(inbox);
  const long = JSON.stringify({ id: 'long', numbers: Array.from({ length: 2_000_000 }, (_, i) => ({ i })) });
  writeFileSync(join(inbox, 'a.jsonl'), `{"id":"first"}\n${long}\n{"id":"last"}\n`);
  const connector = `class: FileConnector, paths: ["${inbox}"], fileHandlers { json {} }
    filterOptions { publishMode: incremental }, state { connectionString: "jdbc:sqlite:${harness.directory}/state.db" }`;
  const run = (seconds: number) =>
    harness.run(configOf({ connector, rest: `worker.maxProcessingSecs: ${seconds}` }), { trusted: true });
  const cut = await run(0.001);
  expect(cut).toMatchObject({
    status: 'FAILED',
    problems: [{ message: expect.stringContaining('maxProcessingSecs') }],
  });
  expect((await run(600)).counts).toMatchObject({ published: 3, succeeded: 3 });
});
