import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunHandle } from '@headrace/engine';
import { StubServer } from '@headrace/testing/stub-server';
import { describe, expect, onTestFinished } from 'vitest';
import { HeldFeed } from './held-feed.ts';
import type { Fields, RebuildRuns } from './rebuild-runs.ts';
import { rebuildTest } from './rebuild-test.ts';

const DELETES = 'indexer { deletionMarkerField: gone, deletionMarkerFieldValue: "true", blacklist: [gone] }';
const CREATE = 'create { mappings { properties { title { type: keyword }, stock { type: integer } } } }';
const REBUILD = `${CREATE}, rebuild { keep: 0 }`;

/** A rebuild whose source was asked for its documents, and has not answered. */
class OpenRebuild {
  readonly run: RunHandle;
  readonly #release: () => void;

  private constructor(run: RunHandle, release: () => void) {
    this.run = run;
    this.#release = release;
  }

  /** Starts a rebuild with these documents. Resolves when it has begun to read them. */
  static async start(
    runs: RebuildRuns,
    documents: readonly Fields[],
    block = REBUILD,
    more = '',
    url?: string,
  ): Promise<OpenRebuild> {
    const feed = await HeldFeed.start(documents);
    const run = runs.start(runs.configOf(feed.source, block, more, url));
    const ended = run.done.then(({ message }) => {
      throw new Error(message);
    });
    await Promise.race([feed.asked, ended]);
    ended.catch(() => undefined);
    return new OpenRebuild(run, feed.release);
  }

  /** Lets it read its documents, and waits for its end. */
  finish() {
    this.#release();
    return this.run.done;
  }
}

function products(count: number, title: string): Fields[] {
  return Array.from({ length: count }, (_, i) => ({ id: `p${i}`, title }));
}

/** Returns the documents of the alias with their titles and stocks, by id. */
async function found(runs: RebuildRuns): Promise<Record<string, Fields>> {
  await runs.ask('POST', `/${runs.alias}/_refresh`);
  const answer = await runs.ask('POST', `/${runs.alias}/_search`, { size: 10_000, _source: ['title', 'stock'] });
  const { hits } = (answer as { hits: { hits: { _id: string; _source: Fields }[] } }).hits;
  return Object.fromEntries(hits.map(({ _id, _source }) => [_id, _source]));
}

