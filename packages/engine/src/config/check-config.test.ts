import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkConfig } from './check-config.ts';
import { writesToStandardOutput } from './check-indexer.ts';
import { openFixtureRegistry } from './fixture-components.test.lib.ts';
import type { IngestConfig } from './ingest-config.ts';
import { readConfigText } from './read-config.ts';

const registry = await openFixtureRegistry();

async function check(text: string) {
  const { root, problems } = readConfigText(text);
  expect(problems).toEqual([]);
  return checkConfig(root as never, registry);
}

/** The problems as `path line:column code message`, with their hints below. */
async function problemsOf(text: string): Promise<string[]> {
  const { config, problems } = await check(text);
  if (problems.some((problem) => problem.severity === 'error')) expect(config).toBeUndefined();
  else expect(config).toBeDefined();
  return problems.map(({ severity, path, line, column, component, message, hint }) =>
    [
      severity === 'error' ? '' : 'warning ',
      `${path} ${line === undefined ? '-' : `${line}:${column}`}`,
      component === undefined ? '' : ` <${component}>`,
      ` ${message}`,
      hint === undefined ? '' : ` | ${hint}`,
    ].join(''),
  );
}

async function configOf(text: string): Promise<IngestConfig> {
  const { config, problems } = await check(text);
  expect(problems.filter((problem) => problem.severity === 'error')).toEqual([]);
  return config as IngestConfig;
}

const connectors = 'connectors: [{class: Numbers, name: c, pipeline: p, count: 1}]';
const pipelines = 'pipelines: [{name: p, stages: []}]';
const indexer = 'indexer {type: nothing}';

/** A config with these stages. */
const withStages = (stages: string) => `${connectors}\npipelines: [{name: p, stages: [${stages}]}]\n${indexer}`;

describe('a config without mistakes', () => {
  it('gives what a run needs, defaults filled in', async () => {
    const config = await configOf(`
      connectors: [
        {class: Numbers, count: 1}
        {class: Numbers, name: second, pipeline: p, docIdPrefix: "x-", collapse: "true", count: "2"}
      ]
      pipelines: [{
        name: p, threads: "2", colour: red
        stages: [
          {class: Mark, field: a, enabled: false}
          {class: Mark, field: 5, fieldMapping {"a.b": c}}
          {class: Mark, name: named, field: b, conditionPolicy: ANY, conditions: [{fields: [f], values: [1, 1.0, null]}]}
        ]
      }]
      indexer {type: SINK, batchSize: 7}
      sink {path: out, columns: [a]}
      worker {threads: 3}
      anything {at: all}
    `);
    expect(config.connectors).toMatchObject([
      { name: 'connector_1', pipeline: undefined, docIdPrefix: '', collapse: false, params: { count: 1 } },
      { name: 'second', pipeline: 'p', docIdPrefix: 'x-', collapse: true, params: { count: 2 }, path: 'connectors[1]' },
    ]);
    const [pipeline] = config.pipelines;
    expect(pipeline).toMatchObject({ name: 'p', threads: 2 });
    expect(pipeline?.stages).toMatchObject([
      {
        name: 'stage_1',
        path: 'pipelines[0].stages[1]',
        params: { field: '5', times: 1, fieldMapping: new Map([['a.b', 'c']]) },
        conditionPolicy: 'all',
      },
      {
        name: 'named',
        conditionPolicy: 'any',
        conditions: [{ fields: ['f'], operator: 'must', values: ['1', '1', null] }],
      },
    ]);
    expect(config.indexer).toMatchObject({
      path: 'sink',
      params: { path: 'out', columns: ['a'] },
      settings: { batchSize: 7, batchTimeout: 100, whitelist: [] },
    });
    expect(config.worker).toEqual({ threads: 3, maxProcessingSecs: 60, exitOnTimeout: false, enableHeartbeat: false });
    expect(config.publisher).toEqual({ queueCapacity: 10000 });
    expect(config.runner).toEqual({ connectorTimeout: 86400000, metricsLoggingLevel: 'DEBUG' });
    expect(config.log).toEqual({ seconds: 30 });
  });

  it.each([
    ['empty lists', 'connectors: [], pipelines: [], indexer {type: nothing}'],
    [
      'lists as objects with numeric keys',
      'connectors {"0": {class: Numbers, count: 1}}, pipelines: [], indexer {type: nothing}',
    ],
    [
      'blocks that are null',
      `${connectors}\n${pipelines}\n${indexer}\nworker: null, zookeeper: null, kafka: null, sink: null`,
    ],
    ['an indexer by class', `${connectors}\n${pipelines}\nindexer {class: Nothing}`],
  ])('may have %s', async (_, text) => {
    expect(await problemsOf(text)).toEqual([]);
  });
});

