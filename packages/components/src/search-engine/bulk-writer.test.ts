import { DatabaseSync } from 'node:sqlite';
import {
  type Given,
  type IndexerContext,
  type IndexerSettings,
  type IndexFailure,
  indexerSettings,
  silentNotices,
  withDefaults,
} from '@headrace/engine';
import { DocumentHashes, UnchangedDocuments } from '@headrace/reindexing';
import { type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deletionSettings } from '../delivery/deletion-marks.ts';
import { CollectingPublisher } from '../formats/testing/collecting-publisher.ts';
import { NO_RETRY } from '../http/retry.ts';
import { OpenSearchIndexer } from '../indexers/opensearch-indexer.ts';
import { encodedBatch } from '../testing/encoded-batch.ts';
import { BulkEncoder, type BulkEncoderOptions } from './bulk-encoder.ts';
import type { ProductName } from './bulk-reply.ts';
import { BulkWriter } from './bulk-writer.ts';
import { HashingBulkEncoder } from './hashing-bulk-encoder.ts';
import { SearchEngine } from './search-engine.ts';

const DELETES: Given<IndexerSettings> = {
  deletionMarkerField: 'del',
  deletionMarkerFieldValue: 'true',
  deleteByFieldField: 'by',
  deleteByFieldValue: 'value',
};
const QUICK: Given<IndexerSettings> = { maxRetries: 2, retryWaitDurationMs: 1 };

const NAME: ProductName = { items: 'OpenSearch', requests: 'OpenSearch' };

let stub: StubServer;
/** The last path segments of all requests after the first one, which checks that the server is reachable. */
const asked = () => stub.requests.map(({ path }) => /\w+(?=\?|$)/.exec(path)?.[0]).slice(1);

/** Accepts all requests. */
const take: StubHandler = ({ path, body }, response) => {
  const count = path.startsWith('/_bulk') ? body.split('\n').filter((line) => line.startsWith('{"index"')).length : 0;
  response.end(JSON.stringify({ items: Array.from({ length: count }, () => ({ index: { status: 200 } })) }));
};

beforeEach(async () => {
  stub = await StubServer.start(take);
});
afterEach(() => stub.close());

/** Sends documents as one batch; returns the failed ones, the warnings, and the number of unchanged ones. */
async function send(
  settings: Given<IndexerSettings>,
  documents: readonly { readonly id: string }[],
  dataStream = false,
): Promise<{ failures: readonly IndexFailure[]; warnings: readonly string[]; unchanged?: number }> {
  const { log, warnings } = new CollectingPublisher();
  let unchanged: number | undefined;
  const onUnchanged = (count: number) => {
    unchanged = (unchanged ?? 0) + count;
  };
  const context = {
    runId: 'r',
    log,
    onUnchanged,
    settings: withDefaults(indexerSettings, { ...QUICK, ...settings }),
  } as IndexerContext;
  const indexer = new OpenSearchIndexer(
    withDefaults(OpenSearchIndexer.parameters, { url: stub.url, index: 'i', dataStream }),
    context,
  );
  const encoder = new BulkEncoder(indexer.encoder().options as BulkEncoderOptions);
  await indexer.connect();
  await indexer.begin();
  try {
    const failures = await indexer.send(encodedBatch(encoder, documents), new AbortController().signal);
    return { failures, warnings, ...(unchanged === undefined ? {} : { unchanged }) };
  } finally {
    await indexer.close();
  }
}

/** The answer to the question whether a name is a data stream. */
const STREAM = JSON.stringify({ data_streams: [{ name: 'i' }] });

