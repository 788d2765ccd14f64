import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { type Fields, type RebuildRuns, versioned } from './rebuild-runs.ts';
import { rebuildTest } from './rebuild-test.ts';

const RUN = `
const { RebuildRuns } = await import('./rebuild-runs.ts');
const [config] = process.argv.slice(1);
const runs = new RebuildRuns('OpenSearch', () => '');
await runs.start(config).done;
`;

/** Tests of `skipUnchanged` with a real search engine. */
export function describeSkipping(type: 'OpenSearch' | 'Elasticsearch', url: () => string): void {
  const it = rebuildTest(type, url);

  const block = (runs: RebuildRuns, more = '') =>
    `skipUnchanged: true, hashesFile: "${join(runs.folder, 'hashes')}", ${more}`;
  /** Runs documents. Returns the status, and how many of them succeeded and were not sent. */
  const runWith =
    (runs: RebuildRuns) =>
    async (documents: readonly Fields[], more = '', blocks = '') => {
      const handle = runs.start(runs.config(documents, block(runs, more), blocks));
      const { status, counts, message } = await handle.done;
      const { published, succeeded, failed, dropped } = counts;
      expect(published).toBe(succeeded + failed + dropped);
      return { status, succeeded, failed, message, unchanged: handle.progress().indexing?.unchanged };
    };

  describe('skipUnchanged', () => {
    it('sends only what has changed since the last run, and counts the others as unchanged', async ({ runs }) => {
      const run = runWith(runs);
      expect(await run(versioned(100, 1))).toMatchObject({ status: 'SUCCEEDED', succeeded: 100, unchanged: 0 });
      const again = await run(versioned(100, 1));
      expect(again).toMatchObject({ succeeded: 100, unchanged: 100 });
      expect(again.message).toContain('Unchanged, because the destination already has them: 100 documents.');
      const changed = [...versioned(98, 1), { id: 'd98', version: 2 }, { id: 'd99', version: 2 }, { id: 'new' }];
      expect(await run(changed)).toMatchObject({ succeeded: 101, unchanged: 98 });
      // All versions of a changed document are sent, because the last one counts.
      const versions = [
        { id: 'd98', version: 2 },
        { id: 'd98', version: 3 },
        { id: 'd98', version: 2 },
      ];
      expect(await run(versions)).toMatchObject({ succeeded: 3, unchanged: 0 });
      await runs.ask('POST', `/${runs.alias}/_refresh`);
      expect([await runs.count('version:1'), await runs.count('version:2'), await runs.count()]).toEqual([98, 2, 101]);
    });

    it('sends documents again that failed, were deleted by a run, or were written with external versions', async ({
      runs,
    }) => {
      const run = runWith(runs);
      const strict = 'create.mappings.properties.version.type: integer';
      const marked = 'indexer { deletionMarkerField: gone, deletionMarkerFieldValue: "true" }';
      const bad = { id: 'bad', version: 'no number' };
      expect(await run([...versioned(10, 1), bad], strict, marked)).toMatchObject({ failed: 1, unchanged: 0 });
      expect(await run([...versioned(10, 1), bad], strict, marked)).toMatchObject({ failed: 1, unchanged: 10 });
      expect(await run([{ id: 'd1', gone: true }], strict, marked)).toMatchObject({ unchanged: 0 });
      expect(await run(versioned(10, 1), strict, marked)).toMatchObject({ succeeded: 10, unchanged: 9 });
      await runs.ask('POST', `/${runs.alias}/_refresh`);
      expect(await runs.count()).toBe(10);
      const external = 'indexer { versionType: External, versionField: version }';
      const newer = versioned(10, 5);
      expect(await run(newer, strict, external)).toMatchObject({ succeeded: 10, unchanged: 0 });
      expect(await run(newer, strict, external)).toMatchObject({ succeeded: 10, unchanged: 10 });
      // What the index acknowledges without a write does not look like a write of another program.
      const older = [...versioned(10, 3), { id: 'never', version: 3, gone: true }];
      expect(await run(older, strict, `${external}\n${marked}`)).toMatchObject({ succeeded: 11, unchanged: 0 });
      expect(await run(versioned(10, 3), strict, external)).toMatchObject({ succeeded: 10, unchanged: 10 });
    });

    it('sends a document again whose earlier routing came back, and counts what an ingest pipeline drops', async ({
      runs,
    }) => {
      const run = runWith(runs);
      const pipeline = `${runs.alias}-drop`;
      const drop = { drop: { if: 'ctx.shop == "closed"' } };
      // The distribution of Elasticsearch for tests has no processors.
      const processors = type === 'OpenSearch' ? [drop] : [];
      await runs.ask('PUT', `/_ingest/pipeline/${pipeline}`, { processors });
      const dropping = `create.settings { number_of_shards: 1, default_pipeline: "${pipeline}" }`;
      const routed = 'indexer.routingField: shop';
      const shops = (a: string) => [
        { id: 'a', shop: a },
        { id: 'b', shop: 'north' },
        { id: 'c', shop: 'closed' },
      ];
      expect(await run(shops('north'), dropping, routed)).toMatchObject({ succeeded: 3, unchanged: 0 });
      expect(await run(shops('south'), dropping, routed)).toMatchObject({ succeeded: 3, unchanged: 2 });
      expect(await run(shops('north'), dropping, routed)).toMatchObject({ succeeded: 3, unchanged: 2 });
      await runs.ask('POST', `/${runs.alias}/_refresh`);
      expect([await runs.count('shop:north'), await runs.count()]).toEqual([2, 3 - processors.length]);
    });

    it('sends everything if another program changed or created the index, and the next run is fast again', async ({
      runs,
    }) => {
      const run = runWith(runs);
      await run(versioned(20, 1));
      await runs.ask('DELETE', `/${runs.alias}/_doc/d3?refresh=true`);
      expect(await run(versioned(20, 1))).toMatchObject({ unchanged: 0 });
      expect(await runs.ids()).toHaveLength(20);
      expect(await run(versioned(20, 1))).toMatchObject({ unchanged: 20 });
      // Another program may also write during a run.
      const handle = runs.start(runs.config(versioned(4000, 2), block(runs)));
      while (handle.progress().counts.succeeded < 100) await sleep(5);
      await runs.ask('PUT', `/${runs.alias}/_doc/d3?refresh=true`, { id: 'd3', version: 9 });
      await handle.done;
      expect(await run(versioned(20, 2))).toMatchObject({ unchanged: 0 });
      expect(await run(versioned(20, 2))).toMatchObject({ unchanged: 20 });
      await runs.ask('DELETE', `/${runs.alias}`);
      expect(await run(versioned(20, 1))).toMatchObject({ unchanged: 0 });
      // The search engine creates the index again for the rest of the documents.
      const halved = runs.start(runs.config(versioned(4000, 3), block(runs)));
      while (halved.progress().counts.succeeded < 100) await sleep(5);
      await runs.ask('DELETE', `/${runs.alias}`);
      await halved.done;
      expect(await run(versioned(20, 3))).toMatchObject({ unchanged: 0 });
      expect(await run(versioned(20, 1))).toMatchObject({ unchanged: 0 });
      await runs.ask('PUT', `/${runs.alias}/_mapping`, { properties: { more: { type: 'keyword' } } });
      expect(await run(versioned(20, 1))).toMatchObject({ unchanged: 0 });
      expect(await run(versioned(20, 1))).toMatchObject({ unchanged: 20 });
    });

    it('deletes what the source no longer has, together with sync.deleteMissing', async ({ runs }) => {
      const run = runWith(runs);
      const sync = 'sync { deleteMissing: true, maxDeletePercent: 30 }';
      await runs.ask('PUT', `/${runs.alias}/_doc/old`, { id: 'old', run_id: 'x' });
      const odd = { id: 'é "1"', version: 1 };
      expect(await run([...versioned(10, 1), odd], sync)).toMatchObject({ status: 'SUCCEEDED', unchanged: 0 });
      expect(await runs.ids()).not.toContain('old');
      const second = await run(versioned(8, 1), sync);
      expect(second).toMatchObject({ status: 'SUCCEEDED', unchanged: 8 });
      expect(second.message).toContain('the source no longer had 3 documents of 11 (27.28 %): 3 deleted');
      expect(await runs.ids()).toEqual(versioned(8, 1).map(({ id }) => id));
      const tooMany = await run(versioned(2, 1), sync);
      expect(tooMany).toMatchObject({ status: 'FAILED', unchanged: 2 });
      expect(await run(versioned(8, 1), sync)).toMatchObject({ status: 'SUCCEEDED', unchanged: 8 });
    });

    it('refuses a second run at the same time, and continues after a killed run without losing a change', async ({
      runs,
    }) => {
      const run = runWith(runs);
      await run(versioned(20, 0));
      const documents = versioned(8000, 1);
      const config = runs.config(documents, block(runs));
      const child = spawn(process.execPath, ['-e', RUN, config], {
        cwd: import.meta.dirname,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const written = async () => {
        const path = `/${runs.alias}/_stats/indexing?filter_path=_all.primaries.indexing.index_total`;
        const stats = await runs.ask('GET', path);
        return (stats as { _all: { primaries: { indexing: { index_total: number } } } })._all.primaries.indexing
          .index_total;
      };
      while (child.exitCode === null && (await written()) < 2000) await sleep(2);
      // A stopped process still holds the file.
      child.kill('SIGSTOP');
      const second = await run(documents);
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      expect(second).toMatchObject({ status: 'FAILED' });
      expect(second.message).toMatch(/Another run uses the hashes.*Wait until it has ended/s);
      const third = await run(documents);
      expect(third).toMatchObject({ status: 'SUCCEEDED', succeeded: 8000 });
      expect(third.unchanged).toBeGreaterThan(0);
      expect(third.unchanged).toBeLessThan(8000);
      await runs.ask('POST', `/${runs.alias}/_refresh`);
      expect([await runs.count('version:1'), await runs.count()]).toEqual([8000, 8000]);
    });

    it('is refused together with settings for which it cannot know what is in the index', async ({ runs }) => {
      const refused = async (more: string, blocks = '') =>
        runs.run([], block(runs, more), blocks).then(({ message }) => message);
      expect(await refused('rebuild {}')).toContain('a rebuild writes to a new index');
      expect(await refused('update: true')).toContain('update changes a part');
      const by =
        'indexer { deletionMarkerField: a, deletionMarkerFieldValue: b, deleteByFieldField: c, deleteByFieldValue: d }';
      expect(await refused('', by)).toContain('deletes documents that skipUnchanged cannot know');
      const sync = 'sync.deleteMissing: true';
      expect(await refused(sync, 'indexer.routingField: a')).toContain('and not their routing');
      expect(await refused('', 'indexer.childrenField: a')).toContain('indexer.childrenField deletes documents');
      expect(await refused('', 'indexer.indexOverrideField: a')).toContain('one index with a fixed name');
    });
  });
}
