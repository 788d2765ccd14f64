import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { accountsOf, configOf, RunHarness } from './run-harness.ts';

const harness = new RunHarness();
afterAll(() => harness.close());

it('a run fails if another run writes the same output, and leaves that output unchanged', async () => {
  const path = join(harness.directory, 'shared.jsonl');
  const rest = `jsonl { path: "${path}" }`;
  const indexer = 'type: JSONLines';
  const first = harness.start(configOf({ connector: 'class: CountConnector, count: 1, endless: true', indexer, rest }));
  await expect.poll(() => statSync(path, { throwIfNoEntry: false })?.size ?? 0).toBeGreaterThan(0);
  const second = await harness.run(configOf({ indexer, rest }));
  expect(second.status).toBe('FAILED');
  expect(second.problems).toEqual([
    expect.objectContaining({
      code: 'HR_INDEXER_CONNECT',
      message: `Indexer could not connect: Cannot write to ${path}: another run is writing it`,
      hint: expect.stringContaining('overlap: queue'),
    }),
  ]);
  first.stop('CANCELLED');
  const { succeeded } = accountsOf(await first.done);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).id)).toEqual(lines.map((_, i) => String(i)));
  expect(lines).toHaveLength(succeeded);
  expect((await harness.run(configOf({ indexer, rest }))).status).toBe('SUCCEEDED');
});

it('an output among the source files is neither read nor moved by the run that writes it', async () => {
  const folder = join(harness.directory, 'among');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.txt'), 'a');
  const done = join(harness.directory, 'done');
  const config = configOf({
    connector: `class: FileConnector, paths: ["${folder}"], fileOptions { moveToAfterProcessing: "${done}" }`,
    indexer: 'type: JSONLines',
    rest: `jsonl { path: "${folder}/out.jsonl" }`,
  });
  const result = await harness.run(config);
  expect(accountsOf(result)).toMatchObject({ succeeded: 1, failed: 0 });
  expect(result.problems).toEqual([
    expect.objectContaining({
      severity: 'warning',
      path: 'jsonl.path',
      line: 4,
      message: expect.stringContaining('c reads'),
    }),
  ]);
  expect(readFileSync(join(folder, 'out.jsonl'), 'utf8')).toContain('/among/a.txt"');
  expect(readdirSync(done)).toEqual(['a.txt']);
});

it('a run writes the texts of JSON Lines with and without escapes', async () => {
  const path = join(harness.directory, 'texts.jsonl');
  const special = ['"', '\\', '\n', '\t', '\u{1f600}', 'plain', ''];
  // The first half of the file has no escapes. The columns of a table have texts, numbers, lists or several of these.
  const objects = Array.from({ length: 4000 }, (_, i) => ({
    id: `${i}`,
    a: i < 2000 ? `value ${i}` : (special[i % special.length] as string),
    b: [i, 'x', ['x', 'y']][i % 3],
    ...(i % 5 === 0 ? {} : { c: 'c' }),
  }));
  writeFileSync(path, objects.map((object) => `${JSON.stringify(object)}\n`).join(''));
  const run = async (type: string, rest: string, indexer = '') => {
    const out = join(harness.directory, `texts.${type}`);
    const result = await harness.run(
      configOf({
        connector: `class: JSONConnector, jsonPath: "${path}"`,
        stages: '{ class: CopyFields, fieldMapping { a: ["d"] } }, { class: RenameFields, fieldMapping { c: e } }',
        indexer: `type: ${type}${indexer}`,
        rest: rest.replace('OUT', out),
      }),
    );
    expect(accountsOf(result)).toMatchObject({ succeeded: 4000, failed: 0 });
    return readFileSync(out, 'utf8');
  };
  const json = await run('JSONLines', 'jsonl { path: "OUT" }', ', blacklist: ["run_id"]');
  const expected = objects.map(({ id, a, b, c }) => ({ id, a, b, d: a, ...(c === undefined ? {} : { e: c }) }));
  expect(
    json
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(expected);
  const csv = await run('CSV', 'csv { path: "OUT", columns: ["id", "a", "e"], includeHeader: false }');
  const cell = (text: string | undefined) => (text === undefined ? '' : `"${text.replaceAll('"', '""')}"`);
  expect(csv).toBe(objects.map(({ id, a, c }) => `${[id, a, c].map(cell).join(',')}\n`).join(''));
});