describe('a data stream whose first answer was lost', () => {
  const conflict = { create: { status: 409, error: { reason: 'document already exists' } } };

  /** @param search the status of the search for the ids that the first request may have written */
  async function sendAgain(search: number) {
    const bulks: string[][] = [];
    stub.handle(({ path, body }, response) => {
      if (path.includes('/_search')) {
        response.writeHead(search).end(JSON.stringify({ hits: { hits: [{ _id: 'a' }] } }));
      } else if (path.startsWith('/_bulk')) {
        const ids = [...body.matchAll(/"_id":"(\w+)"/g)].map(([, id]) => id as string);
        if (bulks.push(ids) === 1) response.writeHead(503).end();
        else
          response.end(
            JSON.stringify({ items: ids.map((id) => (id === 'a' ? conflict : { create: { status: 201 } })) }),
          );
      } else response.end(STREAM);
    });
    return { bulks, ...(await send({}, [{ id: 'a' }, { id: 'b' }], true)) };
  }

  it('counts a document as written that it has afterwards', async () => {
    const { bulks, failures, unchanged } = await sendAgain(200);
    expect(bulks).toEqual([['a', 'b'], ['b']]);
    expect([failures, unchanged]).toEqual([[], undefined]);
  });

  it('counts a document as written that is refused afterwards, if it may not be searched', async () => {
    const { bulks, failures, unchanged } = await sendAgain(403);
    expect(bulks).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect([failures, unchanged]).toEqual([[], undefined]);
  });
});

it('a data stream counts a document as unchanged that it had before', async () => {
  stub.handle(({ path }, response) => {
    const items = [{ create: { status: 409, error: { reason: 'document already exists' } } }];
    response.end(path.startsWith('/_bulk') ? JSON.stringify({ items }) : STREAM);
  });
  expect(await send({}, [{ id: 'a' }], true)).toMatchObject({ failures: [], unchanged: 1 });
});

describe('the refresh before a delete by a field', () => {
  const documents = [
    { id: '1', n: 1 },
    { id: 'x', del: 'true', by: 'n', value: '1' },
  ];

  /** Answers refreshes with these responses in order, and accepts all other requests. */
  function refreshes(...answers: { status: number; body?: object }[]): void {
    stub.handle((request, response) => {
      const answer = request.path.endsWith('/_refresh') ? answers.shift() : undefined;
      if (answer === undefined) return take(request, response);
      response.writeHead(answer.status).end(JSON.stringify(answer.body ?? {}));
    });
  }

  it('a failed refresh is retried before anything is deleted', async () => {
    const shards = { total: 2, successful: 1, failed: 1, failures: [{ reason: { reason: 'busy' } }] };
    refreshes({ status: 503 }, { status: 200, body: { _shards: shards } });
    expect(await send(DELETES, documents)).toEqual({
      failures: [],
      warnings: [expect.stringMatching(/Requests are retried: The index i cannot be refreshed/)],
    });
    expect(asked()).toEqual(['_bulk', '_refresh', '_refresh', '_refresh', '_delete_by_query']);
  });

  it('a repeatedly failed refresh fails the deletes as undelivered', async () => {
    const shards = { total: 2, successful: 1, failed: 1 };
    refreshes(...Array.from({ length: 3 }, () => ({ status: 200, body: { _shards: shards } })));
    const { failures } = await send(DELETES, documents);
    const message = expect.stringContaining('The index i cannot be refreshed');
    expect(failures).toMatchObject([{ index: 1, message, undelivered: true }]);
    expect(asked()).toEqual(['_bulk', '_refresh', '_refresh', '_refresh']);
  });

  it('a forbidden refresh is skipped with a warning', async () => {
    refreshes({ status: 403 });
    const { failures, warnings } = await send(DELETES, documents);
    expect(failures).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('The index i cannot be refreshed')]);
    expect(asked()).toEqual(['_bulk', '_refresh', '_delete_by_query']);
  });
});

it('BulkWriter sends the higher of two external versions again, although the lower one was accepted later', async () => {
  const busy = { status: 429, error: { reason: 'busy' } };
  let requests = 0;
  stub.handle((request, response) => {
    if (!request.path.startsWith('/_bulk') || ++requests > 1) return take(request, response);
    response.end(JSON.stringify({ items: [busy, { status: 200 }, busy, { status: 200 }].map((index) => ({ index })) }));
  });
  const documents = [
    { id: 'a', v: 5 },
    { id: 'a', v: 3 },
    { id: 'b', v: 5 },
    { id: 'b', v: 6 },
  ];
  expect((await send({ versionType: 'ExternalGte', versionField: 'v' }, documents)).failures).toEqual([]);
  const again = stub.requests
    .at(-1)
    ?.body.split('\n')
    .filter((line) => line.startsWith('{"index"'));
  expect(again).toEqual(['{"index":{"version":5,"version_type":"external_gte","_id":"a","_index":"i"}}']);
});

