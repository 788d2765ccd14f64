import type { ObjectNode } from '@headrace/hocon';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepSecrets } from './keep-secrets.ts';
import { readConfigText } from './read-config.ts';
import { configToJson, maskSecrets } from './render-config.ts';

const STORED = `# The search engine of the shop.
pw = "hunter2-hunter2"
connectors: [
  { name: rows, class: DatabaseConnector, pipeline: p, connectionString: "jdbc:x://h/db", jdbcUser: u, jdbcPassword: 'x' }
  { name: docs, class: SolrConnector, pipeline: p, url: "http://solr:s0lr-secret@h/solr", apiKey: key-1234 } # fast
]
pipelines: [{ name: p, stages: [
  { class: FetchUri, source: uri, dest: body, headers { Authorization: "Bearer token-1234" } }
  { class: Print }
] }]
indexer { type: OpenSearch, batchSize: 10 }
opensearch { url: "http://h:9200", index: a, userName: u, password: \${pw} }
`;
/** What the service shows for the stored text. */
const SHOWN = STORED.replace('hunter2-hunter2', '******')
  .replace('"jdbc:x://h/db"', '"******"')
  .replace("'x'", '"******"')
  .replace('solr:s0lr-secret', '******:******')
  .replace('key-1234', '"******"')
  .replace('"Bearer token-1234"', '"******"')
  .replace(/\$\{pw\}/, '"******"');

const stored = { text: STORED, format: 'hocon' } as const;

function keep(change: (text: string) => string, from = SHOWN) {
  const text = change(from);
  expect(text).not.toBe(from);
  return keepSecrets({ text, format: 'hocon' }, stored);
}

function refusedPaths(change: (text: string) => string): string[] {
  const kept = keep(change);
  return 'refused' in kept ? kept.refused.map(({ path }) => path) : [`kept ${kept.text}`];
}

describe('the secrets of a stored config', () => {
  it('are written as they were stored if nothing else has changed', () => {
    expect(keepSecrets({ text: SHOWN, format: 'hocon' }, stored)).toEqual({ text: STORED });
  });

  it('are kept if other components, comments or harmless keys change', () => {
    const change = (text: string) =>
      text
        .replace('# The search', '# A search')
        .replace('batchSize: 10', 'batchSize: 20')
        .replace('index: a', 'index: b')
        .replace('name: rows', 'name: lines')
        .replace('{ class: Print }', '{ class: Print }\n  { class: TrimWhitespace, fields: [a] }');
    expect(keep(change)).toEqual({ text: change(STORED) });
  });

  it('move with their component', () => {
    const swap = (text: string) => {
      const lines = text.split('\n');
      [lines[3], lines[4]] = [lines[4] as string, lines[3] as string];
      return lines.join('\n');
    };
    expect(keep(swap)).toEqual({ text: swap(STORED) });
  });

  it('are kept in JSON', () => {
    const text = '{"opensearch": {"url": "http://h", "password": "hunter2", "index": "a"}, "n": 1}';
    const sent = '{"opensearch": {"url": "http://h", "password": "******", "index": "b"}, "n": 2}';
    expect(keepSecrets({ text: sent, format: 'json' }, { text, format: 'json' })).toEqual({
      text: '{"opensearch": {"url": "http://h", "password": "hunter2", "index": "b"}, "n": 2}',
    });
  });

  it('keep their positions among equal components', () => {
    const text = 'connectors: [{ url: a, password: first }, { url: a, password: second }]';
    const sent = 'connectors: [{ url: a, password: "******" }, { url: a, password: "******" }] # both';
    expect(keepSecrets({ text: sent, format: 'hocon' }, { text, format: 'hocon' })).toEqual({ text: `${text} # both` });
  });

  it('can be replaced by new ones', () => {
    const change = (text: string) =>
      text.replace('http://h:9200', 'http://other:9200').replace('password: "******"', 'password: new');
    expect(keep(change)).toEqual({
      text: STORED.replace('http://h:9200', 'http://other:9200').replace(/\$\{pw\}/, 'new'),
    });
  });
});

