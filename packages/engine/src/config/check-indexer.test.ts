import { describe, expect, it } from 'vitest';
import { writesToStandardOutput } from './check-indexer.ts';
import { connectors, pipelines, problemsOf, registry } from './checked-config.test.lib.ts';
import { readConfigText } from './read-config.ts';

describe('the indexer', () => {
  const block = (text: string) => `${connectors}\n${pipelines}\n${text}`;

  it('reports a problem of the indexer and problems of its block together', async () => {
    expect(await problemsOf(block('indexer {type: Sink, batchSize: 0}, sink {path: [], colums: []}'))).toEqual([
      'indexer.batchSize 3:33 <indexer> batchSize must be at least 1, was 0',
      'sink 3:42 <sink> Config is missing required property columns',
      'sink.path 3:49 <sink> path must be a string, was "LIST"',
      'sink.colums 3:53 <sink> Config contains unknown property colums | Did you mean columns?',
    ]);
  });

  it('refuses childrenField for an indexer that deletes no old children, and for several indices', async () => {
    expect(await problemsOf(block('indexer {type: Nothing, childrenField: parent_id}'))).toEqual([
      'indexer.childrenField 3:40 <indexer> Nothing cannot delete old children (indexer.childrenField) | Remove childrenField. OpenSearch, Elasticsearch, Solr, Postgres and the vector stores support it.',
    ]);
    const settings = 'indexer {type: Nothing, childrenField: parent_id, indexOverrideField: index}';
    expect((await problemsOf(block(settings))).join()).toContain('indexer.childrenField needs one index');
  });

  it.each([
    [
      'indexer {}',
      'indexer 3:9 <indexer> No indexer.class or indexer.type specified in Config. | Add indexer { type: "…" }.',
    ],
    [
      'indexer {type: null}',
      'indexer 3:9 <indexer> No indexer.class or indexer.type specified in Config. | Add indexer { type: "…" }.',
    ],
    [
      'indexer {type: Mongo}',
      "indexer.type 3:16 <indexer> Unknown indexer.type configuration of: 'Mongo' | Known types: Nothing, Sink.",
    ],
    ['indexer {class: Nothin}', 'indexer.class 3:17 <indexer> There is no indexer Nothin | Did you mean Nothing?'],
    [
      'indexer {type: Sink}',
      "sink - <indexer> No configuration setting found for key 'sink' | Add sink { path: …, columns: … }.",
    ],
    ['indexer {type: Sink}, sink: x', 'sink 3:29 <indexer> sink is supposed to be a Config, was "STRING"'],
    ['indexer {type: Sink}, sink {path: x, columns: []}', 'sink.columns 3:47 <sink> columns must not be empty'],
    [
      'indexer {type: nothing, batchsize: 1}',
      'indexer.batchsize 3:25 <indexer> Config contains unknown property batchsize | Did you mean batchSize?',
    ],
    ['indexer {type: nothing, batchSize: 0}', 'indexer.batchSize 3:36 <indexer> batchSize must be at least 1, was 0'],
    [
      'indexer {type: nothing, pipeline: p}',
      'indexer.pipeline 3:25 <indexer> Config contains unknown property pipeline',
    ],
    [
      'indexer {type: nothing, deletionMarkerField: d}',
      'indexer.deletionMarkerField 3:46 <indexer> When one of indexer.deletionMarkerField and indexer.deletionMarkerFieldValue are set, both must be set. | Add deletionMarkerFieldValue.',
    ],
    [
      'indexer {type: nothing, deleteByFieldValue: d}',
      'indexer.deleteByFieldValue 3:45 <indexer> When one of indexer.deleteByFieldField and indexer.deleteByFieldValue are set, both must be set. | Add deleteByFieldField.',
    ],
    [
      'indexer {type: nothing, maxRetries: 0}',
      'indexer.maxRetries 3:37 <indexer> indexer.maxRetries must be greater than 0 when specified.',
    ],
    [
      'indexer {type: nothing, retryWaitDurationMs: 5}',
      'indexer.retryWaitDurationMs 3:46 <indexer> indexer.retryWaitDurationMs requires indexer.maxRetries to be set. | Add maxRetries.',
    ],
    [
      'indexer {type: nothing, maxRetries: 1, retryRandomizationFactor: 1.0}',
      'indexer.retryRandomizationFactor 3:66 <indexer> retryRandomizationFactor must be less than 1, was 1',
    ],
    [
      'indexer {type: nothing, maxRetries: 1, retryableStatusCodes: []}',
      'indexer.retryableStatusCodes 3:62 <indexer> indexer.retryableStatusCodes must not be empty when specified. | Remove it to use the default.',
    ],
    ['indexer {type: nothing, versionType: Externl}', 'indexer.versionType 3:38 <indexer> versionType must be one of'],
  ])('reports one problem: %s', async (text, expected) => {
    const problems = (await problemsOf(block(text))).filter((problem) => !problem.includes('has no effect'));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
  });

  it.each([
    ['type: Snk', 'indexer.type', 'Did you mean Sink? Known types: Nothing, Sink.'],
    ['type: SINKS', 'indexer.type', 'Did you mean Sink? Known types: Nothing, Sink.'],
    ['class: Snk', 'indexer.class', 'Did you mean Sink?'],
  ])(
    'suggests a name for the misspelt indexer (%s) and checks the block of the suggested indexer',
    async (text, path, hint) => {
      expect(await problemsOf(block(`indexer {${text}}\nsink {path: [], columns: [a]}`))).toEqual([
        expect.stringMatching(new RegExp(`^${path} 3:\\d+ <indexer> .*\\| ${hint.replace('?', '\\?')}$`)),
        'sink.path 4:13 <sink> path must be a string, was "LIST"',
      ]);
    },
  );

  it('uses indexer.class if indexer.type has another value, and warns', async () => {
    const problems = (type: string) => problemsOf(block(`indexer {class: Nothing, type: ${type}}`));
    for (const type of ['sink', 'mongo']) {
      expect(await problems(type)).toEqual([
        'warning indexer.type 3:32 <indexer> indexer.type has no effect, because indexer.class is Nothing | Remove one of them.',
      ]);
    }
    expect(await problems('nothing')).toEqual([]);
  });

  it('reports a value of a wrong type only once', async () => {
    expect(
      await problemsOf(block('indexer {type: nothing, deletionMarkerField: d, deletionMarkerFieldValue: []}')),
    ).toEqual([
      'indexer.deletionMarkerFieldValue 3:75 <indexer> deletionMarkerFieldValue must be a string, was "LIST"',
    ]);
  });
});

describe('an indexer that reports a problem of the block indexer', () => {
  it('reports the problem at the key of the block indexer', async () => {
    const text = `${connectors}\n${pipelines}\nindexer {\n  type: sink\n  routingField: r\n}\nsink {path: p, columns: [a]}`;
    expect(await problemsOf(text)).toEqual(['warning indexer.routingField 5:17 <indexer> a sink has no routes']);
  });
});

describe('writesToStandardOutput', () => {
  it.each([
    ['indexer {type: sink}, sink {path: "-", columns: [a]}', true],
    ['indexer {type: sink, sendEnabled: false}, sink {path: "-", columns: [a]}', false],
    ['indexer {type: sink}, sink {path: x, columns: [a]}', false],
    ['indexer {type: nothing}', false],
    ['indexer {type: none}', false],
  ])('returns whether the indexer writes to standard output: %s: %s', async (text, expected) => {
    const { root } = readConfigText(text);
    expect(await writesToStandardOutput(root as never, registry)).toBe(expected);
  });
});
