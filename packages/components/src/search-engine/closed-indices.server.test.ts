import { randomUUID } from 'node:crypto';
import {
  type Given,
  type IndexerContext,
  type IndexerSettings,
  type IndexFailure,
  indexerSettings,
  silentNotices,
  withDefaults,
} from '@headrace/engine';
import { describeWithServer } from '@headrace/testing/real-server';
import { describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../formats/testing/collecting-publisher.ts';
import { OpenSearchIndexer } from '../indexers/opensearch-indexer.ts';
import { encodedBatch } from '../testing/encoded-batch.ts';
import { BulkEncoder, type BulkEncoderOptions } from './bulk-encoder.ts';

/** Tests indices that reject documents for reasons that are not the fault of the documents. */

await describeWithServer('opensearch', (server) => {
  const ask = async (method: string, path: string, body?: unknown): Promise<void> => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    expect(answer.status, await answer.text()).toBe(200);
  };
  const newName = () => `closed-${randomUUID()}`;

  /** Creates an index with these settings. Returns its name. */
  async function create(settings: object = {}, mappings: object = {}): Promise<string> {
    const name = newName();
    await ask('PUT', `/${name}`, { settings: { number_of_replicas: 0, ...settings }, mappings });
    return name;
  }

  /** Sends a document. Returns its result and the warnings. */
  async function send(
    index: string,
    settings: Given<IndexerSettings> = {},
    fields: object = {},
  ): Promise<{ failures: readonly IndexFailure[]; warnings: readonly string[] }> {
    const { log, warnings } = new CollectingPublisher();
    const context = {
      runId: 'r',
      log,
      notices: silentNotices,
      settings: withDefaults(indexerSettings, { maxRetries: 0, ...settings }),
    } as IndexerContext;
    const indexer = new OpenSearchIndexer(
      withDefaults(OpenSearchIndexer.parameters, { url: server.url, index }),
      context,
    );
    const encoder = new BulkEncoder(indexer.encoder().options as BulkEncoderOptions, log);
    await indexer.connect();
    await indexer.begin();
    try {
      const batch = encodedBatch(encoder, [{ id: '1', ...fields }]);
      return { failures: await indexer.send(batch, new AbortController().signal), warnings };
    } finally {
      await indexer.close();
    }
  }

  /** Returns what `validate --connect` reports for an index. */
  async function reach(index: string): Promise<string[]> {
    const { log } = new CollectingPublisher();
    const indexer = new OpenSearchIndexer(withDefaults(OpenSearchIndexer.parameters, { url: server.url, index }), {
      runId: 'r',
      log,
      notices: silentNotices,
      settings: withDefaults(indexerSettings),
    });
    const said: string[] = [];
    await indexer.reach(({ severity = 'error', message }) =>
      said.push(`${severity}: ${message.replaceAll(index, 'I').replace(/^http:[^ ]*?\/?(?=:? )/, 'U')}`),
    );
    return said;
  }

  const undelivered = [{ index: 0, message: expect.any(String), status: expect.any(Number), undelivered: true }];

  describe('a document that an index rejects because of its state', () => {
    it('a document is undelivered if the index is closed or blocked, which a check before the run reports', async () => {
      for (const block of ['read_only_allow_delete', 'write', 'read_only']) {
        const index = await create({ [`index.blocks.${block}`]: true });
        expect((await send(index)).failures, block).toEqual(undelivered);
        expect(await reach(index)).toEqual([`error: U: the index I accepts no writes: index.blocks.${block} is set`]);
        await ask('PUT', `/${index}/_settings`, { [`index.blocks.${block}`]: null });
        expect(await reach(index)).toEqual([]);
      }
      const closed = await create();
      await ask('POST', `/${closed}/_close`);
      expect((await send(closed)).failures).toEqual(undelivered);
      expect(await reach(closed)).toEqual(['error: U: the index I is closed']);
    });

    it('a document is undelivered if an alias has no write index', async () => {
      const [first, second, alias] = [await create(), await create(), newName()];
      const add = (index: string, more: object = {}) => ({ add: { index, alias, ...more } });
      await ask('POST', '/_aliases', { actions: [add(first)] });
      expect([(await send(alias)).failures, await reach(alias)]).toEqual([[], []]);
      await ask('POST', '/_aliases', { actions: [add(second)] });
      expect((await send(alias)).failures).toEqual(undelivered);
      expect(await reach(alias)).toEqual([expect.stringContaining('and none of them is its write index')]);
      await ask('POST', '/_aliases', { actions: [add(second, { is_write_index: true })] });
      expect([(await send(alias)).failures, await reach(alias)]).toEqual([[], []]);
    });

    it('a document is undelivered if the index name is invalid, unless the document names the index', async () => {
      expect((await send('Bad_NAME')).failures).toEqual(undelivered);
      expect(await reach('Bad_NAME')).toEqual(['error: U has no index I, and this name is not valid']);
      expect(await reach(newName())).toEqual(['warning: U has no index I']);
      const { failures } = await send(await create(), { indexOverrideField: 'to' }, { to: 'Bad_NAME' });
      expect(failures).toEqual([{ index: 0, message: expect.stringContaining('Bad_NAME'), status: 400 }]);
    });

    it('a document is undelivered if the ingest pipeline of the index is missing', async () => {
      expect((await send(await create({ 'index.default_pipeline': 'no-such-pipeline' }))).failures).toEqual(
        undelivered,
      );
    });

    it('a document fails alone if it lacks the required routing', async () => {
      const index = await create({}, { _routing: { required: true } });
      expect((await send(index)).failures).toEqual([
        { index: 0, message: expect.stringContaining('routing is required'), status: 400 },
      ]);
    });
  });

  it('counts the documents that an ingest pipeline has dropped', async () => {
    const pipeline = newName();
    await ask('PUT', `/_ingest/pipeline/${pipeline}`, { processors: [{ drop: {} }] });
    const index = await create({ 'index.default_pipeline': pipeline });
    expect(await send(index)).toEqual({
      failures: [],
      warnings: ['1 document was dropped by the ingest pipeline of the index, which counts as success'],
    });
    expect((await send(await create())).warnings).toEqual([]);
  });

  it('warns about a document without a version, which replaces a newer one', async () => {
    const versioned: Given<IndexerSettings> = { versionType: 'External', versionField: 'v' };
    const index = await create();
    expect(await send(index, versioned, { v: 7 })).toEqual({ failures: [], warnings: [] });
    expect(await send(index, versioned)).toEqual({
      failures: [],
      warnings: [expect.stringContaining('Document 1 has no version in the field v')],
    });
  });
});
