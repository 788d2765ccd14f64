import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogUrl } from '@headrace/components';
import { type RunResult, readConfigText } from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
import { describeWithServer, type RealServer } from '@headrace/testing/real-server';
import { afterAll, expect, it } from 'vitest';

/** Runs configs into a collection or core of Solr. */
function runsOf(server: RealServer, isCloud: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-solr-'));
  const threads = new RunLauncher({ heapMb: 256, keepWarm: true });
  afterAll(async () => {
    await threads.close();
    rmSync(folder, { recursive: true });
  });
  const requestOf = (target: string, documents: readonly object[], block: string) => {
    const path = join(folder, `${randomUUID()}.jsonl`);
    writeFileSync(path, documents.map((document) => `${JSON.stringify(document)}\n`).join(''));
    const where = isCloud
      ? `useCloudClient: true, url: ["${server.url}"], defaultCollection: "${target}"`
      : `url: "${server.url}/${target}"`;
    const { root, problems } = readConfigText(`
      connectors: [{class: JSONConnector, name: c, pipeline: p, jsonPath: "${path}"}]
      pipelines: [{name: p, stages: []}]
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
    reach: async (target: string, block: string) =>
      (await threads.reach(requestOf(target, [], block), 30_000)).map(({ severity, path, message }) => [
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
    expect(await runs.reach(target, block('string'))).toEqual([]);
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
    expect(await runs.reach(target, block('text_general'))).toEqual(differs);
    await runs.run(target, [], block('text_general', 'update: true'));
    expect(await runs.reach(target, block('text_general'))).toEqual([]);
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
  });
});

await describeWithServer(
  'solr',
  (server) => {
    it('create of Solr makes a missing collection of a SolrCloud with its shards and fields', async () => {
      const runs = runsOf(server, true);
      const target = `created-${randomUUID()}`;
      const block = 'create { shards: 2, fields { label { type: string, multiValued: false } } }';
      expect(await runs.reach(target, block)).toEqual([]);
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
    });
  },
  { SOLR_MODE: 'cloud' },
);