/** Tests of runs that write to an alias while it is rebuilt. */
export function describeBeside(type: 'OpenSearch' | 'Elasticsearch', url: () => string): void {
  const it = rebuildTest(type, url);

  describe('runs beside a rebuild of their alias', () => {
    it('keeps what they change, delete and create, in the order of the index', async ({ runs }) => {
      await runs.run(products(300, 'old'), REBUILD);
      const rebuild = await OpenRebuild.start(runs, products(300, 'rebuilt'));
      const changed = [
        { id: 'p1', title: 'first' },
        { id: 'p1', title: 'second' },
        { id: 'p2', gone: 'true' },
        { id: 'new', title: 'new' },
        { id: 'p3', gone: 'true' },
        { id: 'p3', title: 'back' },
      ];
      expect(await runs.run(changed, '', DELETES)).toMatchObject({ status: 'SUCCEEDED' });
      const update = await runs.run(
        [
          { id: 'p4', stock: 7 },
          { id: 'p5', stock: 8 },
        ],
        'update: true',
      );
      expect(update).toMatchObject({ status: 'SUCCEEDED' });
      const { status, checks } = await rebuild.finish();
      expect([status, checks]).toEqual([
        'SUCCEEDED',
        expect.arrayContaining([
          expect.objectContaining({ name: 'changes', found: '8 changes of other runs repeated in the new index' }),
          expect.objectContaining({ name: 'foreignWrites', outcome: 'passed', found: 'none' }),
        ]),
      ]);
      const documents = await found(runs);
      expect(Object.keys(documents)).toHaveLength(300);
      expect(documents).toMatchObject({
        p0: { title: 'rebuilt' },
        p1: { title: 'second' },
        new: { title: 'new' },
        p3: { title: 'back' },
        p4: { title: 'rebuilt', stock: 7 },
        p5: { title: 'rebuilt', stock: 8 },
      });
      expect(documents).not.toHaveProperty('p2');
      // Nothing is recorded any more.
      await runs.run([{ id: 'p1', title: 'later' }], '');
      expect((await found(runs))['p1']).toMatchObject({ title: 'later' });
    });

    it('moves the alias between the requests of runs that never stop writing, and loses none', async ({ runs }) => {
      await runs.run(products(100, 'old'), REBUILD);
      const rebuild = await OpenRebuild.start(runs, products(2000, 'rebuilt'));
      let isDone = false;
      const write = async (from: number) => {
        let version = 0;
        while (!isDone || version < 2) {
          version++;
          const changed = products(100, `v${version}`).map(({ title }, i) => ({ id: `p${from + i}`, title }));
          expect(await runs.run(changed, '')).toMatchObject({ status: 'SUCCEEDED' });
        }
        return version;
      };
      const writers = [write(0), write(100), write(2000)];
      const { status, message } = await rebuild.finish();
      isDone = true;
      expect([status, message]).toEqual(['SUCCEEDED', expect.stringContaining('Check foreignWrites: passed. none')]);
      const versions = await Promise.all(writers);
      const documents = await found(runs);
      expect(Object.keys(documents)).toHaveLength(2100);
      for (const [i, from] of [0, 100, 2000].entries()) {
        const titles = Array.from({ length: 100 }, (_, at) => documents[`p${from + at}`]?.['title']);
        expect(new Set(titles)).toEqual(new Set([`v${versions[i]}`]));
      }
    });

    it('knows that requests without an answer may have been executed', async ({ runs }) => {
      await runs.run(products(20, 'old'), REBUILD);
      let isLost = false;
      const proxy = await StubServer.start(async ({ method, path, body }, response) => {
        const headers = { 'content-type': path.startsWith('/_bulk') ? 'application/x-ndjson' : 'application/json' };
        const answer = await fetch(url() + path, { method, headers, ...(body === '' ? {} : { body }) });
        if (path.startsWith('/_bulk') && !isLost) {
          isLost = true;
          response.destroy();
          return;
        }
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
      });
      onTestFinished(() => proxy.close());
      // Both use the same address.
      const rebuild = await OpenRebuild.start(runs, products(20, 'rebuilt'), REBUILD, '', proxy.url);
      const changed = join(runs.folder, 'changed.jsonl');
      writeFileSync(changed, '{"id": "p1", "title": "changed"}');
      const source = `class: JSONConnector, jsonPath: "${changed}"`;
      await runs.start(runs.configOf(source, '', '', proxy.url)).done;
      expect(isLost).toBe(true);
      const { status, message } = await rebuild.finish();
      expect([status, message]).toEqual([
        'SUCCEEDED',
        expect.stringMatching(
          /none for certain: the origin of 1 write to .* without a known outcome may have made up to 1/,
        ),
      ]);
      expect((await found(runs))['p1']).toEqual({ title: 'changed' });
    });

    it('reports writes of other programs between its check and the move of the alias', async ({ runs }) => {
      await runs.run(products(20, 'old'), REBUILD);
      const [live] = await runs.targets();
      const proxy = await StubServer.start(async ({ method, path, body }, response) => {
        const headers = { 'content-type': path.startsWith('/_bulk') ? 'application/x-ndjson' : 'application/json' };
        if (method === 'POST' && path === '/_aliases') await runs.ask('PUT', `/${live}/_doc/p2`, { title: 'late' });
        const answer = await fetch(url() + path, { method, headers, ...(body === '' ? {} : { body }) });
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
      });
      onTestFinished(() => proxy.close());
      const keep = `${CREATE}, rebuild { keep: 1 }`;
      const rebuild = await OpenRebuild.start(runs, products(20, 'rebuilt'), keep, '', proxy.url);
      const { status, message } = await rebuild.finish();
      expect([status, message]).toEqual([
        'SUCCEEDED',
        expect.stringMatching(
          /foreignWrites: passed. 1 write to .* which the new index lacks, just before the alias moved/,
        ),
      ]);
    });

    it('cancels a move of the alias whose outcome it does not know, before another run writes', async ({ runs }) => {
      await runs.run(products(20, 'old'), REBUILD);
      const [live] = await runs.targets();
      const held: string[] = [];
      const proxy = await StubServer.start(async ({ method, path, body }, response) => {
        const headers = { 'content-type': path.startsWith('/_bulk') ? 'application/x-ndjson' : 'application/json' };
        if (path === '/_aliases' && body.includes('"add"')) {
          held.push(body);
          response.writeHead(400, { 'content-type': 'application/json' }).end('{"error": {"reason": "lost"}}');
          return;
        }
        const answer = await fetch(url() + path, { method, headers, ...(body === '' ? {} : { body }) });
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
      });
      onTestFinished(() => proxy.close());
      const rebuild = await OpenRebuild.start(runs, products(20, 'rebuilt'), REBUILD, '', proxy.url);
      const { status, message } = await rebuild.finish();
      expect([status, message]).toEqual(['FAILED', expect.stringContaining('lost')]);
      const changed = join(runs.folder, 'changed.jsonl');
      writeFileSync(changed, '{"id": "p1", "title": "changed"}');
      const source = `class: JSONConnector, jsonPath: "${changed}"`;
      expect(await runs.start(runs.configOf(source, '', '', proxy.url)).done).toMatchObject({ status: 'SUCCEEDED' });
      // The search engine executes the first request now.
      const headers = { 'content-type': 'application/json' };
      const late = await fetch(`${url()}/_aliases`, { method: 'POST', headers, body: held[0] as string });
      expect(late.status).toBe(404);
      expect(await runs.targets()).toEqual([live]);
      expect((await found(runs))['p1']).toMatchObject({ title: 'changed' });
    });

    it('waits for runs that delete by a query, and these wait for it', async ({ runs }) => {
      await runs.run(products(20, 'old'), REBUILD);
      const rebuild = await OpenRebuild.start(runs, products(20, 'rebuilt'));
      const sync = runs.run(products(5, 'synced'), 'sync { deleteMissing: true, maxDeletePercent: 100 }');
      const other = await runs.run([{ id: 'p7', title: 'changed' }], '');
      expect(other).toMatchObject({ status: 'SUCCEEDED' });
      expect(await rebuild.finish()).toMatchObject({ status: 'SUCCEEDED' });
      expect(await sync).toMatchObject({ status: 'SUCCEEDED' });
      expect(await runs.ids()).toEqual(products(5, '').map(({ id }) => id));
    });

    it('succeed if a change cannot be recorded, and the rebuild fails with the reason', async ({ runs }) => {
      await runs.run(products(20, 'old'), REBUILD);
      const [live] = await runs.targets();
      const rebuild = await OpenRebuild.start(runs, products(20, 'rebuilt'));
      const journal = readdirSync(runs.folder).find((name) => name.endsWith('.journal'));
      rmSync(join(runs.folder, journal as string));
      expect(await runs.run([{ id: 'p1', title: 'changed' }], '')).toMatchObject({ status: 'SUCCEEDED' });
      const { status, message } = await rebuild.finish();
      expect([status, message]).toEqual([
        'FAILED',
        expect.stringMatching(
          /The rebuild lacks changes of other runs: .* could not be recorded: the rebuild has removed/,
        ),
      ]);
      expect(await runs.targets()).toEqual([live]);
      expect((await found(runs))['p1']).toMatchObject({ title: 'changed' });
    });

    it('fail it if the new index refuses what they have changed', async ({ runs }) => {
      await runs.run(products(20, 'old'), REBUILD);
      const strict = 'create { mappings { dynamic: strict, properties { title { type: keyword } } } }';
      const fields = 'indexer { whitelist: [title] }';
      const rebuild = await OpenRebuild.start(runs, products(20, 'rebuilt'), `${strict}, rebuild { keep: 0 }`, fields);
      expect(await runs.run([{ id: 'p1', title: 'new', color: 'red' }], '')).toMatchObject({ status: 'SUCCEEDED' });
      const { status, message } = await rebuild.finish();
      expect([status, message]).toEqual([
        'FAILED',
        expect.stringMatching(
          /Check changes: FAILED. 1 change of other runs .*it has refused 1, the first one: .*mapping set to strict/,
        ),
      ]);
    });

    it('counts writes of other programs, and fails or reports them as the config says', async ({ runs }) => {
      await runs.run(products(20, 'old'), REBUILD);
      const [live] = await runs.targets();
      const rebuild = await OpenRebuild.start(runs, products(20, 'rebuilt'));
      await runs.run([{ id: 'p1', title: 'known' }], '');
      await runs.ask('PUT', `/${live}/_doc/p2`, { title: 'foreign' });
      const failed = await rebuild.finish();
      expect([failed.status, failed.message]).toEqual([
        'FAILED',
        expect.stringContaining(`1 write to ${live} that no run of this process has made`),
      ]);
      expect(await runs.targets()).toEqual([live]);
      const block = `${CREATE}, rebuild { keep: 0, foreignWrites: report }`;
      const reporting = await OpenRebuild.start(runs, products(20, 'rebuilt'), block);
      await runs.ask('DELETE', `/${live}/_doc/p3`);
      const { status, message } = await reporting.finish();
      expect([status, message]).toEqual(['SUCCEEDED', expect.stringContaining(`1 write to ${live}`)]);
    });
  });
}
