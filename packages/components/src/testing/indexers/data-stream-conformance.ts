import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BulkEngine } from './bulk-engine.ts';
import { byId, EngineRuns, type Fields, outcome, QUICK } from './engine-runs.ts';
import { bulkLines, FaultyProxy } from './faulty-proxy.ts';

/**
 * The tests of data streams, for a real search engine.
 * @param canDeleteByQuery false if the server has no such endpoint
 */
export function describeDataStreams(engine: BulkEngine, url: () => string, canDeleteByQuery = true): void {
  describe('data streams', () => {
    const runs = new EngineRuns(engine);
    const directory = mkdtempSync(join(tmpdir(), 'headrace-templates-'));
    let proxy: FaultyProxy;
    beforeAll(async () => {
      proxy = await FaultyProxy.start(url());
    });
    afterAll(async () => {
      await proxy.close();
      await runs.close();
      rmSync(directory, { recursive: true });
    });
    beforeEach(() => proxy.reset());

    const templateOf = (prefix: string) => ({
      index_patterns: [`${prefix}*`],
      data_stream: {},
      priority: 500,
      template: {
        settings: { number_of_shards: 1, number_of_replicas: 0 },
        mappings: {
          properties: { '@timestamp': { type: 'date' }, n_i: { type: 'integer' }, by_s: { type: 'keyword' } },
        },
      },
    });

    /** Creates a template, and returns a name for which the first write creates a data stream. */
    async function prepare(): Promise<string> {
      const name = `hr-${randomUUID()}`;
      await engine.ask('PUT', `/_index_template/${name}`, templateOf(name));
      return name;
    }

    function events(count: number, from = 0): Fields[] {
      return Array.from({ length: count }, (_, i) => ({
        id: `d${from + i}`,
        '@timestamp': '2026-05-06T07:08:09Z',
        n_i: from + i,
      }));
    }

    it('creates the template and, with the first document, the data stream', async () => {
      const name = `hr-${randomUUID()}`;
      const file = join(directory, `${name}.json`);
      writeFileSync(file, JSON.stringify(templateOf(name)));
      const create = `create { templates { ${name}: "${file}" } }`;
      expect(outcome(await runs.send(url(), name, events(20), '', create)).succeeded).toBe(20);
      // The name is now a data stream, and no longer only a template.
      expect(outcome(await runs.send(url(), name, events(5, 20), '', create)).succeeded).toBe(5);
      expect(await engine.contents(name)).toEqual(byId(events(25)));
      expect(await engine.ask('GET', `/_resolve/index/${name}`)).toMatchObject({ data_streams: [{ name }] });
    });

    it('counts a document whose id exists as unchanged, and keeps the older one', async () => {
      const name = await prepare();
      await runs.send(url(), name, events(10));
      const changed = events(12).map((event) => ({ ...event, t_s: 'new' }));
      const result = await runs.send(url(), name, changed);
      expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded: 12, failed: {} });
      expect(result.message).toContain('Unchanged, because the destination already has them: 10 documents.');
      expect(await engine.contents(name)).toEqual(byId([...events(10), ...changed.slice(10)]));
    });

    it('neither loses nor repeats documents when answers are lost and the data stream rolls over', async () => {
      const name = await prepare();
      // The newest index of a data stream does not know the ids of the earlier ones.
      const rollOver = () => engine.ask('POST', `/${name}/_rollover`);
      proxy.faults({ kind: 'cut-reply', afterwards: rollOver }, { kind: 'cut' }, undefined, { kind: 'cut-reply' });
      const result = await runs.send(proxy.url, name, events(40), `batchSize: 10, ${QUICK}`);
      expect(outcome(result)).toEqual({ status: 'SUCCEEDED', succeeded: 40, failed: {} });
      const ids = (await engine.hits(name)).map(({ _id }) => _id);
      expect(ids.sort()).toEqual(
        events(40)
          .map(({ id }) => id)
          .sort(),
      );
    });

    it('says what is wrong with a document without a time', async () => {
      const name = await prepare();
      const result = await runs.send(url(), name, [...events(3), { id: 'x', n_i: 1 }]);
      expect(outcome(result)).toMatchObject({
        succeeded: 3,
        failed: { x: expect.stringMatching(/timestamp field.*set it in the pipeline, with RenameFields/s) },
      });
      expect(await engine.contents(name)).toEqual(byId(events(3)));
    });

    it('writes to the data stream or the index that a placeholder or a field names', async () => {
      const prefix = await prepare();
      const index = `plain-${randomUUID()}`;
      const documents = events(8).map((event, i) => ({ ...event, kind: i % 2 === 0 ? 'a' : 'b' }));
      const deletes = 'deletionMarkerField: del, deletionMarkerFieldValue: "true"';
      const sent = await runs.send(
        proxy.url,
        `${prefix}-{kind}`,
        [...documents, { id: 'd0', kind: 'a', del: true }],
        deletes,
      );
      expect(outcome(sent)).toMatchObject({
        succeeded: 8,
        failed: {
          d0: `${prefix}-a is a data stream. A data stream only adds documents: no document can be deleted by its id`,
        },
      });
      // The first request shows which names are data streams, and writes nothing.
      const actions = bulkLines(proxy.bodies.join('')).map(({ action }) => action);
      expect(actions.filter((action) => action === 'create')).toHaveLength(8);
      expect(Object.keys(await engine.contents(`${prefix}-b`)).sort()).toEqual(['d1', 'd3', 'd5', 'd7']);

      const mixed = [
        { ...documents[0], id: 'e1' },
        { id: 'e2', ix: index, n_i: 1 },
      ];
      const result = await runs.send(url(), `${prefix}-a`, mixed, `indexOverrideField: ix, ${deletes}`);
      expect(outcome(result)).toMatchObject({ succeeded: 2, failed: {} });
      const gone = await runs.send(
        url(),
        `${prefix}-a`,
        [{ id: 'e2', ix: index, del: true }],
        `indexOverrideField: ix, ${deletes}`,
      );
      expect(outcome(gone)).toMatchObject({ succeeded: 1, failed: {} });
      expect(await engine.contents(index)).toEqual({});
      const updated = await runs.send(url(), `${prefix}-{kind}`, [documents[1] as Fields], '', 'update: true');
      expect(outcome(updated).failed).toEqual({
        d1: `${prefix}-b is a data stream. A data stream only adds documents: existing documents cannot be updated`,
      });
    });

    it.each([
      ['', 'update: true', /existing documents cannot be updated/],
      ['versionType: External, versionField: n_i', '', /there are no external versions/],
    ])('fails each document with the reason: %s %s', async (settings, more, reason) => {
      const name = await prepare();
      const { failed } = outcome(await runs.send(url(), name, events(2), settings, more));
      expect(failed).toEqual({ d0: expect.stringMatching(reason), d1: expect.stringMatching(reason) });
      expect(failed.d0).toContain(`${name} is a data stream`);
    });

    it.each([
      ['', 'skipUnchanged: true, hashesFile: "/dev/null"', /a changed document with the same id cannot be sent/],
      ['', 'sync { deleteMissing: true }', /deleteMissing would delete them/],
      ['', 'create { settings { number_of_shards: 1 } }', /create.settings has no effect for a data stream/],
      ['childrenField: p', '', /the children of an earlier version cannot be replaced/],
    ])('refuses at the start: %s %s', async (settings, more, reason) => {
      const name = await prepare();
      const result = await runs.send(url(), name, events(2), settings, more);
      expect(result.status).toBe('FAILED');
      expect(result.message).toMatch(reason);
      expect(result.message).toContain(`${name} is a data stream`);
      expect(await engine.ask('GET', `/_resolve/index/${name}*`)).toMatchObject({ data_streams: [] });
    });

    it('is known to validate --connect, also before the template exists', async () => {
      const name = `hr-${randomUUID()}`;
      const file = join(directory, `${name}.json`);
      writeFileSync(file, JSON.stringify(templateOf(name)));
      const templates = `templates { ${name}: "${file}" }`;
      const checkAccess = (settings: string, more: string) =>
        runs.checkAccess(engine.config(url(), name, settings, more));
      expect(await checkAccess('', `create { ${templates} }`)).toEqual([]);
      expect(
        await checkAccess('', `create { ${templates}, settings { number_of_shards: 1 } }, update: true`),
      ).toMatchObject(
        [
          { path: /create\.settings$/, message: expect.stringContaining('create.settings has no effect') },
          { path: /update$/, message: expect.stringContaining(`${name} is a data stream. A data stream only adds`) },
        ].map(({ path, message }) => ({ path: expect.stringMatching(path), message })),
      );
      expect(await checkAccess('', 'dataStream: true')).toMatchObject([
        { message: expect.stringContaining('is no data stream, and no index template would make it one') },
        { severity: 'warning', message: expect.stringContaining(`has no index ${name}`) },
      ]);
      await engine.ask('PUT', `/_index_template/${name}`, templateOf(name));
      expect(await checkAccess('', 'dataStream: true')).toEqual([]);
    });

    it('refuses a routing key with the reason of the server', async () => {
      const name = await prepare();
      const [event] = events(1);
      const result = await runs.send(url(), name, [{ ...event, r_s: 'k' }], 'routingField: r_s');
      expect(outcome(result).failed).toEqual({ d0: expect.stringContaining('custom routing') });
    });

    it('refuses dataStream: true for a name that would become an index', async () => {
      const result = await runs.send(url(), `plain-${randomUUID()}`, events(1), '', 'dataStream: true');
      expect(result.message).toMatch(/is no data stream, and no index template would make it one/);
    });

    it.skipIf(!canDeleteByQuery)('deletes by a field', async () => {
      const name = await prepare();
      await runs.send(
        url(),
        name,
        events(6).map((event, i) => ({ ...event, by_s: i < 2 ? 'old' : 'new' })),
      );
      // A run sees the documents of earlier runs after a refresh.
      await engine.hits(name);
      const settings =
        'deletionMarkerField: del, deletionMarkerFieldValue: "true", deleteByFieldField: f, deleteByFieldValue: v';
      const result = await runs.send(url(), name, [{ id: 'x', del: true, f: 'by_s', v: 'old' }], settings);
      expect(outcome(result)).toMatchObject({ succeeded: 1, failed: {} });
      expect(Object.keys(await engine.contents(name)).sort()).toEqual(['d2', 'd3', 'd4', 'd5']);
    });
  });
}