describe('sections', () => {
  it('that are missing are named, all of them', async () => {
    expect(await problemsOf('')).toEqual([
      'pipelines - Configuration does not contain key "pipelines". | Add pipelines: [{name: "…", stages: [ … ]}]; it may be an empty list.',
      'connectors - Configuration does not contain key "connectors". | Add connectors: [{class: "…", pipeline: "…"}].',
      'indexer - <indexer> No indexer.class or indexer.type specified in Config. | Add indexer { type: "…" }.',
    ]);
    expect(await problemsOf(`${connectors}\n${pipelines}\nindxer {type: nothing}`)).toEqual([
      'warning indxer 3:1 Nothing reads indxer: it has no effect | Did you mean indexer?',
      'indexer - <indexer> No indexer.class or indexer.type specified in Config. | Did you mean indexer instead of indxer?',
    ]);
  });

  it('of a wrong type are refused, and their elements', async () => {
    expect(await problemsOf('connectors: {a: 1}\npipelines: p\nindexer: 5\nworker: 1')).toEqual([
      'connectors 1:13 connectors is supposed to be a list, was "OBJECT"',
      'pipelines 2:12 pipelines is supposed to be a list, was "STRING"',
      'indexer 3:10 <indexer> indexer is supposed to be a Config, was "NUMBER"',
      'worker 4:9 <worker> worker is supposed to be a Config, was "NUMBER"',
    ]);
    expect(await problemsOf(`connectors: [c]\npipelines: [p, {name: q, stages: [s]}]\n${indexer}`)).toEqual([
      'connectors[0] 1:14 A connector is supposed to be a Config, was "STRING"',
      'pipelines[0] 2:13 A pipeline is supposed to be a Config, was "STRING"',
      'pipelines[1].stages[0] 2:35 <q> A stage is supposed to be a Config, was "STRING"',
    ]);
  });
});

describe('pipelines', () => {
  it('need a name and stages', async () => {
    expect(
      await problemsOf(`connectors: []\npipelines: [{stages: []}, {name: [], stages: []}, {name: p}]\n${indexer}`),
    ).toEqual([
      'pipelines[0].name 2:13 The pipeline has no name | Connectors refer to a pipeline by its name.',
      'pipelines[1].name 2:34 name must be a string | Connectors refer to a pipeline by its name.',
      "pipelines[2].stages 2:51 <p> No configuration setting found for key 'stages' | stages may be an empty list.",
    ]);
  });

  it('have names of their own', async () => {
    expect(
      await problemsOf(`connectors: []\npipelines: [{name: p, stages: []}, {name: p, stages: []}]\n${indexer}`),
    ).toEqual([
      'pipelines[1].name 2:43 <p> More than one pipeline found with name: p | Give each pipeline a name of its own.',
    ]);
  });

  it.each(['0', '65', '-1', 'two', '[]', 'true'])('cannot have %s threads', async (threads) => {
    expect(
      await problemsOf(`connectors: []\npipelines: [{name: p, stages: [], threads: ${threads}}]\n${indexer}`),
    ).toEqual(['pipelines[0].threads 2:44 <p> threads must be a number from 1 to 64']);
  });
});

