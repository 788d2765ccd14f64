import { HeadraceError, type IndexerContext, indexerSettings, silentNotices, withDefaults } from '@headrace/engine';
import { StubServer } from '@headrace/testing/stub-server';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deletionSettings } from '../delivery/deletion-marks.ts';
import { CollectingPublisher } from '../formats/testing/collecting-publisher.ts';
import { SolrIndexer } from '../indexers/solr-indexer.ts';
import { encodedBatch } from '../testing/encoded-batch.ts';
import { SolrEncoder, type SolrEncoderOptions } from './solr-encoder.ts';
import { connectToSolr } from './solr-nodes.ts';
import { SolrWriter } from './solr-writer.ts';

let stub: StubServer;
/** Starts a Solr stub whose update processor fails for some documents. */
beforeEach(async () => {
  stub = await StubServer.start(({ body }, response) => {
    const status = body.includes('"bad"') ? 500 : 200;
    const error = { msg: 'java.lang.NullPointerException', code: 500 };
    response.writeHead(status).end(JSON.stringify({ responseHeader: { status: 0 }, ...(status === 500 && { error }) }));
  });
});
afterEach(() => stub.close());

it('SolrWriter finds a document that an update processor rejects, and blames no documents if all fail', async () => {
  const { log } = new CollectingPublisher();
  const context = { runId: 'r', log, settings: withDefaults(indexerSettings) } as IndexerContext;
  const indexer = new SolrIndexer(withDefaults(SolrIndexer.parameters, { url: `${stub.url}/solr/c` }), context);
  await indexer.connect();
  try {
    const encoder = new SolrEncoder(indexer.encoder().options as SolrEncoderOptions);
    const send = (...texts: string[]) =>
      indexer.send(
        encodedBatch(
          encoder,
          texts.map((text, i) => ({ id: String(i), text })),
        ),
        new AbortController().signal,
      );
    const failure = { status: 500, message: expect.stringContaining('NullPointerException') };
    expect(await send('good', 'bad', 'good', 'good')).toEqual([{ index: 1, ...failure }]);
    expect(await send('bad', 'bad')).toEqual([0, 1].map((index) => ({ index, ...failure, undelivered: true })));
  } finally {
    await indexer.close();
  }
});

it('SolrWriter reports a missing core instead of the HTML page of the server', async () => {
  stub.handle((_, response) => {
    const page =
      '<html>\n<head>\n<title>Error 404 Not Found</title>\n</head>\n<body><h2>HTTP ERROR 404</h2></body></html>';
    response.writeHead(404, { 'content-type': 'text/html' }).end(page);
  });
  const { log } = new CollectingPublisher();
  const indexer = new SolrIndexer(withDefaults(SolrIndexer.parameters, { url: `${stub.url}/solr/nope` }), {
    runId: 'r',
    log,
    notices: silentNotices,
    settings: withDefaults(indexerSettings),
  });
  await expect(indexer.reach(() => undefined, new AbortController().signal)).rejects.toThrow(
    /\/solr\/nope\/select answered 404: there is no such core or collection$/,
  );
});

it('SolrWriter ends immediately if its collection was deleted, and sends documents again if a node is restarting', async () => {
  let statuses = [200];
  let requests = 0;
  stub.handle((_, response) => {
    requests++;
    response.writeHead(statuses.shift() ?? 404).end(JSON.stringify({ responseHeader: { status: 0 } }));
  });
  const engine = await connectToSolr({ url: `${stub.url}/solr/c` });
  statuses = [200, 404, 200];
  requests = 0;
  let isDeleted = false;
  const retries = { most: 5, isRetryable: () => false, delay: () => 0 };
  const writer = new SolrWriter(engine, retries, undefined, async () => {
    if (isDeleted) throw new HeadraceError('HR_INDEXER_GONE', 'The collection c was deleted during the run');
  });
  const encoder = new SolrEncoder({ whitelist: [], blacklist: [], collection: 'c', ...deletionSettings({}) });
  const write = () => writer.write(encodedBatch(encoder, [{ id: '1' }]), new AbortController().signal);
  try {
    expect([await write(), await write(), requests]).toEqual([[], [], 3]);
    isDeleted = true;
    await expect(write()).rejects.toThrow('The collection c was deleted during the run');
    expect(requests).toBe(4);
  } finally {
    await engine.close();
  }
});
