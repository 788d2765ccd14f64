import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { findBoundary } from '@headrace/components';
import { DEFAULT_POLICY, enforcePolicy, type Policy, STRICT_POLICY } from 'headrace/engine';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { LanceProcess } from './lance-process.ts';

const boundary = await findBoundary([]);
const folder = mkdtempSync(join(tmpdir(), 'headrace-lance-process-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SETTINGS = {
  uri: folder,
  table: 'articles',
  vectorField: 'v',
  storageOptions: {},
  columns: { vectorField: 'v', dimensions: 2, fields: new Map() },
};
const warnings: string[] = [];
const log = { warn: (message: string) => void warnings.push(message) };
const ROW = Buffer.from('{"id":"a","v":[1,2]}');

/** Returns the ids of the processes that this one started for tables. */
function tableProcesses(): number[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((row) => row.includes('lance-table'))
    .map((row) => row.trim().split(/ +/).slice(0, 2).map(Number))
    .filter(([, parent]) => parent === process.pid)
    .map(([id]) => id as number);
}

it('writes with another process after the first one has ended', async () => {
  const table = await LanceProcess.open(SETTINGS, log);
  expect(await table.upload([ROW])).toEqual({ items: new Map() });
  const [first, ...others] = tableProcesses();
  expect(others).toEqual([]);
  process.kill(first as number, 'SIGKILL');
  // Until its end is known, calls are refused in a way that is retried.
  await expect.poll(() => table.upload([ROW])).toEqual({ items: new Map() });
  expect(tableProcesses()).not.toContain(first);
  await table.close();
  await expect.poll(tableProcesses).toEqual([]);
});

it('ends a process that takes longer for a call than the policy allows', async () => {
  enforcePolicy({ ...DEFAULT_POLICY, limits: { maxProcessingSecs: 10 } });
  onTestFinished(() => void enforcePolicy(undefined));
  const stop = () => {
    for (const id of tableProcesses()) process.kill(id, 'SIGSTOP');
  };
  const table = await LanceProcess.open(SETTINGS, log);
  stop();
  const late = 'The helper process took longer than 10 s for a call';
  // A retry gets a new process.
  expect(await table.upload([ROW])).toEqual({ refused: { status: -1, message: `LanceDB: ${late}` } });
  expect(await table.upload([ROW])).toEqual({ items: new Map() });
  stop();
  await table.close();
  expect(warnings).toEqual([`LanceDB: the table articles is not compacted: ${late}`]);
}, 120_000);

it.runIf(boundary.kind !== 'none')('writes to its folder in a boundary, and to no other', async () => {
  const policy: Policy = { ...STRICT_POLICY, write: [folder], boundary };
  enforcePolicy(policy);
  onTestFinished(() => void enforcePolicy(undefined));
  const table = await LanceProcess.open({ ...SETTINGS, uri: join(folder, 'confined') }, log);
  expect(await table.upload([ROW])).toEqual({ items: new Map() });
  expect(await table.remove(['a'])).toEqual({ items: new Map() });
  await table.close();
  expect(readdirSync(join(folder, 'confined'))).toEqual(['articles.lance']);
  const other = mkdtempSync(join(tmpdir(), 'headrace-other-'));
  onTestFinished(() => rmSync(other, { recursive: true }));
  // The library follows the name of a table out of the folder.
  const outside = LanceProcess.open({ ...SETTINGS, table: `../../${basename(other)}/articles` }, log);
  await expect(outside).rejects.toThrow();
  expect(readdirSync(other)).toEqual([]);
});

it('reports a table that does not fit with its code, and ends the process', async () => {
  const columns = { ...SETTINGS.columns, dimensions: 3 };
  await (await LanceProcess.open({ ...SETTINGS, table: 'other' }, log)).close();
  await expect(LanceProcess.open({ ...SETTINGS, table: 'other', columns }, log)).rejects.toMatchObject({
    code: 'HR_INDEXER_CONNECT',
    message: expect.stringContaining('lancedb.dimensions is 3'),
  });
  await expect.poll(tableProcesses).toEqual([]);
});

it('says what to correct if the folder of the tables cannot be written', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  await expect(LanceProcess.open({ ...SETTINGS, uri: file }, log)).rejects.toMatchObject({
    code: 'HR_INDEXER_CONNECT',
    message: expect.stringContaining(`LanceDB in ${file}: `),
    hint: expect.stringContaining('lancedb.path'),
  });
});