describe('connectors', () => {
  it('need a class that exists', async () => {
    expect(
      await problemsOf(
        `connectors: [{name: a}, {class: Nubmers, name: b}, {class: [], name: c}, {class: q.Z}]\npipelines: []\n${indexer}`,
      ),
    ).toEqual([
      'connectors[0] 1:14 <a> No Connector class specified | Add class: "…". `headrace components` lists the connectors.',
      'connectors[1].class 1:33 <b> There is no connector Nubmers | Did you mean Numbers?',
      'connectors[2].class 1:60 <c> class must be a string, was "LIST"',
      'connectors[3].class 1:82 <connector_4> There is no connector q.Z | `headrace components` lists the connectors.',
    ]);
  });

  it('have their parameters checked, and the keys of all connectors', async () => {
    expect(
      await problemsOf(
        `connectors: [{class: Numbers, name: a, foo: 1, bar {x: 2}, collapse: maybe}]\npipelines: []\n${indexer}`,
      ),
    ).toEqual([
      'connectors[0] 1:14 <a> Config is missing required property count',
      'connectors[0].foo 1:40 <a> Config contains unknown property foo | Known are: count, class, name, pipeline, docIdPrefix, collapse.',
      'connectors[0].bar 1:48 <a> Config contains unknown parent bar | No parameter is called bar. Known are: count, class, name, pipeline, docIdPrefix, collapse.',
      'connectors[0].collapse 1:70 <a> collapse must be a boolean, was "STRING"',
    ]);
  });

  it('feed a pipeline that exists', async () => {
    const text = (name: string, list: string) =>
      `connectors: [{class: Numbers, count: 1, name: a, pipeline: ${name}}]\npipelines: [${list}]\n${indexer}`;
    const two = '{name: movies, stages: []}, {name: books, stages: []}';
    expect(await problemsOf(text('movie', two))).toEqual([
      'connectors[0].pipeline 1:60 <a> There is no pipeline movie | Did you mean movies? Pipelines are: movies, books.',
    ]);
    expect(await problemsOf(text('songs1', two))).toEqual([
      'connectors[0].pipeline 1:60 <a> There is no pipeline songs1 | Pipelines are: movies, books.',
    ]);
    expect(await problemsOf(text('songs1', ''))).toEqual([
      'connectors[0].pipeline 1:60 <a> There is no pipeline songs1 | The config defines no pipelines.',
    ]);
  });

  it('have names of their own, given or by position', async () => {
    expect(
      await problemsOf(
        `connectors: [{class: Numbers, name: connector_2, count: 1}, {class: Numbers, count: 1}]\npipelines: []\n${indexer}`,
      ),
    ).toEqual([
      'connectors[1].name 1:61 <connector_2> There are multiple connectors with the name connector_2 | A connector without a name is called connector_<position>.',
    ]);
  });
});

describe('stages', () => {
  it('are checked even when they are disabled', async () => {
    expect(await problemsOf(withStages('{class: Mark, enabled: false}'))).toEqual([
      'pipelines[0].stages[0] 2:32 <Mark> Config is missing required property field',
    ]);
  });

  it('that could not start are only warned of while they are disabled', async () => {
    const severities = async (enabled: boolean) => {
      const text = withStages(`{class: Mark, field: a, regex: ["|"], enabled: ${enabled}}`);
      return (await check(text)).problems.map(({ severity }) => severity);
    };
    expect(await severities(true)).toEqual(['error']);
    expect(await severities(false)).toEqual(['warning']);
  });

  it('are told of by class and name', async () => {
    expect(
      await problemsOf(
        withStages('{name: x}, {class: Mrak, name: y, field: a}, {class: Mark, name: z, fild: a, field: b}'),
      ),
    ).toEqual([
      'pipelines[0].stages[0] 2:32 <stage (x)> No Stage class specified | Add class: "…". `headrace components` lists the stages.',
      'pipelines[0].stages[1].class 2:51 <Mrak (y)> There is no stage Mrak | Did you mean Mark?',
      'pipelines[0].stages[2].fild 2:100 <Mark (z)> Config contains unknown property fild | Did you mean field?',
    ]);
  });

  it('may check themselves, with the place of what they mean', async () => {
    const text = withStages(`{
      class: Mark, field: a
      fieldMapping {
        ok: x
        "a.b[0]": ""
      }
      regex: [
        a
        "("
        "."
      ]
    }`);
    expect(await problemsOf(text)).toEqual([
      'pipelines[0].stages[0].fieldMapping."a.b[0]" 6:19 <Mark> a.b[0] has no target | Give one.',
      'pipelines[0].stages[0].regex[1] 10:9 <Mark> regex[1] is not closed',
      'warning pipelines[0].stages[0].regex[2] 11:9 <Mark> matches anything',
    ]);
  });

  it('run with warnings', async () => {
    expect(await problemsOf(withStages('{class: Mark, field: a, regex: ["."], unknown: {}}'))).toEqual([
      'warning pipelines[0].stages[0].regex[0] 2:64 <Mark> matches anything',
      'warning pipelines[0].stages[0].unknown 2:70 <Mark> Config contains unknown property unknown | Known are: field, fieldMapping, mode, regex, times, class, name, enabled, conditions, conditionPolicy.',
    ]);
  });

  it('whose constructor fails are refused with its message', async () => {
    expect(await problemsOf(withStages('{class: Mark, field: plain}, {class: Mark, field: coded}'))).toEqual([
      'pipelines[0].stages[0] 2:32 <Mark> the constructor failed',
      'pipelines[0].stages[1] 2:61 <Mark> no | say yes',
    ]);
  });

  it('have names of their own in a pipeline; disabled ones do not count', async () => {
    expect(
      await problemsOf(
        withStages(
          '{class: Mark, field: a, name: s}, {class: Mark, field: b, name: s}, {class: Mark, field: c, name: s, enabled: false}',
        ),
      ),
    ).toEqual([
      'pipelines[0].stages[1].name 2:96 <p> Two stages of the pipeline are called s | A stage without a name is called stage_<position>.',
    ]);
    const [pipeline] = (await configOf(withStages('{class: Mark, field: a, enabled: no}, {class: Mark, field: b}')))
      .pipelines;
    expect(pipeline?.stages.map(({ name }) => name)).toEqual(['stage_1']);
  });

  it('may be custom only where the registry allows it', async () => {
    expect(await problemsOf(withStages('{class: "./evil.js#Evil"}'))).toEqual([
      'pipelines[0].stages[0].class 2:40 <./evil.js#Evil> An uploaded config may not load the module ./evil.js | Name the module under `components` in the service file.',
    ]);
  });
});

