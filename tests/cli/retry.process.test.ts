import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configFiles, SEQUENCE } from './fixtures.ts';
import { directoryWith, headrace, installHeadrace } from './headrace.ts';

function prepare(stages: string): string {
  const cwd = directoryWith(configFiles(SEQUENCE, stages));
  installHeadrace(cwd);
  return cwd;
}

const idsIn = (cwd: string, file: string) =>
  readFileSync(join(cwd, file), 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line).id as string]));

it('writes failed documents to a file, and processes them again with a corrected config', async () => {
  const cwd = prepare('{ class: "./misbehaving.js#FailOn", ids: ${bad} }\n');
  const list = (ids: string) =>
    writeFileSync(join(cwd, 'a.conf'), `${readFileSync(join(cwd, 'a.conf'))}\nbad = ${ids}\n`);
  list('["1", "3"]');
  const first = await headrace(['run', 'a.conf', '--failures', 'failed.jsonl'], { cwd });
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('2 docs FAILED') });
  const lines = readFileSync(join(cwd, 'failed.jsonl'), 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    ['1', '3'].map((id) => ({
      id,
      connector: 'source',
      pipeline: 'main',
      at: 'stage_1',
      code: 'HR_STAGE_FAILED',
      message: `I do not like ${id}`,
      processed: false,
      document: { id },
    })),
  );
  expect(idsIn(cwd, 'out.jsonl')).toEqual(['0', '2', '4']);

  list('["3"]');
  const again = await headrace(['run', 'a.conf', '--retry', 'failed.jsonl', '--failures', 'still.jsonl'], { cwd });
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('1 docs succeeded. 1 docs FAILED.') });
  // The retry appends to the output of the first run.
  expect(idsIn(cwd, 'out.jsonl')).toEqual(['0', '2', '4', '1']);
  expect(idsIn(cwd, 'still.jsonl')).toEqual(['3']);
});

it('writes every failed document, even if there are many', async () => {
  const cwd = prepare('{ class: "./misbehaving.js#FailOn", ids: [] }\n');
  const rows = Array.from(
    { length: 3000 },
    (_, i) => `{"id":"r${i}","connector":"source","document":{"id":"r${i}","n":1}}`,
  );
  writeFileSync(join(cwd, 'many.jsonl'), `${rows.join('\n')}\n`);
  const bad = { class: './misbehaving.js#FailOn', ids: Array.from({ length: 3000 }, (_, i) => `r${i}`) };
  const config = readFileSync(join(cwd, 'a.conf'), 'utf8');
  writeFileSync(
    join(cwd, 'a.conf'),
    config.replace('{ class: "./misbehaving.js#FailOn", ids: [] }', JSON.stringify(bad)),
  );
  const run = await headrace(['run', 'a.conf', '--retry', 'many.jsonl', '--failures', 'failed.jsonl'], { cwd });
  expect(run).toMatchObject({ code: 1, stdout: expect.stringContaining('3000 docs FAILED') });
  expect(run.stdout).not.toContain('not kept');
  expect(idsIn(cwd, 'failed.jsonl')).toEqual(bad.ids);
});

it('leaves an empty file of failed documents if none failed', async () => {
  const cwd = prepare('');
  writeFileSync(join(cwd, 'failed.jsonl'), 'of another run\n');
  expect(await headrace(['run', 'a.conf', '--failures', 'failed.jsonl'], { cwd })).toMatchObject({ code: 0 });
  expect(readFileSync(join(cwd, 'failed.jsonl'), 'utf8')).toBe('');
});

it('keeps the old failures file until a document fails or the run succeeds', async () => {
  const cwd = prepare('');
  const old = '{"id":"1","connector":"source","document":{"id":"1"}}\n';
  writeFileSync(join(cwd, 'failed.jsonl'), old);
  writeFileSync(
    join(cwd, 'bad.conf'),
    'connectors: [{ class: SequenceConnector, name: c, pipeline: none, numDocs: 1 }]',
  );
  writeFileSync(join(cwd, 'stranger.jsonl'), '{"id":"1","connector":"stranger","document":{"id":"1"}}\n');
  for (const args of [['bad.conf'], ['a.conf', '--retry', 'stranger.jsonl']]) {
    expect((await headrace(['run', ...args, '--failures', 'failed.jsonl'], { cwd })).code).not.toBe(0);
    expect(readFileSync(join(cwd, 'failed.jsonl'), 'utf8')).toBe(old);
  }
});

it('reads a file of failed documents line by line, even if a line is long', async () => {
  const cwd = prepare('');
  // Longer than one read, with multi-byte characters and a character that only resembles a line break.
  const text = 'é\u2028😀'.repeat(30_000);
  const lines = ['a', 'b'].map((id) => JSON.stringify({ id, connector: 'source', document: { id, text } }));
  writeFileSync(join(cwd, 'long.jsonl'), lines.join('\n\n'));
  expect(await headrace(['run', 'a.conf', '--retry', 'long.jsonl'], { cwd })).toMatchObject({ code: 0 });
  const written = readFileSync(join(cwd, 'out.jsonl'), 'utf8').trimEnd().split('\n');
  expect(written.map((line) => JSON.parse(line).text)).toEqual([text, text]);
});

it('rejects files that it cannot use before the run starts', async () => {
  const cwd = prepare('');
  writeFileSync(join(cwd, 'bad.jsonl'), '{"id":"1","connector":"source","document":{"id":"1"}}\nnonsense\n');
  const invalid = await headrace(['run', 'a.conf', '--retry', 'bad.jsonl'], { cwd });
  expect(invalid).toMatchObject({ code: 2, stderr: expect.stringContaining('Failed document 2: it is not JSON') });
  for (const [args, message] of [
    [['--retry', 'none.jsonl'], 'The failed documents of none.jsonl cannot be read: ENOENT'],
    [['--retry', 'bad.jsonl', '--failures', './bad.jsonl'], '--retry and --failures need different files'],
    [['--failures', 'none/failed.jsonl'], 'cannot be written to none/failed.jsonl: ENOENT'],
  ] as const) {
    const outcome = await headrace(['run', 'a.conf', ...args], { cwd });
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  }
  expect(existsSync(join(cwd, 'out.jsonl'))).toBe(false);
  expect(readFileSync(join(cwd, 'bad.jsonl'), 'utf8')).toContain('nonsense');
});

it('adds failed documents to the file if the run marks its source as read', async () => {
  const cwd = directoryWith({
    'a.conf': `
      connectors: [{ class: CSVConnector, name: c, pipeline: p, path: "in.csv", idField: id, moveToAfterProcessing: done }]
      pipelines: [{ name: p, stages: [{ class: ApplyJavascript, script: "if (doc.d == 'bad') throw new Error('no')" }] }]
      indexer { type: Nop }`,
  });
  for (const [i, id] of ['a', 'b', 'c'].entries()) {
    writeFileSync(join(cwd, 'in.csv'), `id,d\n${id},${i === 1 ? 'good' : 'bad'}\n`);
    await headrace(['run', 'a.conf', '--failures', 'failed.jsonl'], { cwd });
    expect(existsSync(join(cwd, 'in.csv'))).toBe(false);
    renameSync(join(cwd, 'done/in.csv'), join(cwd, `done/${i}.csv`));
    // A killed run may leave a part of a line.
    if (i === 0) appendFileSync(join(cwd, 'failed.jsonl'), '{"id":"torn');
  }
  expect(idsIn(cwd, 'failed.jsonl')).toEqual(['a', 'c']);
});
