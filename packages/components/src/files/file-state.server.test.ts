import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDefaults } from '@headrace/engine';
import { describeWithServer } from '@headrace/testing/real-server';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Database } from '../database/database.ts';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import type { FileState } from './file-state.ts';
import { openState, StateParameter } from './state-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'headrace-state-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const INSTANT = 1_700_000_000_123_000_000n;
let tables = 0;

/** The tests that every kind of state must pass. */
function keeps(connectionString: () => string): void {
  const open: FileState[] = [];
  afterEach(async () => {
    for (const state of open.splice(0)) await state.close();
  });
  const opened = async (tableName: string, { log } = new CollectingPublisher()) => {
    const state = await openState(
      withDefaults(StateParameter, { connectionString: connectionString(), tableName }),
      'c',
      log,
    );
    open.push(state);
    return state;
  };
  const newTable = () => `It's a "table" \`${tables++}\``;
  /** Traverses these files and publishes each one immediately. */
  const traverse = async (state: FileState, ...paths: string[]) => {
    await state.begin();
    for (const path of paths) await state.encounter(path);
    await state.published(paths, INSTANT);
    await state.finish();
  };
  const expired = async (state: FileState, runs = 1) => {
    const paths: string[] = [];
    for await (const { path } of state.expired(runs)) paths.push(path);
    return paths;
  };
  const ODD = ['file:///a\'b"c`d\\e', 'file:///Ü🎉', 'file:///a.zip!x ', 'file:///a.zip!x', 'file:///A', 'file:///a'];

  it('stores when each file was published, for the next run', async () => {
    const table = newTable();
    const state = await opened(table);
    await state.begin();
    for (const path of ODD) expect(await state.encounter(path)).toBeUndefined();
    await state.published(ODD.slice(0, 4), INSTANT);
    await state.finish();
    await state.close();
    const next = await opened(table);
    await next.begin();
    const found: (bigint | undefined)[] = [];
    for (const path of ODD) found.push(await next.encounter(path));
    expect(found).toEqual([INSTANT, INSTANT, INSTANT, INSTANT, undefined, undefined]);
  });

  it('stores the published files of a run whose process died', async () => {
    const table = newTable();
    const state = await opened(table);
    await state.begin();
    for (const path of ['a', 'b', 'c']) await state.encounter(path);
    await state.published(['b'], INSTANT);
    await state.close();
    const next = await opened(table);
    await next.begin();
    expect([await next.encounter('a'), await next.encounter('b')]).toEqual([undefined, INSTANT]);
  });

  it('counts the traversals in which a file was missing', async () => {
    const state = await opened(newTable());
    await traverse(state, 'a', 'b', 'c');
    await traverse(state, 'a', 'b');
    expect(await expired(state)).toEqual(['c']);
    await traverse(state, 'a');
    expect([await expired(state), await expired(state, 2), await expired(state, 3)]).toEqual([['b', 'c'], ['c'], []]);
    await traverse(state, 'a', 'c');
    expect([await expired(state), await expired(state, 2)]).toEqual([['b'], ['b']]);
  });

  it('reports each expired file once', async () => {
    const state = await opened(newTable());
    await traverse(state, 'a', 'b');
    await traverse(state);
    await state.reportExpired(1, false);
    expect(await expired(state)).toEqual([]);
    await traverse(state, 'a');
    await state.reportExpired(1, true);
    await state.begin();
    expect([await state.encounter('a'), await state.encounter('b')]).toEqual([INSTANT, undefined]);
  });

  it('removes forgotten files', async () => {
    const state = await opened(newTable());
    await traverse(state, 'a', 'b');
    await state.forget(['a']);
    await traverse(state);
    expect(await expired(state)).toEqual(['b']);
  });

  it('marks all files below a prefix as found, and no others', async () => {
    const state = await opened(newTable());
    const below = ["a_%'.zip!x", "a_%'.zip!ü/🎉"];
    const beside = ["a_%'.zip", 'a__%.zip!x', "A_%'.ZIP!x"];
    await traverse(state, ...below, ...beside);
    await state.begin();
    await state.encounterBelow("a_%'.zip!");
    await state.finish();
    expect((await expired(state)).sort()).toEqual(beside.sort());
  });

  it('handles thousands of files while published files are recorded', async () => {
    const state = await opened(newTable());
    const paths = Array.from({ length: 2300 }, (_, i) => `file:///${i}`);
    await state.begin();
    const noted: unknown[] = [];
    for (const [i, path] of paths.entries()) {
      await state.encounter(path);
      if (i % 700 === 699) noted.push(state.published(paths.slice(i - 699, i + 1), INSTANT));
    }
    await Promise.all(noted);
    await state.published(paths.slice(2100), INSTANT);
    await state.finish();
    await traverse(state);
    expect((await expired(state)).sort()).toEqual(paths.sort());
  });

  it('locks its table for one run at a time', async () => {
    const table = newTable();
    const state = await opened(table);
    await state.begin();
    await expect(
      opened(table).then(async (second) => {
        await second.begin();
      }),
    ).rejects.toThrow();
  });
}

