import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { catalogUrl } from '@headrace/components';
import { type RunResult, readConfigText } from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
import { describeWithServer, type RealServer } from '@headrace/testing/real-server';
import { afterAll, test as base, describe, expect, it } from 'vitest';
import { CollectionRuns } from './collection-runs.ts';
import { HeldFeed } from './held-feed.ts';
import { killRebuilds } from './rebuild-kills.ts';
import { versioned } from './rebuild-runs.ts';

/** Runs configs into a collection or core of Solr. */
function runsOf(server: RealServer, isCloud: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-solr-'));
  const threads = new RunLauncher({ heapMb: 256, keepWarm: false, isLocal: true });
  afterAll(async () => {
    await threads.close();
    rmSync(folder, { recursive: true });
  });
  const requestOf = (target: string, documents: readonly object[], block: string, stages = '') => {
    const path = join(folder, `${randomUUID()}.jsonl`);
    writeFileSync(path, documents.map((document) => `${JSON.stringify(document)}\n`).join(''));
    const where = isCloud
      ? `useCloudClient: true, url: ["${server.url}"], defaultCollection: "${target}"`
      : `url: "${server.url}/${target}"`;
    const { root, problems } = readConfigText(`
      connectors: [{class: JSONConnector, name: c, pipeline: p, jsonPath: "${path}"}]
      pipelines: [{name: p, stages: [${stages}]}]
      indexer { type: Solr, batchTimeout: 50 }
      solr { ${where}, ${block} }`);
    if (root === undefined) throw new Error(JSON.stringify(problems));
    return { root, registry: { catalogs: [catalogUrl], modules: [], base: import.meta.url, allowModules: false } };
  };
  const ask = async (path: string) => {
    const answer = await fetch(`${server.url}${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json() as Promise<{ field: object; response: { docs: { id: string }[] } }>;
  };
  return {
    run: (...given: Parameters<typeof requestOf>): Promise<RunResult> =>
      threads.start({ runId: randomUUID(), ...requestOf(...given) }).done,
    checkAccess: async (target: string, block: string) =>
      (await threads.checkAccess(requestOf(target, [], block), 30_000)).map(({ severity, path, message }) => [
        severity,
        path.replace('solr.create.', ''),
        message,
      ]),
    field: async (target: string, name: string) => (await ask(`/${target}/schema/fields/${name}?wt=json`)).field,
    ids: async (target: string): Promise<string[]> => {
      const { response } = await ask(`/${target}/select?q=*:*&rows=1000&fl=id&wt=json`);
      return response.docs.map(({ id }) => id).toSorted();
    },
  };
}

const documents = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ id: `d${from + i + 100}` }));

await describeWithServer('solr', (server) => {
  it('create of Solr adds missing fields, changes no existing one, and reports each difference with its position', async () => {
    const runs = runsOf(server, false);
    const target = server.database;
    const block = (type: string, more = '') =>
      `create { fields { label { type: ${type}, stored: true, multiValued: false } }, ${more} }`;
    expect(await runs.checkAccess(target, block('string'))).toEqual([]);
    expect((await runs.run(target, [{ id: 'a', label: 'x' }], block('string'))).status).toBe('SUCCEEDED');
    expect(await runs.field(target, 'label')).toMatchObject({ type: 'string', multiValued: false });
    const differs = [
      [
        'warning',
        'fields.label.type',
        `type of the field label is "string" in ${target}, but the config says "text_general"`,
      ],
    ];
    await runs.run(target, [], block('text_general'));
    expect(await runs.checkAccess(target, block('text_general'))).toEqual(differs);
    await runs.run(target, [], block('text_general', 'update: true'));
    expect(await runs.checkAccess(target, block('text_general'))).toEqual([]);
    expect((await runs.run(target, [], block('no_such_type', 'update: true'))).message).toContain('no_such_type');
  });

  it('sync of Solr deletes what a complete run did not write, within the limit and only of its source', async () => {
    const runs = runsOf(server, false);
    const target = server.database;
    const block = 'sync { deleteMissing: true, where: "id:d*" }';
    // Both tests use one core.
    await runs.run(target, [{ id: 'other' }], 'sync { deleteMissing: true, maxDeletePercent: 100 }');
    await runs.run(target, documents(0, 20), 'sync { deleteMissing: true, maxDeletePercent: 100, where: "id:d*" }');
    const second = await runs.run(target, documents(3, 20), block);
    expect([second.message, second.checks?.map(({ found }) => found)]).toEqual([
      expect.stringContaining('RUN SUMMARY: Success.'),
      ['the source no longer had 3 documents of 20 (15 %): 3 deleted'],
    ]);
    expect(await runs.ids(target)).toEqual([...documents(3, 20).map(({ id }) => id), 'other']);
    const tooMany = await runs.run(target, documents(10, 20), block);
    expect([tooMany.status, tooMany.checks?.[0]?.outcome]).toEqual(['FAILED', 'failed']);
    const failed = await runs.run(target, [...documents(4, 20), { id: 'bad', label: { no: 'text' } }], block);
    expect(failed.checks?.map(({ outcome }) => outcome)).toEqual(['not run']);
    expect(await runs.ids(target)).toHaveLength(18);
    // Nested documents are of the same run as their document, and are deleted with it.
    const nested = async (...ids: string[]) => {
      const texts = ids.map((id) => ({ id, body_s: 'one. two.' }));
      const stage = '{class: ChunkText, source: body_s, chunkingMethod: fixed, lengthToSplit: 5}';
      const all = 'sync { deleteMissing: true, maxDeletePercent: 100, where: "id:n*" }';
      expect((await runs.run(target, texts, all, stage)).status).toBe('SUCCEEDED');
      return (await runs.ids(target)).filter((id) => id.startsWith('n'));
    };
    expect(await nested('n1', 'n2')).toEqual(['n1', 'n1-1', 'n1-2', 'n2', 'n2-1', 'n2-2']);
    expect(await nested('n2')).toEqual(['n2', 'n2-1', 'n2-2']);
  });
});

await describeWithServer(
  'solr',
  (server) => {
    it('create of Solr makes a missing collection of a SolrCloud with its shards and fields', async () => {
      const runs = runsOf(server, true);
      const target = `created-${randomUUID()}`;
      const block = 'create { shards: 2, fields { label { type: string, multiValued: false } } }';
      expect(await runs.checkAccess(target, block)).toEqual([]);
      const { status, message } = await runs.run(target, documents(0, 5), `${block}, sync { deleteMissing: true }`);
      expect([status, message]).toEqual(['SUCCEEDED', expect.stringContaining('the source still has all documents')]);
      expect(await runs.field(target, 'label')).toMatchObject({ type: 'string' });
      expect(await runs.ids(target)).toHaveLength(5);
      const path = `/admin/collections?action=CLUSTERSTATUS&collection=${target}&wt=json`;
      const cluster = (await (await fetch(server.url + path)).json()) as {
        cluster: { collections: Record<string, { shards: object }> };
      };
      expect(Object.keys(cluster.cluster.collections[target]?.shards ?? {})).toHaveLength(2);
      await fetch(`${server.url}/admin/collections?action=DELETE&name=${target}&wt=json`);
      const unknown = await runs.run(`${target}-2`, [], 'create { configSet: "no-such-set" }');
      expect(unknown.message).toContain('SolrCloud has no config set no-such-set. Upload the config set');
    });

    describe('a rebuild of a collection', () => {
      const it = base.extend<{ runs: CollectionRuns }>({
        // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needed fixtures from this pattern.
        runs: async ({}, use) => {
          const runs = new CollectionRuns(() => server.url);
          await use(runs);
          await runs.close();
        },
      });
      const CREATE = 'create.fields { title { type: text_general, multiValued: false }, version { type: pint } }';

      it('moves the alias to a new collection after all checks, keeps old ones, and rolls back to them', async ({
        runs,
      }) => {
        const block = (checks: string) => `${CREATE}, rebuild { keep: 1, checks { ${checks} } }`;
        const good = `documents { maxFewerPercent: 50 }, required { title: 100 }
          queries: [{ name: seven, query { q: "title:7", defType: lucene }, expected: [d7], minMrr: 1 }]`;
        await expect(runs.rollback(block(good))).rejects.toThrow(`There is no alias ${runs.alias}`);
        for (const version of [1, 2]) {
          const { status, message } = await runs.run(versioned(20, version), block(good));
          expect([status, message]).toEqual(['SUCCEEDED', expect.stringContaining('Check query seven: passed.')]);
          expect([await runs.count(), await runs.count(`version:${version}`)]).toEqual([20, 20]);
        }
        const names = (await runs.states()).map(([name]) => name);
        const noType = await runs.run(versioned(20, 3), 'create.fields.label.type: no_such_type, rebuild {}');
        expect([noType.status, noType.message]).toEqual(['FAILED', expect.stringContaining('no_such_type')]);
        expect((await runs.states()).map(([name]) => name)).toEqual(names);
        const bad = await runs.run(versioned(5, 3), block(`${good}, required.missing: 1`));
        expect(bad.checks?.filter(({ outcome }) => outcome === 'failed').map(({ found }) => found)).toEqual([
          '5 in the new collection',
          '0 % of the documents have it',
          'MRR is 0 (hits: none; expected but not among them: d7)',
        ]);
        expect([await runs.targets(), await runs.count('version:2')]).toEqual([[names[1]], 20]);
        expect((await runs.states()).map(([, state]) => state)).toEqual(['complete', 'complete', 'failed']);
        expect(await runs.rollback(block(good))).toContain(`points to ${names[0]} again, which replaces ${names[1]}`);
        expect(await runs.count('version:1')).toBe(20);
        // The next run removes the failed collection and the one that was rolled back.
        expect((await runs.run(versioned(20, 4), block(good))).replaced).toBe(names[0]);
        expect((await runs.states()).map(([, state]) => state)).toEqual(['complete', 'complete']);
        expect([await runs.count('version:4'), (await runs.targets()).length]).toEqual([20, 1]);
      });

      it('lets other runs wait, and fails if another program writes', async ({ runs }) => {
        const rebuild = async (block: string) => {
          const feed = await HeldFeed.start(versioned(20, 2));
          const { done } = runs.start(runs.configOf(feed.source, block));
          await Promise.race([feed.asked, done.then(({ message }) => Promise.reject(new Error(message)))]);
          return { done, release: feed.release };
        };
        const post = (path: string, body: unknown) =>
          fetch(`${server.url}/${path}`, {
            method: 'POST',
            body: JSON.stringify(body),
            headers: { 'content-type': 'application/json' },
          });
        expect((await runs.run(versioned(20, 1), 'rebuild {}')).status).toBe('SUCCEEDED');
        const first = await rebuild('rebuild {}');
        const logged: string[] = [];
        const { done } = runs.start(runs.config([{ id: 'late', title: 'late' }], ''), logged);
        await expect.poll(() => logged.join()).toContain('waits for the rebuild of');
        first.release();
        expect(await first.done).toMatchObject({ status: 'SUCCEEDED' });
        expect(await done).toMatchObject({ status: 'SUCCEEDED' });
        await post(`${runs.alias}/update?wt=json`, { commit: {} });
        expect(await runs.count('id:late')).toBe(1);
        const failing = await rebuild('rebuild {}');
        await post(`${runs.alias}/update?wt=json`, { delete: { id: 'late' } });
        failing.release();
        expect((await failing.done).message).toContain('Check foreignWrites: FAILED');
        const reporting = await rebuild('rebuild { foreignWrites: report }');
        await post(`${runs.alias}/update?wt=json`, [{ id: 'foreign' }]);
        reporting.release();
        const { status, message } = await reporting.done;
        expect([status, message]).toEqual(['SUCCEEDED', expect.stringContaining('were written')]);
      });

      it('refuses a second rebuild, a rollback during a rebuild, and an alias that is a collection', async ({
        runs,
      }) => {
        expect((await runs.run(versioned(40, 1), 'rebuild {}')).status).toBe('SUCCEEDED');
        // The second connector lets the run wait until it is cancelled.
        const hold = 'connectors += { class: SleepConnector, name: hold, duration: 600000 }';
        const second = runs.start(`${runs.config(versioned(200, 2), 'rebuild {}')}\n${hold}`);
        while (second.progress().counts.succeeded < 100) await sleep(5);
        const running = `rebuild of ${runs.alias} is running: run ${second.runId}`;
        expect((await runs.run(versioned(5, 3), 'rebuild {}')).message).toContain(running);
        await expect(runs.rollback('rebuild {}')).rejects.toThrow(`A rebuild of ${runs.alias} is running`);
        second.stop('CANCELLED');
        expect([(await second.done).status, await runs.count('version:1')]).toEqual(['CANCELLED', 40]);
        const [target = ''] = await runs.targets();
        const problem = `${target} is a collection`;
        expect(await runs.checkAccess(`rebuild { alias: "${target}" }`)).toEqual([expect.stringContaining(problem)]);
        expect((await runs.run(versioned(5, 4), `rebuild { alias: "${target}" }`)).message).toContain(problem);
      });

      it('points the alias at a complete collection after each kill, and the next run removes what was left', {
        timeout: 120_000,
      }, async ({ runs }) => {
        const { moved, unmoved } = await killRebuilds(runs, 3, 1000);
        expect(moved + unmoved).toBe(3);
      });
    });
  },
  { SOLR_MODE: 'cloud' },
);
