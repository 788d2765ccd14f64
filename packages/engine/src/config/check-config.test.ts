import { describe, expect, it } from 'vitest';
import { configOf, connectors, indexer, pipelines, problemsOf } from './checked-config.test.lib.ts';

describe('a config without mistakes', () => {
  it('returns the parsed config with defaults', async () => {
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
    expect(config.runner).toEqual({ metricsLoggingLevel: 'DEBUG' });
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
  ])('reports no problem for a config with %s', async (_, text) => {
    expect(await problemsOf(text)).toEqual([]);
  });
});

describe('sections', () => {
  it('reports all missing sections together', async () => {
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

  it('reports sections and list elements of a wrong type', async () => {
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
  it('reports a pipeline without a name or stages', async () => {
    expect(
      await problemsOf(`${connectors}\npipelines: [{stages: []}, {name: [], stages: []}, {name: p}]\n${indexer}`),
    ).toEqual([
      'pipelines[0].name 2:13 The pipeline has no name | Connectors refer to a pipeline by its name.',
      'pipelines[1].name 2:34 name must be a string | Connectors refer to a pipeline by its name.',
      "pipelines[2].stages 2:51 <p> No configuration setting found for key 'stages' | stages may be an empty list.",
    ]);
  });

  it('reports two pipelines with the same name', async () => {
    expect(
      await problemsOf(`${connectors}\npipelines: [{name: p, stages: []}, {name: p, stages: []}]\n${indexer}`),
    ).toEqual([
      'pipelines[1].name 2:43 <p> More than one pipeline found with name: p | Give each pipeline a different name.',
    ]);
  });

  it.each(['0', '65', '-1', 'two', '[]', 'true'])('rejects the number of threads %s of a pipeline', async (threads) => {
    expect(
      await problemsOf(`${connectors}\npipelines: [{name: p, stages: [], threads: ${threads}}]\n${indexer}`),
    ).toEqual(['pipelines[0].threads 2:44 <p> threads must be a number from 1 to 64']);
  });
});

describe('connectors', () => {
  it('reports a connector without a class, or with an unknown class', async () => {
    expect(
      await problemsOf(
        `connectors: [{name: a}, {class: Nubmers, name: b}, {class: [], name: c}, {class: q.Z}]\npipelines: []\n${indexer}`,
      ),
    ).toEqual([
      'connectors[0] 1:14 <a> No Connector class specified | Add class: "…". `headrace components` and GET /v1/config-info/connector-list list the connectors.',
      'connectors[1].class 1:33 <b> There is no connector Nubmers | Did you mean Numbers?',
      'connectors[2].class 1:60 <c> class must be a string, was "LIST"',
      'connectors[3].class 1:82 <connector_4> There is no connector q.Z | `headrace components` and GET /v1/config-info/connector-list list the connectors.',
    ]);
  });

  it('reports wrong parameters of a connector', async () => {
    expect(
      await problemsOf(
        `connectors: [{class: Numbers, name: a, foo: 1, bar {x: 2}, collapse: maybe}]\npipelines: []\n${indexer}`,
      ),
    ).toEqual([
      'connectors[0] 1:14 <a> Config is missing required property count',
      'connectors[0].foo 1:40 <a> Config contains unknown property foo | Known parameters: count, class, name, pipeline, docIdPrefix, collapse.',
      'connectors[0].bar 1:48 <a> Config contains unknown parent bar | There is no parameter bar. Known parameters: count, class, name, pipeline, docIdPrefix, collapse.',
      'connectors[0].collapse 1:70 <a> collapse must be a boolean, was "STRING"',
    ]);
  });

  it('reports a connector with an unknown pipeline', async () => {
    const text = (name: string, list: string) =>
      `connectors: [{class: Numbers, count: 1, name: a, pipeline: ${name}}]\npipelines: [${list}]\n${indexer}`;
    const two = '{name: movies, stages: []}, {name: books, stages: []}';
    expect(await problemsOf(text('movie', two))).toEqual([
      'connectors[0].pipeline 1:60 <a> There is no pipeline movie | Did you mean movies? Known pipelines: movies, books.',
    ]);
    expect(await problemsOf(text('songs1', two))).toEqual([
      'connectors[0].pipeline 1:60 <a> There is no pipeline songs1 | Known pipelines: movies, books.',
    ]);
    expect(await problemsOf(text('songs1', `${two}, {name: books, stages: []}`))).toContain(
      'connectors[0].pipeline 1:60 <a> There is no pipeline songs1 | Known pipelines: movies, books.',
    );
    expect(await problemsOf(text('songs1', ''))).toEqual([
      'connectors[0].pipeline 1:60 <a> There is no pipeline songs1 | The config defines no pipelines.',
    ]);
  });

  it('reports two connectors with the same name, whether set or derived from the position', async () => {
    expect(
      await problemsOf(
        `connectors: [{class: Numbers, name: connector_2, count: 1}, {class: Numbers, count: 1}]\npipelines: []\n${indexer}`,
      ),
    ).toEqual([
      'connectors[1].name 1:61 <connector_2> There are multiple connectors with the name connector_2 | A connector without a name is called connector_<position>.',
    ]);
  });
});

describe('the blocks of the engine', () => {
  it('reports unknown keys, and missing required keys, in the blocks of the engine', async () => {
    const text = `${connectors}\n${pipelines}\n${indexer}\nrunner {a: 1}\nlog {seconds: x}\nzookeeper {}\nkafka {bootstrapServers: "h:1"}\nworker {threads: 0}\npublisher {queueCapacity: "5"}`;
    expect(await problemsOf(text)).toEqual([
      'runner.a 4:9 <runner> Config contains unknown property a | Known parameters: connectorTimeout, maxFailures, metricsLoggingLevel, notices.',
      'log.seconds 5:15 <log> seconds must be a number, was "STRING"',
      'warning zookeeper 6:1 <zookeeper> zookeeper has no effect in this version | Remove it.',
      'zookeeper 6:11 <zookeeper> Config is missing required property connectString',
      'warning kafka 7:1 <kafka> kafka has an effect only in distributed runs. This run is in one process | Start a distributed run with headrace run CONFIG --distributed, and headrace worker and headrace indexer. Otherwise remove the block.',
      'kafka 7:7 <kafka> Config is missing required property consumerGroupId',
      'kafka 7:7 <kafka> Config is missing required property maxPollIntervalSecs',
      'kafka 7:7 <kafka> Config is missing required property maxRequestSize',
      'worker.threads 8:18 <worker> threads must be at least 1, was 0',
    ]);
  });
});

describe('a setting without effect', () => {
  it.each([
    'worker.exitOnTimeout: true',
    'worker.enableHeartbeat: true',
    'runner.metricsLoggingLevel: info',
    'indexer.logRate: 5',
  ])('is reported with a warning: %s', async (setting) => {
    const [path] = setting.split(':');
    expect(await problemsOf(`${connectors}\n${pipelines}\n${indexer}\n${setting}`)).toEqual([
      expect.stringMatching(`^warning ${path} 4:\\d+ <\\w+> ${path} has no effect in this version`),
    ]);
  });

  it('reports no warning for settings that have an effect or are absent', async () => {
    const working =
      'worker.threads: 2, publisher.queueCapacity: 5, publisher.maxPendingDocs: 5, runner.connectorTimeout: 5';
    expect(await problemsOf(`${connectors}\n${pipelines}\n${indexer}\n${working}`)).toEqual([]);
    const retries =
      'maxRetries: 1, retryWaitDurationMs: 1, retryMaxWaitDurationMs: 1, retryRandomizationFactor: 0.5, retryableStatusCodes: [429]';
    expect(await problemsOf(`${connectors}\n${pipelines}\nindexer {type: nothing, ${retries}}`)).toEqual([]);
  });

  it('warns of an unknown metrics level', async () => {
    const problems = await problemsOf(`${connectors}\n${pipelines}\n${indexer}\nrunner.metricsLoggingLevel: loud`);
    expect(problems).toContain(
      'warning runner.metricsLoggingLevel 4:29 <runner> There is no log level loud | Known levels: TRACE, DEBUG, INFO, WARN, ERROR.',
    );
  });

  it('warns of an empty connector name', async () => {
    expect(await problemsOf(`${connectors.replace('name: c', 'name: ""')}\n${pipelines}\n${indexer}`)).toEqual([
      'warning connectors[0].name 1:37 The name of the connector is empty | Write a name, or remove the key name: the connector is then called connector_1.',
    ]);
  });

  it('warns of an unknown key of a pipeline', async () => {
    expect(
      await problemsOf(`${connectors}\npipelines: [{name: p, stages: [], stage: [], colour: red}]\n${indexer}`),
    ).toEqual([
      'warning pipelines[0].stage 2:35 <p> A pipeline has no key stage: it has no effect | Did you mean stages?',
      'warning pipelines[0].colour 2:46 <p> A pipeline has no key colour: it has no effect | Known keys: name, stages, threads.',
    ]);
  });

  it('warns of a pipeline without a connector', async () => {
    const two = 'pipelines: [{name: p, stages: []}, {name: q, stages: []}]';
    expect(await problemsOf(`${connectors}\n${two}\n${indexer}`)).toEqual([
      'warning pipelines[1] 2:36 <q> No connector feeds the pipeline q | Add pipeline: q to a connector.',
    ]);
    expect(await problemsOf(`connectors: []\n${two}\n${indexer}`)).toEqual([
      'warning connectors 1:13 There are no connectors: nothing feeds the pipelines | Add a connector: {class: "…", pipeline: "…"}.',
    ]);
    expect(await problemsOf(`connectors: []\npipelines: []\n${indexer}`)).toEqual([]);
    const unknown = connectors.replace('Numbers', 'Number');
    expect(await problemsOf(`${unknown}\n${two}\nindexer {type: nothin}`)).toEqual([
      'connectors[0].class 1:22 <c> There is no connector Number | Did you mean Numbers?',
      expect.stringMatching(/^warning pipelines\[1\] 2:36 <q> No connector feeds/),
      expect.stringMatching(/^indexer\.type 3:16 /),
    ]);
    const misspelt = connectors.replace('pipeline: p', 'pipeline: qq');
    expect(await problemsOf(`${misspelt}\n${two}\n${indexer}`)).toEqual([
      expect.stringContaining('There is no pipeline qq'),
    ]);
  });
});
