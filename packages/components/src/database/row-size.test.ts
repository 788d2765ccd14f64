import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from './database.ts';
import { sizeOfRow } from './row-size.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

it('counts texts and bytes, also in lists', () => {
  expect(sizeOfRow(['abc', null, 1, new Uint8Array(10), ['de', 'f']])).toBe(3 + 8 + 8 + 10 + 3);
});

it('reads few rows at a time if they are large', async () => {
  const root = mkdtempSync(join(tmpdir(), 'headrace-rows-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const file = join(root, 'a.db');
  const table = new DatabaseSync(file);
  table.exec('create table t (id integer, content blob)');
  const insert = table.prepare('insert into t values (?, zeroblob(400000))');
  for (let i = 0; i < 5; i++) insert.run(i);
  table.close();
  const settings = { connectionString: `jdbc:sqlite:${file}`, jdbcUser: '', jdbcPassword: '' };
  const connection = await (await Database.open(settings, QUIET)).connect();
  onTestFinished(() => connection.close());
  const sizes: number[] = [];
  for await (const rows of (await connection.stream('select * from t')).rows(0)) sizes.push(rows.length);
  expect(sizes).toEqual([2, 2, 1]);
});
