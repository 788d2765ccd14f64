import { type ConnectorContext, type Publisher, withDefaults } from '@headrace/engine';
import { describeWithServer, type RealServer } from '@headrace/testing/real-server';
import { StubServer } from '@headrace/testing/stub-server';
import { afterEach, describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../file-formats/testing/collecting-publisher.ts';
import { SolrConnector } from './solr-connector.ts';

interface Options {
  readonly publisher?: CollectingPublisher | undefined;
  readonly preview?: boolean;
  readonly runId?: string;
  readonly docIdPrefix?: string;
}

/** Converts parameters to the form that the engine passes: free blocks are maps. */
function read(params: Record<string, unknown>): ConstructorParameters<typeof SolrConnector>[0] {
  const { solrParams, ...others } = params;
  const map = solrParams === undefined ? {} : { solrParams: new Map(Object.entries(solrParams as object)) };
  return withDefaults(SolrConnector.parameters, { ...others, ...map } as never);
}

/** Runs a connector as the engine does; without a pipeline if `publisher` is undefined. */
async function run(params: Record<string, unknown>, options: Options = {}): Promise<CollectingPublisher> {
  const publisher = 'publisher' in options ? options.publisher : new CollectingPublisher();
  const log = (publisher ?? new CollectingPublisher()).log;
  const { preview = false, runId = 'r', docIdPrefix = '' } = options;
  const signal = publisher?.signal ?? new AbortController().signal;
  const connector = new SolrConnector(read(params), {
    name: 'c',
    docIdPrefix,
    runId,
    log,
    signal,
    preview,
  } as ConnectorContext);
  try {
    await connector.preExecute();
    await connector.execute(publisher as Publisher | undefined);
    await connector.postExecute();
  } finally {
    await connector.close();
  }
  return publisher as CollectingPublisher;
}

const COMMIT = '{"commit": {}}';
const EMPTY = '{"delete": {"query": "*:*"}}';

/** The tests for a core and for a collection of SolrCloud. */
function behaves(solr: () => Record<string, unknown>): void {
  /** Replaces the content of the collection with these documents. */
  const fill = (documents: object[], more: Record<string, unknown> = {}, options: Options = {}) =>
    run(
      {
        solr: solr(),
        preActions: [EMPTY, `{"add": ${documents.map((doc) => JSON.stringify({ doc })).join(', "add": ')}}`, COMMIT],
        ...more,
      },
      { publisher: undefined, ...options },
    );

  it('reads all results page by page, in the order of the query', async () => {
    await fill(Array.from({ length: 23 }, (_, i) => ({ id: `d${i}`, n_i: i % 5 })));
    const byN = await run({ solr: solr(), solrParams: { q: 'n_i:[1 TO 4]', rows: 4, sort: 'n_i desc', fl: ['n_i'] } });
    expect(byN.json).toHaveLength(18);
    const keys = byN.documents.map((document) => [-(document.get('n_i') as number), document.id] as const);
    expect(keys).toEqual(keys.toSorted(([a, x], [b, y]) => a - b || (x < y ? -1 : 1)));
    const all = await run({ solr: solr() }, { docIdPrefix: 'p-' });
    expect(all.documents.map(({ id }) => id)).toEqual(Array.from({ length: 23 }, (_, i) => `p-d${i}`).sort());
  });

  it('keeps values and lists unchanged, with names in lower case', async () => {
    await fill([
      {
        id: '1',
        A_s: 'Grüße "q"',
        b_ss: ['x'],
        C_ss: ['x', 'y'],
        d_l: 9007199254740992,
        e_d: 1,
        f_b: false,
        g_dt: '2024-01-02T03:04:05Z',
        h_i: -1,
        run_id: 'old',
      },
    ]);
    const { documents } = await run({ solr: solr(), solrParams: { q: '*:*', fl: 'id,*_*' } });
    const document = JSON.parse(documents[0]?.toJson() as string) as Record<string, unknown>;
    delete document['_version_'];
    expect(document).toEqual({
      id: '1',
      a_s: 'Grüße "q"',
      b_ss: ['x'],
      c_ss: ['x', 'y'],
      d_l: 9007199254740992,
      e_d: 1,
      f_b: false,
      g_dt: '2024-01-02T03:04:05Z',
      h_i: -1,
    });
    expect(documents[0]?.toJson()).toContain('"e_d":1.0');
  });

  it('sends parameters with dots, booleans and long queries to Solr', async () => {
    await fill([
      { id: '1', a_s: 'x' },
      { id: '2', a_s: 'y' },
    ]);
    const many = Array.from({ length: 500 }, (_, i) => `"x${i}"`).join(' ');
    const { documents } = await run({
      solr: solr(),
      solrParams: {
        q: '*:*',
        fq: ['id:(1 2)', `-a_s:(${many} y)`],
        facet: true,
        'facet.field': 'a_s',
        json: new Map([['nl', 'map']]),
      },
    });
    expect(documents.map(({ id }) => id)).toEqual(['1']);
  });

  it('replaces {runId} in actions', async () => {
    const runId = String.raw`a$1\b`;
    await fill([{ id: '1' }, { id: '2' }]);
    await run(
      {
        solr: solr(),
        preActions: ['{"add": {"doc": {"id": "2", "run_s": "{runId}"}}}'.replace('{runId}', 'x')],
        postActions: [COMMIT],
      },
      { publisher: undefined },
    );
    await run(
      {
        solr: solr(),
        useXml: true,
        preActions: ['<add><doc><field name="id">3</field><field name="run_s">{runId}</field></doc></add>'],
        postActions: ['<delete><query>-run_s:*</query></delete>', '<commit/>'],
      },
      { publisher: undefined, runId },
    );
    const { documents } = await run({ solr: solr(), solrParams: { q: '*:*' } });
    expect(documents.map((document) => [document.id, document.get('run_s')])).toEqual([
      ['2', 'x'],
      ['3', runId],
    ]);
  });

  it('reads a collection in a preview without changing it', async () => {
    await fill([{ id: '1' }]);
    const { documents, warnings } = await run(
      { solr: solr(), preActions: [EMPTY, COMMIT], postActions: [EMPTY, COMMIT] },
      { publisher: new CollectingPublisher(), preview: true },
    );
    expect(documents).toHaveLength(1);
    expect(warnings).toEqual(['preActions are not sent in a preview', 'postActions are not sent in a preview']);
    expect((await run({ solr: solr() })).documents).toHaveLength(1);
  });

  it('reports the error message of Solr', async () => {
    await expect(run({ solr: solr(), solrParams: { q: 'a:(' } })).rejects.toThrow(
      /answered 400: .*Cannot parse 'a:\('/,
    );
    await expect(run({ solr: solr(), idField: 'a_s' })).rejects.toThrow(
      /Cursor functionality requires a sort containing a uniqueKey/,
    );
    await expect(run({ solr: solr(), preActions: ['{"nonsense": 1}'] })).rejects.toThrow(
      /^preActions\[0\]: POST .*answered 400: /,
    );
  });

  it('stops reading when the run stops', async () => {
    await fill(Array.from({ length: 30 }, (_, i) => ({ id: `${i}` })));
    const publisher = new CollectingPublisher();
    const keep = publisher.publish.bind(publisher);
    publisher.publish = (document) => {
      if (publisher.documents.length === 6) publisher.abort();
      return keep(document);
    };
    await run({ solr: solr(), solrParams: { q: '*:*', rows: 5 } }, { publisher });
    expect(publisher.documents).toHaveLength(7);
  });
}

await describeWithServer('solr', (server: RealServer) => {
  behaves(() => ({ url: [`${server.url}/${server.database}/`] }));

  it('continues with the next URL if one is lost', async () => {
    const { rejected } = await run({
      solr: { url: ['http://127.0.0.1:1/solr/quickstart', `${server.url}/${server.database}`] },
    });
    expect(rejected).toEqual([]);
  });
});

await describeWithServer(
  'solr',
  (server: RealServer) => {
    const cloud = () => ({ useCloudClient: true, defaultCollection: server.database });
    const zooKeeper = () => `127.0.0.1:${Number(new URL(server.url).port) + 1000}`;
    behaves(() => ({ url: server.url, ...cloud() }));

    it('finds the nodes through ZooKeeper', async () => {
      const solr = { ...cloud(), url: [], zkHosts: ['127.0.0.1:1', zooKeeper()], zkChroot: '/solr' };
      const add = '{"add": {"doc": {"id": "z1"}}}';
      await run({ solr, preActions: [EMPTY, add, COMMIT] }, { publisher: undefined });
      const { documents } = await run({ solr });
      expect(documents.map(({ id }) => id)).toEqual(['z1']);
    });

    it('reports a collection that ZooKeeper does not know', async () => {
      const solr = { ...cloud(), url: [], zkHosts: [zooKeeper()], zkChroot: '/elsewhere' };
      await expect(run({ solr })).rejects.toThrow(/lists no live Solr node below \/elsewhere; check zkChroot/);
    });
  },
  { SOLR_MODE: 'cloud' },
);

describe('SolrConnector', () => {
  let stub: StubServer;
  afterEach(() => stub.close());

  it('rejects a result without an id, and sends the user and password', async () => {
    stub = await StubServer.start(({ path, headers }, response) => {
      const isFirst = path.includes('cursorMark=*');
      const docs = isFirst ? [{ ID: 7, Id: ['x'], a: 1, A: [2, 3] }, { Id: 'y' }] : [];
      expect(headers.authorization).toBe(`Basic ${Buffer.from('u:s3cret').toString('base64')}`);
      response.end(JSON.stringify({ responseHeader: {}, response: { docs }, nextCursorMark: 'next' }));
    });
    const { json, rejected } = await run({ solr: { url: stub.url, userName: 'u', password: 's3cret' }, idField: 'ID' });
    expect(json).toEqual(['{"id":"7","a":[1,2,3]}']);
    expect(rejected).toEqual([
      { place: `${stub.url}/, result 2`, message: 'it has no value in the field ID for the id' },
    ]);
  });

  it('fails if Solr returns only a part of the results', async () => {
    stub = await StubServer.start((_, response) => {
      response.end('{"responseHeader":{"partialResults":true},"response":{"docs":[]},"nextCursorMark":"x"}');
    });
    await expect(run({ solr: { url: stub.url } })).rejects.toThrow(/only a part of the results/);
  });
});

describe('the check of SolrConnector', () => {
  const problems = (params: Record<string, unknown>) =>
    [...SolrConnector.check(read({ solr: { url: 'http://h/solr/c' }, ...params }))].map(
      ({ message, severity = 'error' }) => `${severity}: ${message}`,
    );

  it('reports invalid parameters', () => {
    expect(problems({})).toEqual([]);
    expect(problems({ solr: { url: ['http://h/solr/c', 'h:8983/solr'] } })).toEqual([
      'error: solr.url[1] must be an http or https URL, was "h:8983/solr"',
    ]);
    expect(problems({ solr: { url: [], useCloudClient: true } })).toEqual([
      'error: solr.url must not be empty',
      'error: useCloudClient needs defaultCollection',
    ]);
    expect(problems({ solr: { url: [], useCloudClient: true, zkHosts: ['z'], defaultCollection: 'c' } })).toEqual([]);
    expect(problems({ solrParams: { q: '*:*', start: 10, rows: 0, cursorMark: '*' } })).toEqual([
      'error: solrParams cannot have start=10: the connector always reads all results',
      'error: solrParams cannot have rows=0: the page size must be at least 1, was 0',
      'error: solrParams cannot have cursorMark=*: the connector sets it',
    ]);
  });

  it('warns about parameters without an effect', () => {
    const ssl = { trustStore: '/x/trust.jks', keyStore: '/x/client.pem' };
    const solr = {
      url: 'https://h/solr/c',
      defaultCollection: 'c',
      zkHosts: ['z:2181'],
      userName: 'u',
      javax: { net: { ssl } },
    };
    expect(problems({ solr })).toEqual([
      'warning: defaultCollection has no effect without useCloudClient',
      'warning: zkHosts has no effect without useCloudClient: solr.url is used',
      'warning: userName has no effect without password',
      'warning: /x/trust.jks has no effect: a store of Java cannot be read',
    ]);
  });
});