describe('conditions', () => {
  const condition = (text: string) => withStages(`{class: Mark, field: a, ${text}}`);

  it.each([
    ['conditions: [{values: [x]}]', 'conditions[0] 2:69', 'Config is missing required property fields', ''],
    [
      'conditions: [{fields: a}]',
      'conditions[0].fields 2:78',
      'fields is supposed to be a list, was "STRING"',
      ' | Write it in brackets: fields: [a]',
    ],
    [
      'conditions: [{fields: [a], operator: MUST}]',
      'conditions[0].operator 2:93',
      'operator must be one of "must", "must_not", was "MUST"',
      ' | Did you mean "must"?',
    ],
    [
      'conditions: [{fields: [a], values: [x], valuesPath: y}]',
      'conditions[0] 2:69',
      "Specify either 'values' or 'valuesPath', not both.",
      '',
    ],
    ['conditions: {a: 1}', 'conditions 2:68', 'conditions is supposed to be a list, was "OBJECT"', ''],
    [
      'conditions: [{fields: [a]}], conditionPolicy: some',
      'conditionPolicy 2:102',
      'Unsupported condition policy: some',
      ' | It is "all" or "any".',
    ],
  ])('%s is a mistake', async (text, where, message, hint) => {
    const [first] = await problemsOf(condition(text));
    expect(first).toBe(`pipelines[0].stages[0].${where} <Mark> ${message}${hint}`);
  });

  it('without conditions a wrong policy is a warning, because the reference overlooks it', async () => {
    expect(await problemsOf(condition('conditionPolicy: some'))).toEqual([
      'warning pipelines[0].stages[0].conditionPolicy 2:73 <Mark> Unsupported condition policy: some | It is "all" or "any".',
    ]);
  });

  it('read their values from a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headrace-values-'));
    try {
      const path = join(folder, 'values.txt');
      writeFileSync(path, '\ufeff one \r\n\r\ntwo\rthree\n');
      const config = await configOf(condition(`conditions: [{fields: [f], valuesPath: ${JSON.stringify(path)}}]`));
      expect(config.pipelines[0]?.stages[0]?.conditions[0]?.values).toEqual(['one', 'two', 'three']);
      const missing = JSON.stringify(join(folder, 'none.txt'));
      const [problem] = await problemsOf(
        condition(`conditions: [{fields: [f]}, {fields: [f], valuesPath: ${missing}}]`),
      );
      expect(problem).toContain(
        'pipelines[0].stages[0].conditions[1] 2:84 <Mark> Failed to load values from valuesPath: ',
      );
      expect(problem).toContain(' | ENOENT');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the indexer', () => {
  const block = (text: string) => `${connectors}\n${pipelines}\n${text}`;

  it('and its own block are told of together', async () => {
    expect(await problemsOf(block('indexer {type: Sink, batchSize: 0}, sink {path: [], colums: []}'))).toEqual([
      'indexer.batchSize 3:33 <indexer> batchSize must be at least 1, was 0',
      'sink 3:42 <sink> Config is missing required property columns',
      'sink.path 3:49 <sink> path must be a string, was "LIST"',
      'sink.colums 3:53 <sink> Config contains unknown property colums | Did you mean columns?',
    ]);
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
      "indexer.type 3:16 <indexer> Unknown indexer.type configuration of: 'Mongo' | Types are: Nothing, Sink.",
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
  ])('%s', async (text, expected) => {
    const problems = (await problemsOf(block(text))).filter((problem) => !problem.includes('has no effect'));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
  });

  it('is told of a value of a wrong type only that', async () => {
    expect(
      await problemsOf(block('indexer {type: nothing, deletionMarkerField: d, deletionMarkerFieldValue: []}')),
    ).toEqual([
      'indexer.deletionMarkerFieldValue 3:75 <indexer> deletionMarkerFieldValue must be a string, was "LIST"',
    ]);
  });
});