describe('file state in SQLite', () => {
  keeps(() => `jdbc:sqlite:${folder}/state.db`);
});

describe('a damaged SQLite file state is reported with a hint', () => {
  const DAMAGED = expect.objectContaining({
    code: 'HR_SOURCE_UNREADABLE',
    message: expect.stringMatching(/^The state in .*\.db is damaged: /),
    hint: expect.stringContaining('the next run publishes everything again'),
  });
  const open = (file: string) =>
    openState(
      withDefaults(StateParameter, { connectionString: `jdbc:sqlite:${file}` }),
      'c',
      new CollectingPublisher().log,
    );

  it('when the state is opened', async () => {
    const file = join(folder, 'garbage.db');
    writeFileSync(file, randomBytes(10_000));
    await expect(open(file)).rejects.toEqual(DAMAGED);
  });

  it('when a page is read later', async () => {
    const file = join(folder, 'later.db');
    const state = await open(file);
    await state.begin();
    const paths = Array.from({ length: 3000 }, (_, i) => `file:///folder/${i}`);
    for (const path of paths) await state.encounter(path);
    await state.finish();
    await state.close();
    const bytes = readFileSync(file);
    for (let page = 2 * 4096; page < bytes.length; page += 4096) bytes.fill(0xff, page, page + 200);
    writeFileSync(file, bytes);
    const next = await open(file);
    const all = async () => {
      await next.begin();
      for (const path of paths) await next.encounter(path);
    };
    await expect(all()).rejects.toEqual(DAMAGED);
    await (async () => next.close())().catch((error) => expect(error).toEqual(DAMAGED));
  });
});

await describeWithServer('postgres', (server) => {
  it('file state in a database continues in a table that Lucille created', async () => {
    const quiet = new CollectingPublisher();
    const settings = { connectionString: `jdbc:${server.url}`, jdbcUser: '', jdbcPassword: '' };
    const session = await (await Database.open(settings, quiet.log)).connect();
    await session.execute(`drop table if exists "LUCILLE";
      create table "LUCILLE" (name varchar(200) primary key, last_published timestamp with time zone,
        encountered boolean, runs_not_encountered integer);
      insert into "LUCILLE" values ('file:///a', '2023-11-14 22:13:20.123+00', true, 0)`);
    await session.close();
    const state = await openState(withDefaults(StateParameter, { ...settings, tableName: 'lucille' }), 'c', quiet.log);
    try {
      await state.begin();
      const long = `file:///${'x'.repeat(200)}`;
      expect([await state.encounter('file:///a'), await state.encounter(long)]).toEqual([INSTANT, undefined]);
      await state.published(['file:///a'], INSTANT + 1_000_000n);
      await state.finish();
      await state.begin();
      expect(await state.encounter('file:///a')).toBe(INSTANT + 1_000_000n);
    } finally {
      await state.close();
    }
    expect(quiet.warnings.join()).toContain('longer than the 200 bytes');
  });
});

for (const name of ['postgres', 'mariadb'] as const) {
  await describeWithServer(name, (server) => {
    describe(`file state in ${name}`, () => {
      keeps(() => `jdbc:${server.url}`);

      it('stores paths up to the index limit, and warns about longer paths that every run publishes', async () => {
        const publisher = new CollectingPublisher();
        const state = await openState(
          withDefaults(StateParameter, { connectionString: `jdbc:${server.url}` }),
          `long ${tables++}`,
          publisher.log,
        );
        // The path is not repetitive: otherwise Postgres would compress it.
        const path = Array.from({ length: 400 }, (_, i) => (i * 7919 ** 2).toString(36).padStart(7, 'x')).join('');
        try {
          for (const long of [path.slice(0, 2600), `${path.slice(0, 2600)}x`]) {
            await state.begin();
            await state.encounter(long);
            await state.published([long], INSTANT);
            await state.finish();
            await state.begin();
            expect(await state.encounter(long)).toBe(long.length > 2600 ? undefined : INSTANT);
          }
        } finally {
          await state.close();
        }
        expect(publisher.warnings.join()).toContain('every run publishes such files again');
      });
    });
  });
}