it.each([401, 403, 404, 500])('does not blame the documents if the search engine answers %s', async (status) => {
  stub.handle((request, response) => {
    if (request.path.startsWith('/_bulk')) response.writeHead(status).end('{}');
    else take(request, response);
  });
  const { failures } = await send({}, [{ id: '1' }, { id: '2' }]);
  expect(failures).toMatchObject([0, 1].map((index) => ({ index, status, undelivered: true })));
});

it('BulkWriter sends the changed documents of several batches together, and each batch gets its own failures', async () => {
  const bodies: string[][] = [];
  let goOn = () => {};
  const first = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  stub.handle(async ({ body }, response) => {
    const ids = [...body.matchAll(/"_id":"(\w+)"/g)].map(([, id]) => id as string);
    bodies.push(ids);
    if (bodies.length === 1) await first;
    const items = ids.map((id) => ({
      index: id.startsWith('bad') ? { status: 400, error: { reason: id } } : { status: 200 },
    }));
    response.end(JSON.stringify({ items }));
  });
  const engine = await SearchEngine.open({ url: stub.url, connections: 3, answerTimeout: 5000, retry: NO_RETRY });
  const hashes = new DocumentHashes(new DatabaseSync(':memory:'), 'memory', false);
  hashes.begin({ uuids: 'u', definition: 'd', processing: 'p', writes: 0 });
  let unchanged = 0;
  const writer = new BulkWriter({
    ...{ engine, patientEngine: engine, name: NAME, partial: false, externalVersions: false, namesIndex: false },
    retries: { most: 0, isRetryable: () => false, delay: () => 0 },
    unchanged: new UnchangedDocuments(hashes, (count) => {
      unchanged += count;
    }),
    ...{ requests: 3, batchSize: 10, log: new CollectingPublisher().log, notices: silentNotices },
  });
  const options = { index: 'i', update: false, whitelist: [], blacklist: [], runId: 'r' };
  const encoder = new HashingBulkEncoder({ ...options, ...deletionSettings({}) });
  const write = (...ids: string[]) => {
    const batch = encodedBatch(
      encoder,
      ids.map((id) => ({ id })),
    );
    return writer.write(batch, new AbortController().signal);
  };
  try {
    const results = [write('a', 'b'), write('c', 'bad1', 'd'), write('a', 'e', 'bad2'), write('f', 'bad3')];
    await expect.poll(() => bodies.length).toBe(1);
    goOn();
    const failures = (await Promise.all(results)).map((some) => some.map(({ index, message }) => [index, message]));
    const badAt = (index: number, id: string) => [index, expect.stringContaining(id)];
    expect(failures).toEqual([[], [badAt(1, 'bad1')], [badAt(2, 'bad2')], [badAt(1, 'bad3')]]);
    // The third batch has a document of the first one, so it waits for its answer.
    expect(bodies).toEqual([
      ['a', 'b'],
      ['c', 'bad1', 'd', 'f', 'bad3'],
      ['a', 'e', 'bad2'],
    ]);
    expect([await write('a', 'b', 'c', 'd', 'e'), unchanged]).toEqual([[], 5]);
    expect((await write('bad1')).length).toBe(1);
  } finally {
    await engine.close();
    hashes.close();
  }
});

it('a later run with skipUnchanged can send the failed documents of this run, because both encode them the same way', () => {
  const { log } = new CollectingPublisher();
  const encoderOf = (runId: string) =>
    new OpenSearchIndexer(
      withDefaults(OpenSearchIndexer.parameters, { url: stub.url, index: 'i', skipUnchanged: true }),
      { runId, log, notices: silentNotices, settings: withDefaults(indexerSettings) },
    ).encoder();
  expect(encoderOf('r1')).toEqual(encoderOf('r2'));
});
