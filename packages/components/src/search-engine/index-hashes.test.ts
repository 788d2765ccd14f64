import { mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IndexerContext, indexerSettings, withDefaults } from '@headrace/engine';
import { type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import { OpenSearchIndexer } from '../indexers/opensearch-indexer.ts';
import { encodedBatch } from '../testing/encoded-batch.ts';
import type { BulkEncoderOptions } from './bulk-encoder.ts';
import { HashingBulkEncoder } from './hashing-bulk-encoder.ts';

/** More hashes than are loaded at a time. */
const MANY = 20_500;
/** The bytes of a page of a SQLite file. */
const PAGE = 4096;

interface Version {
  readonly id: string;
  readonly text: string;
}

describe('the hashes of an index', () => {
  let stub: StubServer;
  let folder: string;
  let hashesFile: string;
  /** The texts that the index has received, by id. */
  let index: Map<string, string[]>;
  let writes: number;

  const answer: StubHandler = ({ path, body }, response) => {
    if (path.endsWith('_mapping')) return void response.end('{}');
    if (path.includes('_settings')) return void response.end('{"i":{"settings":{"index.uuid":"u"}}}');
    if (path.includes('_stats')) {
      const shard = { routing: { primary: true }, seq_no: { max_seq_no: writes - 1 } };
      return void response.end(JSON.stringify({ indices: { i: { shards: { 0: [shard] } } } }));
    }
    const sources = path.startsWith('/_bulk') ? body.split('\n').filter((line) => line.startsWith('{"id"')) : [];
    for (const source of sources) {
      const { id, text } = JSON.parse(source) as Version;
      index.getOrInsertComputed(id, () => []).push(text);
    }
    writes += sources.length;
    response.end(JSON.stringify({ items: sources.map(() => ({ index: { status: 200 } })) }));
  };

  beforeEach(async () => {
    stub = await StubServer.start(answer);
    folder = await mkdtemp(join(tmpdir(), 'index-hashes-'));
    hashesFile = join(folder, 'hashes');
    index = new Map();
    writes = 0;
  });
  afterEach(async () => {
    await stub.close();
    await rm(folder, { recursive: true });
  });

  /** A run whose first batch comes before the hashes are loaded. The others come later. */
  async function run(...batches: Version[][]): Promise<{ unchanged: number; warnings: readonly string[] }> {
    const { log, warnings } = new CollectingPublisher();
    let unchanged = 0;
    const onUnchanged = (count: number) => {
      unchanged += count;
    };
    const context = { runId: 'r', log, settings: withDefaults(indexerSettings), onUnchanged } as IndexerContext;
    const indexer = new OpenSearchIndexer(
      withDefaults(OpenSearchIndexer.parameters, { url: stub.url, index: 'i', skipUnchanged: true, hashesFile }),
      context,
    );
    const encoder = new HashingBulkEncoder(indexer.encoder().options as BulkEncoderOptions);
    const encoded = batches.map((documents) => encodedBatch(encoder, documents));
    await indexer.connect();
    await indexer.begin();
    try {
      for (const batch of encoded) await indexer.send(batch, new AbortController().signal);
      return { unchanged, warnings };
    } finally {
      await indexer.close();
    }
  }

  const versions = (text: string) => Array.from({ length: MANY }, (_, i) => ({ id: `d${i}`, text }));

  it('are loaded before the first batch, so an earlier version that comes back is sent', async () => {
    await run(versions('1'));
    // The last one in the order of texts, in which they are loaded.
    const last = 'd9999';
    const { unchanged } = await run([{ id: last, text: '2' }], [{ id: last, text: '1' }], [{ id: 'd0', text: '1' }]);
    expect([index.get(last), index.get('d0'), unchanged]).toEqual([['1', '2', '1'], ['1'], 1]);
  });

  it('end the run at the first batch if the file is damaged, and nothing is sent', async () => {
    await run(versions('1'));
    const { size } = await stat(hashesFile);
    const file = await open(hashesFile, 'r+');
    const half = Math.floor(size / PAGE / 2) * PAGE;
    await file.write(Buffer.alloc(PAGE, 0xab), 0, PAGE, half);
    await file.close();
    await expect(run([{ id: 'd0', text: '2' }], [{ id: 'd1', text: '2' }])).rejects.toMatchObject({
      code: 'HR_INDEXER_GONE',
      message: expect.stringContaining(`The hashes in ${hashesFile} are damaged`),
      hint: expect.stringContaining('Delete the file'),
    });
    expect(writes).toBe(MANY);
    // A run without documents does not need them, and says that it could not store its end.
    expect((await run()).warnings).toEqual([
      expect.stringMatching(/state of i at the end .* is not known: .* damaged/),
    ]);
  });
});
