import { chmodSync, existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { config, ids, run, version } from '../testing/stored-items.test.support.ts';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { ConfigVersion } from './store.ts';

/** The database schema of the first release. */
const FIRST_SCHEMA = `
  CREATE TABLE configs (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL,
    format TEXT NOT NULL, answer TEXT NOT NULL, digest TEXT NOT NULL, created_time REAL NOT NULL, created_by TEXT) STRICT;
  CREATE TABLE runs (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, config_id TEXT NOT NULL,
    status TEXT NOT NULL, done INTEGER NOT NULL, details TEXT NOT NULL) STRICT;
  CREATE INDEX runs_by_config ON runs (config_id, seq);
  CREATE INDEX runs_by_status ON runs (status, seq);
  CREATE INDEX unfinished_runs ON runs (seq) WHERE done = 0;
  CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), time REAL NOT NULL) STRICT;`;

describe('the sqlite store on disk', () => {
  it('still has its content after it was opened again', async () => {
    const directory = temporaryDirectory();
    const before = new SqliteStore(directory);
    await before.addConfig(config('a'), 1);
    await before.saveRun(run('r'));
    await before.close();
    const after = new SqliteStore(directory);
    expect(await after.config('a')).toEqual(config('a'));
    expect(await after.addConfig(config('b'), 1)).toBe('full');
    expect(await after.unfinishedRuns()).toEqual(['{"runId":"r"}']);
    await after.close();
  });

  it('migrates the database of the first release', async () => {
    const directory = temporaryDirectory();
    const db = new DatabaseSync(join(directory, 'headrace.db'));
    const details = { runId: 'r', configId: 'a', startTime: 12.5, requestedBy: 'mary', labels: { team: 'x' } };
    db.exec(`${FIRST_SCHEMA} PRAGMA user_version = 1;
      INSERT INTO configs VALUES (7, 'a', 'a: 1', 'hocon', '{"a":1}', 'd1', 1.5, 'mary');
      INSERT INTO runs VALUES (3, 'r', 'a', 'FAILED', 1, '${JSON.stringify(details)}');`);
    db.close();
    const store = new SqliteStore(directory);
    const current = { version: 1, text: 'a: 1', format: 'hocon', answer: '{"a":1}', digest: 'd1', createdTime: 1.5 };
    expect(await store.config('a')).toEqual(
      config('a', { current: { ...current, createdBy: 'mary' } as ConfigVersion }),
    );
    expect(await store.listConfigs({ limit: 10 })).toMatchObject([{ seq: 7, id: 'a', updatedBy: 'mary' }]);
    const filter = { since: 12, until: 13, requestedBy: 'mary', labels: { team: 'x' } };
    const [found] = await store.listRuns({ limit: 10 }, filter);
    expect(found?.seq).toBe(3);
    const added = { configName: null, configVersion: null, overlap: 'allow' };
    expect(JSON.parse(found?.details ?? '')).toEqual({ ...details, ...added });
    await store.close();
  });

  it('can be used by only one service, and the error for a second one names the process', async () => {
    const directory = temporaryDirectory();
    const first = new SqliteStore(directory);
    expect(() => new SqliteStore(directory)).toThrow(`in use by another service (process ${process.pid})`);
    await first.close();
    const second = new SqliteStore(directory);
    await second.close();
  });

  it('cannot be opened if the file is damaged or from a newer release', () => {
    const broken = temporaryDirectory();
    writeFileSync(join(broken, 'headrace.db'), 'this is not a database, and long enough to be looked at'.repeat(50));
    expect(() => new SqliteStore(broken)).toThrow(
      `The store ${broken} cannot be opened: file is not a database. ${join(broken, 'headrace.db')} is damaged, or belongs to ` +
        'another program: restore a backup, or move all files',
    );
    const newer = temporaryDirectory();
    const db = new DatabaseSync(join(newer, 'headrace.db'));
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(() => new SqliteStore(newer)).toThrow('is of version 99');
  });

  it('fails with advice if the directory cannot be written', () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    expect(() => new SqliteStore(file)).toThrow(
      /^The store directory .*file cannot be created: EEXIST.*Give the user of the service the right to write there, or/,
    );
    // Not even root can create a file there.
    const forbidden = '/sys/kernel';
    if (!existsSync(forbidden)) return;
    expect(() => new SqliteStore(forbidden)).toThrow(
      /^The store \/sys\/kernel cannot be opened: E.* Give the user of the service the right to write there, or choose/,
    );
  });

  it('refuses writes while its files are removed or replaced', async () => {
    const directory = temporaryDirectory();
    const store = new SqliteStore(directory);
    await store.addConfig(config('a'), 9);
    for (const name of ['headrace.db', 'headrace.db-wal']) {
      const path = join(directory, name);
      renameSync(path, `${path}.away`);
      const gone = `${path} was removed or replaced`;
      await expect(store.addConfig(config(`b${name}`), 9)).rejects.toThrow(gone);
      writeFileSync(path, '');
      await expect(store.deleteConfig('a', 1)).rejects.toThrow(gone);
      expect(store.failure).toContain(gone);
      renameSync(`${path}.away`, path);
      expect(await store.addConfig(config(`c${name}`), 9)).toBe('written');
      expect(store.failure).toBeUndefined();
    }
    expect(ids(await store.listConfigs({ limit: 9 }))).toEqual(['cheadrace.db-wal', 'cheadrace.db', 'a']);
    await store.close();
  });

  it('is readable only by its owner, even in a public directory or if its files were public before', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o755);
    const modes = () =>
      Object.fromEntries(
        readdirSync(directory).map((name) => [name, (statSync(join(directory, name)).mode & 0o777).toString(8)]),
      );
    const store = new SqliteStore(directory);
    await store.addConfig(config('a'), 1);
    expect(modes()).toEqual({ 'headrace.db': '600', 'headrace.db-wal': '600', pid: '600' });
    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o644);
    // The lock is still active.
    expect(() => new SqliteStore(directory)).toThrow('in use');
    await store.close();
    chmodSync(join(directory, 'headrace.db'), 0o644);
    const again = new SqliteStore(directory);
    expect(new Set(Object.values(modes()))).toEqual(new Set(['600']));
    expect(await again.config('a')).toEqual(config('a'));
    await again.close();
  });

  it('returns free space to the disk after large deletions', async () => {
    const directory = temporaryDirectory();
    const store = new SqliteStore(directory);
    const large = config('a', { current: version(1, { text: 'x'.repeat(40 * 1024 * 1024) }) });
    await store.addConfig(large, 9);
    await store.deleteConfig('a', 1);
    // Each write returns only some of the space.
    for (let i = 0; i < 10; i++) await store.trimRuns(9);
    await store.close();
    const bytes = readdirSync(directory).map((name) => statSync(join(directory, name)).size);
    expect(Math.max(...bytes)).toBeLessThan(20 * 1024 * 1024);
  });

  it('can be opened if a killed service left its pid file', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'pid'), '1\n');
    await new SqliteStore(directory).close();
  });
});
