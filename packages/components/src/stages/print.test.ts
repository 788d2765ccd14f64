import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDefaults } from '@headrace/engine';
import { assertStageContract, makeStage, runStage, stageContext, toDocument } from '@headrace/engine/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Print } from './print.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headrace-print-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const documents = [{ id: '1', a: 1, b: ['é', null], run_id: 'r' }, '{"id":"2","a":1.0}'];

/** Returns the lines of the file after all documents. */
async function printed(params: Record<string, unknown> = {}): Promise<string> {
  const outputFile = join(folder, 'out.jsonl');
  await runStage(Print, { outputFile, appendThreadName: false, shouldLog: false, ...params }, documents);
  return readFileSync(outputFile, 'utf8');
}

describe('Print', () => {
  it('logs documents as JSON without changing them', async () => {
    const context = stageContext();
    const outcomes = await runStage(Print, { blacklist: ['b', 'id'] }, documents, context);
    expect(context.logged).toEqual(['{"id":"1","a":1,"run_id":"r"}', '{"id":"2","a":1.0}']);
    expect(outcomes[0]?.documents).toEqual(['{"id":"1","a":1,"b":["é",null],"run_id":"r"}']);
  });

  it('writes lines to a file', async () => {
    expect(await printed()).toBe('{"id":"1","a":1,"b":["é",null],"run_id":"r"}\n{"id":"2","a":1.0}\n');
  });

  it('prints the whitelisted fields that are not blacklisted, and always the id', async () => {
    expect(await printed({ whitelist: ['a', 'b'], blacklist: ['b', 'id'] })).toBe(
      '{"id":"1","a":1}\n{"id":"2","a":1.0}\n',
    );
    expect(await printed({ whitelist: ['nothing'] })).toBe('{"id":"1"}\n{"id":"2"}\n');
    expect(await printed({ blacklist: ['a', 'b'] })).toBe('{"id":"1","run_id":"r"}\n{"id":"2"}\n');
  });

  it('takes no shapes from other documents for its selected fields', async () => {
    // Shapes are shared up to a limit of names, which other tests of this process may have reached.
    vi.resetModules();
    const { Shape } = await import('@headrace/engine');
    const { makeStage, toDocument } = await import('@headrace/engine/testing');
    const { Print } = await import('./print.ts');
    const stage = makeStage(Print, { blacklist: ['c'], shouldLog: true });
    const document = toDocument({ id: '1', a: 1, b: 2, c: 3 });
    for (let i = 0; i < 100_000; i++) stage.process(document);
    expect(Shape.common(['id', 'a', 'b', 'new']).changing).toBe(false);
  });

  it('replaces an existing file or appends to it', async () => {
    writeFileSync(join(folder, 'out.jsonl'), 'old\n');
    expect(await printed({ whitelist: ['id'], overwriteFile: false })).toBe('old\n{"id":"1"}\n{"id":"2"}\n');
    expect(await printed({ whitelist: ['id'] })).toBe('{"id":"1"}\n{"id":"2"}\n');
  });

  it('inserts the thread name before the extension', async () => {
    const threadName = 'Worker-2';
    await runStage(Print, { outputFile: join(folder, 'out.txt') }, documents, stageContext({ threadName }));
    await runStage(Print, { outputFile: join(folder, 'out') }, documents, stageContext({ threadName }));
    expect(readdirSync(folder).sort()).toEqual(['outWorker-2', 'outWorker-2.txt']);
  });

  it('writes complete lines if threads share a file', async () => {
    const params = { outputFile: join(folder, 'out.jsonl'), appendThreadName: false, shouldLog: false };
    const stages = [makeStage(Print, params), makeStage(Print, params)];
    for (const stage of stages) await stage.start?.();
    const text = 'x'.repeat(1000);
    for (let i = 0; i < 1000; i++) stages[i % 2]?.process(toDocument({ id: `${i}`, text }));
    for (const stage of stages) await stage.stop?.();
    const lines = readFileSync(params.outputFile, 'utf8').trimEnd().split('\n');
    expect(new Set(lines.map((line) => JSON.parse(line).id)).size).toBe(1000);
  });

  it('creates no file and keeps an existing file if there are no documents', async () => {
    const params = { outputFile: join(folder, 'out.txt'), shouldLog: false };
    await runStage(Print, params, []);
    await runStage(Print, { ...params, appendThreadName: false }, []);
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(join(folder, 'outWorker-1.txt'), 'old\n');
    await runStage(Print, params, []);
    expect(readFileSync(join(folder, 'outWorker-1.txt'), 'utf8')).toBe('old\n');
  });

  it('does not start if the file cannot be written, and reports the reason', async () => {
    const outputFile = join(folder, 'missing', 'out.jsonl');
    await expect(runStage(Print, { outputFile, appendThreadName: false }, [])).rejects.toThrow(
      /The file .*out\.jsonl cannot be written: ENOENT/,
    );
    await expect(runStage(Print, { outputFile: folder, appendThreadName: false }, [])).rejects.toThrow(
      'it is a directory',
    );
  });

  it('warns if it prints nowhere', () => {
    expect([...Print.check(withDefaults(Print.parameters, { shouldLog: false }))]).toMatchObject([
      { parameter: 'outputFile', severity: 'warning' },
    ]);
    expect([
      ...Print.check(withDefaults(Print.parameters, { shouldLog: false, outputFile: 'x' })),
      ...Print.check(withDefaults(Print.parameters, {})),
    ]).toEqual([]);
    expect([...Print.check(withDefaults(Print.parameters, { outputFile: '' }))]).toMatchObject([
      { message: 'outputFile must not be empty' },
    ]);
  });

  it('satisfies the stage contract', () =>
    assertStageContract(Print, { params: { whitelist: ['a'] }, document: { id: '1', a: [1] } }));
});