describe('the blocks of the engine', () => {
  it('are closed, and complete when they are there', async () => {
    const text = `${connectors}\n${pipelines}\n${indexer}\nrunner {a: 1}\nlog {seconds: x}\nzookeeper {}\nkafka {bootstrapServers: "h:1"}\nworker {threads: 0}\npublisher {queueCapacity: "5"}`;
    expect(await problemsOf(text)).toEqual([
      'runner.a 4:9 <runner> Config contains unknown property a | Known are: connectorTimeout, metricsLoggingLevel.',
      'log.seconds 5:15 <log> seconds must be a number, was "STRING"',
      'warning zookeeper 6:1 <zookeeper> zookeeper has no effect in this version | Remove it.',
      'zookeeper 6:11 <zookeeper> Config is missing required property connectString',
      'warning kafka 7:1 <kafka> kafka has no effect in this version | Remove it.',
      'kafka 7:7 <kafka> Config is missing required property consumerGroupId',
      'kafka 7:7 <kafka> Config is missing required property maxPollIntervalSecs',
      'kafka 7:7 <kafka> Config is missing required property maxRequestSize',
      'worker.threads 8:18 <worker> threads must be at least 1, was 0',
    ]);
  });
});

describe('what is there for nothing', () => {
  it.each([
    'worker.exitOnTimeout: true',
    'worker.maxRetries: 2',
    'worker.enableHeartbeat: true',
    'worker.pipeline: p',
    'runner.metricsLoggingLevel: info',
    'indexer.logRate: 5',
  ])('is told of, as a warning: %s', async (setting) => {
    const [path] = setting.split(':');
    expect(await problemsOf(`${connectors}\n${pipelines}\n${indexer}\n${setting}`)).toEqual([
      expect.stringMatching(`^warning ${path} 4:\\d+ <\\w+> ${path} has no effect in this version`),
    ]);
  });

  it('is nothing that works, nor what is not given', async () => {
    const working =
      'worker.threads: 2, publisher.queueCapacity: 5, publisher.maxPendingDocs: 5, runner.connectorTimeout: 5';
    expect(await problemsOf(`${connectors}\n${pipelines}\n${indexer}\n${working}`)).toEqual([]);
    const retries =
      'maxRetries: 1, retryWaitDurationMs: 1, retryMaxWaitDurationMs: 1, retryRandomizationFactor: 0.5, retryableStatusCodes: [429]';
    expect(await problemsOf(`${connectors}\n${pipelines}\nindexer {type: nothing, ${retries}}`)).toEqual([]);
  });

  it('may be a level that there is not', async () => {
    const problems = await problemsOf(`${connectors}\n${pipelines}\n${indexer}\nrunner.metricsLoggingLevel: loud`);
    expect(problems).toContain(
      'warning runner.metricsLoggingLevel 4:29 <runner> There is no level loud | Levels are: TRACE, DEBUG, INFO, WARN, ERROR.',
    );
  });

  it('may be a key of a pipeline', async () => {
    expect(
      await problemsOf(`${connectors}\npipelines: [{name: p, stages: [], stage: [], colour: red}]\n${indexer}`),
    ).toEqual([
      'warning pipelines[0].stage 2:35 <p> A pipeline has no key stage: it has no effect | Did you mean stages?',
      'warning pipelines[0].colour 2:46 <p> A pipeline has no key colour: it has no effect | Known are: name, stages, threads.',
    ]);
  });

  it('may be a pipeline that no connector feeds', async () => {
    const two = 'pipelines: [{name: p, stages: []}, {name: q, stages: []}]';
    expect(await problemsOf(`${connectors}\n${two}\n${indexer}`)).toEqual([
      'warning pipelines[1] 2:36 <q> No connector feeds the pipeline q | Write pipeline: q in the connector that is to feed it.',
    ]);
    expect(await problemsOf(`connectors: []\n${two}\n${indexer}`)).toEqual([]);
    const misspelt = connectors.replace('pipeline: p', 'pipeline: qq');
    expect(await problemsOf(`${misspelt}\n${two}\n${indexer}`)).toEqual([
      expect.stringContaining('There is no pipeline qq'),
    ]);
  });
});

describe('an indexer that tells of the block indexer', () => {
  it('is told at the key that it means', async () => {
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
  ])('%s: %s', async (text, expected) => {
    const { root } = readConfigText(text);
    expect(await writesToStandardOutput(root as never, registry)).toBe(expected);
  });
});
