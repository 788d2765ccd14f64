import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunHarness } from './run-harness.ts';

/** A source with the documents good and bad, in a separate folder. */
interface Source {
  readonly config: string;
  /** Returns whether a run after this one would not read the document bad again. */
  isRead(): Promise<boolean>;
}

/**
 * What counts as read: a document that succeeded, or that failed and is kept where it can be run again. The rule is the
 * same for all sources.
 */
describe('what counts as read', () => {
  const root = mkdtempSync(join(tmpdir(), 'headrace-read-'));
  const harnesses = new Map(
    (['stored', 'refused', 'dropped'] as const).map((failures) => [failures, new RunHarness({ failures })]),
  );
  const stored = harnesses.get('stored') as RunHarness;
  let feed = '';
  const server = createServer((_, response) => response.end(feed));
  let folders = 0;

  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(async () => {
    server.close();
    for (const harness of harnesses.values()) await harness.close();
    rmSync(root, { recursive: true });
  });

  const configOf = (connector: string, failIds: string, folder: string) => `
    connectors: [{ name: c, pipeline: p, ${connector} }]
    pipelines: [{ name: p, stages: [] }]
    indexer { class: BatchFileIndexer }
    batchfile { path: "${folder}/out", failIds: "${failIds}" }`;

  /** Returns whether a run of this connector, in which nothing fails, publishes nothing. */
  const publishesNothing = async (connector: string, folder: string) => {
    const { counts } = await stored.run(configOf(connector, 'none', folder));
    return counts.published === 0;
  };

  /** Creates a source. `all` makes all of its documents fail. */
  const SOURCES: Record<string, (all: boolean) => Source> = {
    'files with a state': (all) => {
      const folder = newFolder();
      writeOld(join(folder, 'in/a.csv'), 'id\ngood\nbad\n');
      const connector = `class: FileConnector, paths: ["${folder}/in"], fileHandlers { csv { idField: id } }
        filterOptions { publishMode: incremental }, state { connectionString: "jdbc:sqlite:${folder}/state.db" }`;
      return {
        config: configOf(connector, all ? 'd' : 'bad', folder),
        isRead: () => publishesNothing(connector, folder),
      };
    },
    'files that are moved': (all) => {
      const folder = newFolder();
      writeOld(join(folder, 'in/a.csv'), 'id\ngood\nbad\n');
      const connector = `class: FileConnector, paths: ["${folder}/in"], fileHandlers { csv { idField: id } }
        fileOptions { moveToAfterProcessing: "${folder}/done" }`;
      return {
        config: configOf(connector, all ? 'd' : 'bad', folder),
        isRead: async () => existsSync(join(folder, 'done/a.csv')),
      };
    },
    'a CSV file that is moved': (all) => {
      const folder = newFolder();
      writeOld(join(folder, 'a.csv'), 'id\ngood\nbad\n');
      const connector = `class: CSVConnector, path: "${folder}/a.csv", idField: id, moveToAfterProcessing: "${folder}/done"`;
      return {
        config: configOf(connector, all ? 'd' : 'bad', folder),
        isRead: async () => existsSync(join(folder, 'done/a.csv')),
      };
    },
    'an incremental query': (all) => {
      const folder = newFolder();
      const database = new DatabaseSync(join(folder, 'source.db'));
      database.exec("create table t (id text, n integer); insert into t values ('good', 1), ('bad', 2)");
      database.close();
      const connector = `class: DatabaseConnector, driver: org.sqlite.JDBC, idField: id, jdbcUser: "", jdbcPassword: ""
        connectionString: "jdbc:sqlite:${folder}/source.db", sql: "select id, n from t where n > ?"
        incremental { column: n, initial: "0" }, state { connectionString: "jdbc:sqlite:${folder}/state.db" }`;
      return {
        config: configOf(connector, all ? 'd' : 'bad', folder),
        isRead: () => publishesNothing(connector, folder),
      };
    },
    'a feed with a state': (all) => {
      const folder = newFolder();
      feed = '<rss><channel><item><guid>good</guid></item><item><guid>bad</guid></item></channel></rss>';
      const connector = `class: RSSConnector, rssURL: "http://127.0.0.1:${(server.address() as AddressInfo).port}/"
        state { connectionString: "jdbc:sqlite:${folder}/state.db" }`;
      return {
        config: configOf(connector, all ? 'd' : 'bad', folder),
        isRead: () => publishesNothing(connector, folder),
      };
    },
  };

  function newFolder(): string {
    const folder = join(root, `${folders++}`);
    mkdirSync(join(folder, 'in'), { recursive: true });
    return folder;
  }

  describe.each(Object.entries(SOURCES))('of %s', (_, sourceOf) => {
    it.each([
      ['one document failed and is kept', 'stored', false, true],
      ['all documents failed and are kept', 'stored', true, true],
      ['one document failed and nothing keeps it', 'dropped', false, false],
      ['all documents failed and nothing keeps them', 'dropped', true, false],
      ['one document failed and cannot be stored', 'refused', false, false],
    ] as const)('%s', async (_, failures, all, read) => {
      const source = sourceOf(all);
      const result = await (harnesses.get(failures) as RunHarness).run(source.config);
      expect(result.counts).toMatchObject({ published: 2, failed: all ? 2 : 1 });
      expect(result.status).toBe(all ? 'FAILED' : 'SUCCEEDED');
      expect(result.message.includes('failed documents are not kept where they can be run again')).toBe(!read);
      expect(await source.isRead()).toBe(read);
    });
  });

  it.each(Object.entries(SOURCES))(
    'of %s: nothing before an output that is put into use as a whole',
    async (_, sourceOf) => {
      const source = sourceOf(false);
      const config = (failFinish: boolean) => `${source.config}
      indexer: { class: WholeIndexer }
      whole { failFinish: ${failFinish} }`;
      const failed = await stored.run(config(true));
      expect(failed).toMatchObject({ status: 'FAILED', counts: { published: 2, failed: 2 } });
      const complete = await stored.run(config(false));
      expect(complete).toMatchObject({ status: 'SUCCEEDED', counts: { published: 2, succeeded: 2 } });
      expect(await source.isRead()).toBe(true);
    },
  );

  it('not a document that is too large to be kept', async () => {
    const source = SOURCES['files with a state']?.(false) as Source;
    const folder = join(root, `${folders - 1}`);
    writeOld(join(folder, 'in/a.csv'), `id,text\ngood,x\nbad,${'x'.repeat(1024 * 1024)}\n`);
    const config = `${source.config}
      pipelines: [{ name: p, stages: [{ class: Refuse, ids: [bad] }] }]`;
    await stored.run(config);
    expect(await source.isRead()).toBe(false);
    await stored.run(config, { keepAllFailures: true });
    expect(await source.isRead()).toBe(true);
  });
});

/** A file with the time of the start of a run would count as modified since. */
function writeOld(path: string, text: string): void {
  writeFileSync(path, text);
  utimesSync(path, new Date(), new Date(Date.now() - 60_000));
}