describe('a secret that the user does not enter again is refused', () => {
  it.each<[what: string, change: (text: string) => string, paths: string[]]>([
    ['with another address', (text) => text.replace('http://h:9200', 'http://evil'), ['opensearch.password']],
    [
      'with another host in its URL',
      (text) => text.replace('@h/solr', '@evil/solr'),
      ['connectors[1].url', 'connectors[1].apiKey'],
    ],
    [
      'with certificates that are not checked',
      (text) => text.replace('index: a', 'index: a, acceptInvalidCert: true'),
      ['opensearch.password'],
    ],
    [
      'with another class',
      (text) => text.replace('class: FetchUri', 'class: Other'),
      ['pipelines[0].stages[0].headers.Authorization'],
    ],
    [
      'beside another secret that names the address',
      (text) => text.replace('connectionString: "******"', 'connectionString: "jdbc:x://evil/db"'),
      ['connectors[0].jdbcPassword'],
    ],
    ['under another key', (text) => text.replace('batchSize: 10', 'batchSize: 10, token: "******"'), ['indexer.token']],
    [
      'in another block',
      (text) => `${text}elasticsearch { url: "http://evil", index: a, userName: u, password: "******" }`,
      ['elasticsearch.password'],
    ],
  ])('%s', (_what, change, paths) => {
    expect(refusedPaths(change)).toEqual(paths);
  });

  it.each<[what: string, change: (text: string) => string, path: string]>([
    [
      'a substitution',
      (text) => text.replace('{ class: Print }', '{ class: Print, prefix: ${opensearch.password} }'),
      'pipelines[0].stages[1].prefix',
    ],
    [
      'a variable',
      (text) => text.replace('{ class: Print }', '{ class: Print, prefix: "x "${pw} }'),
      'pipelines[0].stages[1].prefix',
    ],
    [
      'a whole block',
      (text) => text.replace('{ class: Print }', '{ class: Print, values: ${opensearch} }'),
      'pipelines[0].stages[1].values.password',
    ],
    ['an optional substitution', (text) => `${text}note: \${?pw}`, 'note'],
  ])('if %s copies it to another value', (_what, change, path) => {
    expect(refusedPaths(change)).toContain(path);
  });

  it('and the error has a reason and a position', () => {
    expect(keep((text) => text.replace('http://h:9200', 'http://evil'))).toMatchObject({
      refused: [
        {
          severity: 'error',
          code: 'HR_CONFIG_INVALID_VALUE',
          line: 12,
          hint: expect.stringContaining('stays unchanged'),
        },
      ],
    });
  });
});

it('a key that may change keeps its secrets only if it has not changed', () => {
  const text = 'pipelines: [{ stages: [{ class: A, conditions: [{ fields: [x], password: hunter2 }] }] }]';
  const sent = text.replace('hunter2', '"******"');
  expect(keepSecrets({ text: sent, format: 'hocon' }, { text, format: 'hocon' })).toEqual({ text });
  expect(keepSecrets({ text: sent.replace('[x]', '[y]'), format: 'hocon' }, { text, format: 'hocon' })).toMatchObject({
    refused: [{ path: 'pipelines[0].stages[0].conditions[0].password' }],
  });
});

it('a text that only looks like a mask is not changed', () => {
  const text = 'stage { replacement: "******" }, password: "hunter2"';
  const sent = 'stage { replacement: "******" }, password: "******", b: 1';
  expect(keepSecrets({ text: sent, format: 'hocon' }, { text, format: 'hocon' })).toEqual({ text: `${text}, b: 1` });
});

describe('the masked text of any config with URLs, headers and variables', () => {
  const word = fc.stringMatching(/^[a-zA-Z0-9_.%-]{1,12}$/);
  const name = fc.constantFrom(
    'key',
    'code',
    'auth',
    'signature',
    'X-Amz-Signature',
    'q',
    'page',
    'sig',
    'new',
    'token',
  );
  const url = fc
    .record({
      user: fc.constantFrom('', 'u@', 'u:p@'),
      path: word,
      params: fc.array(fc.tuple(name, word), { maxLength: 4 }),
    })
    .map(({ user, path, params }) => `https://${user}h/${path}?${params.map((pair) => pair.join('=')).join('&')}`);
  const values = fc.dictionary(fc.constantFrom('X-Foo', 'Accept', 'A', 'PATH', 'X-Functions-Key'), word);

  it('gets all of its secrets back when it is saved', () => {
    fc.assert(
      fc.property(url, values, values, (url, headers, env) => {
        const config = {
          connectors: [{ class: 'A', url, headers }],
          pipelines: [{ name: 'p', stages: [{ class: 'B', env, urls: [url, 'b'], webhook: url }] }],
          http: { url, headers },
        };
        const stored = { text: JSON.stringify(config), format: 'json' } as const;
        const { root } = readConfigText(stored.text, { format: 'json' });
        const text = configToJson(maskSecrets(root as ObjectNode));
        const kept = keepSecrets({ text, format: 'json' }, stored);
        expect('text' in kept ? JSON.parse(kept.text) : kept).toEqual(config);
      }),
    );
  });
});
