import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunResult } from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
import { describeWithServer } from '@headrace/testing/real-server';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HeldFeed } from './held-feed.ts';
import { type KilledRuns, killRebuilds } from './rebuild-kills.ts';
import { requestOf as requestOfConfig } from './rebuild-runs.ts';

/** The server has the extension pgvector. */
const PGVECTOR = { POSTGRES_PGVECTOR: '1' };

await describeWithServer(
  'postgres',
  (server) => {
    const folder = mkdtempSync(join(tmpdir(), 'headrace-table-'));
    let threads = new RunLauncher({ heapMb: 256, keepWarm: false, isLocal: true });
    let client: pg.Client;
    let table: string;

    beforeAll(async () => {
      client = new pg.Client(server.url);
      await client.connect();
    });
    beforeEach(() => {
      table = `t${randomUUID().slice(0, 8)}`;
    });
    afterAll(async () => {
      await client.end();
      await threads.close();
      rmSync(folder, { recursive: true });
    });

    const configOf = (documents: readonly object[], block: string, more = '') => {
      const path = join(folder, `${randomUUID()}.jsonl`);
      writeFileSync(path, documents.map((document) => `${JSON.stringify(document)}\n`).join(''));
      return configWith(`class: JSONConnector, jsonPath: "${path}"`, block, more);
    };
    const configWith = (source: string, block: string, more = '') => {
      const { host, pathname, username } = new URL(server.url);
      return `
      connectors: [{name: c, pipeline: p, ${source}}]
      pipelines: [{name: p, stages: []}]
      indexer { type: Postgres, batchTimeout: 50 }
      postgres { connectionString: "jdbc:postgresql://${host}${pathname}?user=${username}", table: "${table}", ${block} }
      ${more}`;
    };
    const requestOf = (...given: Parameters<typeof configOf>) => requestOfConfig(configOf(...given));
    const start = (documents: readonly object[], block: string, more = '', logged: string[] = []) =>
      threads.start(
        { runId: randomUUID(), ...requestOf(documents, block, more) },
        { onLog: ({ message }) => void logged.push(message) },
      );
    const run = (...given: Parameters<typeof start>): Promise<RunResult> => start(...given).done;
    const rows = async (sql: string) => (await client.query({ text: sql, rowMode: 'array' })).rows;
    const versioned = (count: number, version: number) =>
      Array.from({ length: count }, (_, i) => ({ id: `d${i}`, version, title: `title ${i}` }));
    /** Returns the other tables of a rebuild. */
    const others = async () =>
      (await rows(`SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE '${table}\\_\\_%'`)).flat();
    /** Lets a run wait until it is cancelled. */
    const HOLD = 'connectors += { class: SleepConnector, name: hold, duration: 600000 }';
    const CREATE = 'create.columns { title: "text NOT NULL", version: integer, run_id: text }';

    describe('runs beside a rebuild of their table', () => {
      const REBUILD = `${CREATE}, rebuild { keep: 0 }`;
      const named = (count: number, title: string) =>
        Array.from({ length: count }, (_, i) => ({ id: `d${i}`, title: `${title} ${i}` }));
      const openRebuild = async (block = REBUILD) => {
        const feed = await HeldFeed.start(named(20, 'rebuilt'));
        const { done } = threads.start({ runId: randomUUID(), ...requestOfConfig(configWith(feed.source, block)) });
        await Promise.race([feed.asked, done.then(({ message }) => Promise.reject(new Error(message)))]);
        return { done, release: feed.release };
      };

      it('wait until it has ended, and then write to the new table', async () => {
        await run(named(20, 'old'), REBUILD);
        const rebuild = await openRebuild();
        const logged: string[] = [];
        const { done } = start([{ id: 'd1', title: 'changed' }], '', '', logged);
        await expect.poll(() => logged.join()).toContain('waits for the rebuild of');
        rebuild.release();
        expect(await rebuild.done).toMatchObject({ status: 'SUCCEEDED' });
        expect(await done).toMatchObject({ status: 'SUCCEEDED' });
        expect(await rows(`SELECT id, title FROM ${table} WHERE id IN ('d1', 'd2') ORDER BY id`)).toEqual([
          ['d1', 'changed'],
          ['d2', 'rebuilt 2'],
        ]);
        expect(await others()).toEqual([]);
      });

      it('fail it if they are other programs, or are reported, and it leaves no trigger', async () => {
        await run(named(20, 'old'), REBUILD);
        const failing = await openRebuild();
        await client.query(
          `UPDATE ${table} SET title = 'foreign' WHERE id IN ('d1', 'd2'); DELETE FROM ${table} WHERE id = 'd3'`,
        );
        failing.release();
        const failed = await failing.done;
        expect([failed.status, failed.message]).toEqual([
          'FAILED',
          expect.stringContaining(`Check foreignWrites: FAILED. 3 changed rows of public.${table}`),
        ]);
        expect(await rows(`SELECT title FROM ${table} WHERE id = 'd1'`)).toEqual([['foreign']]);
        expect(await rows(`SELECT tgname FROM pg_trigger WHERE tgrelid = '${table}'::regclass`)).toEqual([]);
        const reporting = await openRebuild(`${CREATE}, rebuild { keep: 0, foreignWrites: report }`);
        await client.query(`TRUNCATE ${table}`);
        reporting.release();
        const { status, message } = await reporting.done;
        expect([status, message]).toEqual(['SUCCEEDED', expect.stringContaining('1 changed row of')]);
      });

      it('are not disturbed by the triggers of a killed rebuild, which the next one removes', async () => {
        await run(named(20, 'old'), REBUILD);
        await openRebuild();
        // The lock of a rebuild ends with its session.
        await client.query(`SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
          WHERE l.locktype = 'advisory' AND d.datname = current_database()`);
        await client.query(`UPDATE ${table} SET title = 'foreign'`);
        await threads.close();
        threads = new RunLauncher({ heapMb: 256, keepWarm: false, isLocal: true });
        expect(await run(named(20, 'next'), REBUILD)).toMatchObject({ status: 'SUCCEEDED' });
        expect(await others()).toEqual([]);
      });
    });

    describe('the block create of Postgres', () => {
      it('creates the table, changes nothing that exists, and reports each difference with its position', async () => {
        const checkAccess = async (block: string) =>
          (await threads.checkAccess(requestOf([], block), 30_000)).map(({ severity, path, message }) => [
            severity,
            path,
            message,
          ]);
        expect(await checkAccess(CREATE)).toEqual([]);
        expect((await run(versioned(3, 1), CREATE)).status).toBe('SUCCEEDED');
        expect(await rows(`SELECT id, version FROM ${table} ORDER BY id`)).toEqual([
          ['d0', 1],
          ['d1', 1],
          ['d2', 1],
        ]);
        expect(await checkAccess(CREATE)).toEqual([]);
        const other = 'create.columns { title: "varchar(5)", version: int4, size: "numeric(10, 2)" }';
        expect(await checkAccess(other)).toEqual([
          [
            'warning',
            'postgres.create.columns.title',
            `the column title is text in the table ${table}, but the config says character varying(5)`,
          ],
          [
            'warning',
            'postgres.create.columns.size',
            `the column size is missing in the table ${table}, but the config says numeric(10,2)`,
          ],
        ]);
        await run(versioned(1, 2), other);
        expect(await checkAccess(other)).toHaveLength(2);
        await run(versioned(1, 2), `${other}, create.update: true`);
        expect(await checkAccess(other)).toHaveLength(1);
      });

      it('makes vector columns with HNSW indexes', async () => {
        const block = 'create { columns { embedding: "vector(3)" }, hnsw { embedding: cosine } }';
        const result = await run([{ id: 'a', embedding: [1, 2, 3] }], block);
        expect(result.status).toBe('SUCCEEDED');
        const [[index]] = (await rows(
          `SELECT indexdef FROM pg_indexes WHERE tablename = '${table}' AND indexdef LIKE '%hnsw%'`,
        )) as [[string]];
        expect(index).toContain('vector_cosine_ops');
      });
    });

    describe('a rebuild of a table', () => {
      it('replaces the table with its rights in one step, keeps old tables, and rolls back', async () => {
        await client.query(`CREATE TABLE ${table} (id text PRIMARY KEY, version int DEFAULT 7, title text);
        CREATE INDEX ON ${table} (version); GRANT SELECT ON ${table} TO PUBLIC; INSERT INTO ${table} VALUES ('old', 0)`);
        const block = 'rebuild { keep: 1 }';
        const first = await run(versioned(10, 1), block);
        expect([first.status, first.replaced]).toEqual(['SUCCEEDED', expect.stringMatching(/_old$/)]);
        for (const version of [2, 3])
          expect((await run(versioned(10 + version, version), block)).status).toBe('SUCCEEDED');
        expect(await rows(`SELECT min(version), max(version), count(*)::int FROM ${table}`)).toEqual([[3, 3, 13]]);
        expect(await others()).toHaveLength(1);
        const rights = await rows(
          `SELECT has_table_privilege('public', oid, 'SELECT'), relhasindex FROM pg_class WHERE relname = '${table}'`,
        );
        expect(rights).toEqual([[true, true]]);
        const rollBack = (runId?: string) =>
          threads.rollback({ ...requestOf([], block), ...(runId === undefined ? {} : { runId }) }, 30_000);
        await expect(rollBack('another')).rejects.toThrow('is not the one of the run another');
        expect(await rollBack()).toContain(`The table public.${table} is ${table}__`);
        expect(await rows(`SELECT max(version), count(*)::int FROM ${table}`)).toEqual([[2, 12]]);
        await expect(rollBack()).rejects.toThrow('There is no older table');
        await run(versioned(4, 4), block);
        expect([await rows(`SELECT max(version) FROM ${table}`), (await others()).length]).toEqual([[[4]], 1]);
      });

      it('leaves the table alone if a check fails or the run is cancelled, and removes what was left', async () => {
        const block = `${CREATE}, rebuild.checks { documents { min: 5, maxFewerPercent: 10 }, required { title: 100 } }`;
        const first = await run(versioned(20, 1), block);
        expect(first.checks?.map(({ outcome }) => outcome)).toEqual(['passed', 'not run', 'passed']);
        const few = await run(versioned(10, 2), block);
        expect([few.status, few.message]).toEqual([
          'FAILED',
          expect.stringContaining('10 in the new table, expected at most 10 % fewer than the 20 in the live table'),
        ]);
        const unknown = await run(versioned(20, 2), `${CREATE}, rebuild.checks.required.nothing: 1`);
        expect(unknown.checks?.at(-1)).toMatchObject({ outcome: 'failed', found: 'the table has no column nothing' });
        const handle = start(versioned(200, 3), block, HOLD);
        await expect.poll(() => handle.progress().counts.succeeded, { interval: 5 }).toBeGreaterThan(100);
        const second = await run(versioned(20, 4), block);
        expect(second.message).toContain(`Another rebuild of public.${table} is running`);
        await expect(threads.rollback(requestOf([], block), 30_000)).rejects.toThrow(
          `A rebuild of public.${table} is running`,
        );
        handle.stop('CANCELLED');
        expect((await handle.done).status).toBe('CANCELLED');
        expect(await rows(`SELECT max(version), count(*)::int FROM ${table}`)).toEqual([[1, 20]]);
        expect((await run(versioned(19, 5), block)).status).toBe('SUCCEEDED');
        expect([await rows(`SELECT max(version) FROM ${table}`), (await others()).length]).toEqual([[[5]], 1]);
      });

      it('does not replace the table if the run is cancelled during the checks, and says what is left', async () => {
        const block = `${CREATE}, rebuild.checks.documents.maxFewerPercent: 10`;
        await run(versioned(20, 1), block);
        // The check of the table in use waits for this session.
        const other = new pg.Client(server.url);
        await other.connect();
        try {
          await other.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
          const logged: string[] = [];
          const handle = start(versioned(20, 2), block, '', logged);
          const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${table}'::regclass`;
          await expect.poll(() => rows(waiting)).toHaveLength(1);
          handle.stop('CANCELLED');
          await other.query('COMMIT');
          expect((await handle.done).status).toBe('CANCELLED');
          expect(await rows(`SELECT max(version) FROM ${table}`)).toEqual([[1]]);
          const [left] = await others();
          expect(logged.join('\n')).toContain(
            `The table public.${table} was not replaced. The next run removes the table "public"."${left}"`,
          );
        } finally {
          await other.end();
        }
      });

      it('succeeds if an old table cannot be removed, and says why', async () => {
        const block = `${CREATE}, rebuild.keep: 0`;
        await run(versioned(1, 1), block);
        const logged: string[] = [];
        const handle = start(versioned(200, 2), block, HOLD.replace('600000', '100'), logged);
        await expect.poll(() => handle.progress().counts.succeeded, { interval: 5 }).toBeGreaterThan(0);
        // The view belongs to the table that this run makes an old one.
        await client.query(`CREATE VIEW ${table}_v AS SELECT * FROM ${table}`);
        expect((await handle.done).status).toBe('SUCCEEDED');
        expect(logged.join('\n')).toMatch(/The next run removes old tables of .*: cannot drop table/);
        expect(await rows(`SELECT max(version) FROM ${table}`)).toEqual([[2]]);
      });

      it('says that its new table was deleted', async () => {
        const block = `${CREATE}, rebuild {}`;
        const logged: string[] = [];
        const handle = start(versioned(200, 1), block, HOLD, logged);
        await expect.poll(() => handle.progress().counts.succeeded, { interval: 5 }).toBeGreaterThan(100);
        const [building] = await others();
        await client.query(`DROP TABLE ${building}`);
        handle.stop('CANCELLED');
        await handle.done;
        expect(logged.join('\n')).toContain(
          `The table public.${table} was not replaced. "public"."${building}" was deleted`,
        );
      });

      it('leaves a complete table after each kill, and the next run removes what was left', async () => {
        const runs: KilledRuns = {
          config: (documents, block) => configOf(documents, `${CREATE}, ${block}`),
          start: (config) => threads.start({ runId: randomUUID(), ...requestOfConfig(config) }),
          run: async (documents, block) => {
            // The server notices the end of a killed session after its statement.
            for (;;) {
              const result = await run(documents, `${CREATE}, ${block}`);
              if (!result.message.includes('Another rebuild of')) return result;
            }
          },
          count: async (query = '') => {
            const where = query === '' ? 'TRUE' : query.replace(':', ' = ');
            return (await rows(`SELECT count(*)::int FROM ${table} WHERE ${where}`))[0]?.[0] as number;
          },
          targets: async () => (await rows(`SELECT relname FROM pg_class WHERE relname = '${table}'`)).flat(),
          states: async () => {
            const tables = `relkind = 'r' AND (relname = '${table}' OR relname LIKE '${table}\\_\\_%')`;
            const found = await rows(
              `SELECT relname, obj_description(oid, 'pg_class')::json->>'state' FROM pg_class WHERE ${tables}`,
            );
            return found as [string, string | undefined][];
          },
          writtenTo: async (before) => {
            const created = (await others()).find((name) => !before.has(name));
            if (created === undefined) return Number.NEGATIVE_INFINITY;
            // It may have replaced the other table meanwhile.
            const count = await rows(`SELECT count(*)::int FROM ${created}`).catch(() => [[0]]);
            return count[0]?.[0] as number;
          },
        };
        const { moved, unmoved } = await killRebuilds(runs, 3, 1000);
        expect(moved + unmoved).toBe(3);
      });

      it('refuses a table with a view, which would stay with the old table', async () => {
        await client.query(
          `CREATE TABLE ${table} (id text PRIMARY KEY); CREATE VIEW ${table}_v AS SELECT * FROM ${table}`,
        );
        expect((await run(versioned(1, 1), 'rebuild {}')).message).toContain(
          `the view ${table}_v would stay with the old table`,
        );
      });
    });

    it('sync of Postgres deletes what a complete run did not write, in one transaction and within the limit', async () => {
      const block = `${CREATE}, sync { deleteMissing: true, where: "id LIKE 'd%'" }`;
      await run(versioned(20, 1), block);
      await client.query(`INSERT INTO ${table} VALUES ('other', 'x', 1, 'by hand')`);
      const second = await run(versioned(17, 2), block);
      expect(second.checks?.map(({ found }) => found)).toEqual([
        'the source no longer had 3 rows of 20 (15 %): 3 deleted',
      ]);
      expect(await rows(`SELECT count(*)::int, count(*) FILTER (WHERE id = 'other')::int FROM ${table}`)).toEqual([
        [18, 1],
      ]);
      const tooMany = await run(versioned(5, 3), block);
      expect([tooMany.status, tooMany.message]).toEqual([
        'FAILED',
        expect.stringContaining('12 rows of 17 (70.59 %): nothing was deleted'),
      ]);
      const failed = await run([...versioned(10, 4), { id: 'bad', title: 'x', version: 'no' }], block);
      expect(failed.checks?.map(({ outcome }) => outcome)).toEqual(['not run']);
      expect(await rows(`SELECT count(*)::int FROM ${table}`)).toEqual([[18]]);
    });

    it('sync of Postgres needs the column run_id before it writes anything', async () => {
      await client.query(`CREATE TABLE ${table} (id text PRIMARY KEY, title text)`);
      expect((await run(versioned(3, 1), 'sync { deleteMissing: true }')).message).toContain('has no column run_id');
      expect(await rows(`SELECT count(*)::int FROM ${table}`)).toEqual([[0]]);
      for (const block of ['columns: [title]', 'create.columns { title: text }']) {
        expect((await run(versioned(3, 1), `${block}, sync { deleteMissing: true }`)).message).toContain(
          `${block.split(/[:{]/)[0]?.trim()} does not name run_id`,
        );
      }
    });
  },
  PGVECTOR,
);
