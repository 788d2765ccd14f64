import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IndexerContext, indexerSettings, type StageContext, withDefaults } from '@headrace/engine';
import { hasOpenssl, makeCertificates } from '@headrace/testing/certificates';
import { type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SolrConnector } from '../connectors/solr-connector.ts';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import { ElasticsearchIndexer } from '../indexers/elasticsearch-indexer.ts';
import { HttpIndexer } from '../indexers/http-indexer.ts';
import { OpenSearchIndexer } from '../indexers/opensearch-indexer.ts';
import { SolrIndexer } from '../indexers/solr-indexer.ts';
import { ElasticsearchLookup } from '../stages/elasticsearch-lookup.ts';
import { QueryOpensearch } from '../stages/query-opensearch.ts';

interface Client {
  /** Sends the first request to the server. */
  ask(): Promise<void>;
  close(): Promise<void>;
}

const { log } = new CollectingPublisher();
const indexing = { runId: 'r', log, settings: withDefaults(indexerSettings) } as IndexerContext;
const ofIndexer = (indexer: { connect(): Promise<void>; close(): Promise<void> }): Client => ({
  ask: () => indexer.connect(),
  close: () => indexer.close(),
});

/** All components that connect to a search engine over HTTP, with the given credentials. */
const CLIENTS: Record<string, (url: string, access: object) => Client> = {
  OpenSearchIndexer: (url, access) =>
    ofIndexer(
      new OpenSearchIndexer(withDefaults(OpenSearchIndexer.parameters, { url, index: 'i', ...access }), indexing),
    ),
  ElasticsearchIndexer: (url, access) =>
    ofIndexer(
      new ElasticsearchIndexer(withDefaults(ElasticsearchIndexer.parameters, { url, index: 'i', ...access }), indexing),
    ),
  SolrIndexer: (url, access) =>
    ofIndexer(new SolrIndexer(withDefaults(SolrIndexer.parameters, { url: `${url}/solr/c`, ...access }), indexing)),
  HttpIndexer: (url, access) =>
    ofIndexer(new HttpIndexer(withDefaults(HttpIndexer.parameters, { url, ...access }), indexing)),
  ElasticsearchLookup: (url, access) => {
    const elasticsearch = { url, index: 'i', ...access };
    const params = { elasticsearch, source: ['a'], dest: ['b'], updateMode: 'overwrite' as const };
    const stage = new ElasticsearchLookup(withDefaults(ElasticsearchLookup.parameters, params), {
      log,
    } as StageContext);
    return { ask: () => stage.start(), close: () => stage.stop() };
  },
  SolrConnector: (url, access) => {
    const publisher = new CollectingPublisher();
    const connector = new SolrConnector(
      { solr: { url: `${url}/solr/c`, ...access } } as never,
      {
        ...{ name: 'c', docIdPrefix: '', runId: 'r', log, signal: publisher.signal, preview: false },
      } as never,
    );
    return { ask: () => connector.execute(publisher), close: () => connector.close() };
  },
};
const NAMES = Object.keys(CLIENTS);

/** A response that all clients accept. */
const welcome: StubHandler = (_, response) => {
  response.end('{"responseHeader":{"status":0},"response":{"docs":[]},"nextCursorMark":"*"}');
};

async function ask(name: string, url: string, access: object): Promise<void> {
  const client = CLIENTS[name]?.(url, access) as Client;
  try {
    await client.ask();
  } finally {
    await client.close();
  }
}

it('QueryOpensearch has the same connection parameters as the other clients', () => {
  expect(Object.keys(QueryOpensearch.parameters.properties.opensearch.properties)).toEqual(
    expect.arrayContaining(['userName', 'password', 'apiKey', 'bearerToken', 'tls']),
  );
});

describe('the credentials of search engine clients', () => {
  let stub: StubServer;
  beforeEach(async () => {
    stub = await StubServer.start(welcome);
  });
  afterEach(() => stub.close());
  const said = () => new Set(stub.requests.map(({ headers }) => headers.authorization));

  it.each(NAMES)('%s sends a user with a password, or a token', async (name) => {
    await ask(name, stub.url, { userName: 'ü', password: 'a:b' });
    await ask(name, stub.url.replace('//', '//me:p%40ss@'), {});
    await ask(name, stub.url, { bearerToken: 'tok\n' });
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    expect(said()).toEqual(new Set([basic('ü:a:b'), basic('me:p@ss'), 'Bearer tok']));
  });

  it.each(['OpenSearchIndexer', 'ElasticsearchIndexer', 'ElasticsearchLookup'])('%s sends an API key', async (name) => {
    await ask(name, stub.url, { apiKey: 'a2V5' });
    expect(said()).toEqual(new Set(['ApiKey a2V5']));
  });
});

describe.skipIf(!hasOpenssl())('certificates (needs the command openssl)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-access-'));
  const file = (name: string) => join(folder, name);
  let strict: StubServer;
  beforeAll(async () => {
    makeCertificates(folder);
    writeFileSync(
      file('both.pem'),
      readFileSync(file('client.pem'), 'utf8') + readFileSync(file('client.key'), 'utf8'),
    );
    strict = await StubServer.start(welcome, {
      key: readFileSync(file('server.key')),
      cert: readFileSync(file('server.pem')),
      ca: readFileSync(file('ca.pem')),
      requestCert: true,
      rejectUnauthorized: true,
    });
  });
  afterAll(async () => {
    await strict.close();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => vi.unstubAllEnvs());

  it.each(NAMES)('%s supports a private authority, a client certificate, or no checks', async (name) => {
    await ask(name, strict.url, { tls: { caFile: file('ca.pem'), certificateFile: file('both.pem') } });
    await ask(name, strict.url, {
      acceptInvalidCert: true,
      tls: { certificateFile: file('client.pem'), keyFile: file('client.key') },
    });
    await expect(ask(name, strict.url, { tls: { certificateFile: file('both.pem') } })).rejects.toThrow(
      /certificate of the server is not trusted/,
    );
    await expect(ask(name, strict.url, { tls: { caFile: file('none.pem') } })).rejects.toThrow(/none\.pem/);
  });

  it.each(NAMES)('%s connects through a proxy of the environment', async (name) => {
    const asked: (string | undefined)[] = [];
    const proxy = await StubServer.start(() => undefined);
    proxy.onConnect((request, socket, head) => {
      asked.push(request.url);
      const target = connect(strict.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        target.write(head);
        target.pipe(socket).pipe(target);
      });
      for (const side of [target, socket]) side.on('error', () => target.destroy());
    });
    vi.stubEnv('https_proxy', proxy.url);
    vi.stubEnv('no_proxy', '');
    try {
      const tls = { caFile: file('ca.pem'), certificateFile: file('both.pem') };
      await ask(name, strict.url, { tls });
      expect(new Set(asked)).toEqual(new Set([`127.0.0.1:${strict.port}`]));
      const before = asked.length;
      vi.stubEnv('no_proxy', '127.0.0.1');
      await ask(name, strict.url, { tls });
      expect(asked.length).toBe(before);
    } finally {
      await proxy.close();
    }
  });
});
