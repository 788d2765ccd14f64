import { noCounts, noDocuments, STAGE_COUNTERS } from '@headrace/engine';

/** The example of an operation in the OpenAPI document. A test sends it and compares the answers. */
export interface OperationExample {
  /** The values of path and query parameters. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: { readonly type: string; readonly value: unknown };
  /** The successful answer: a JSON value, or the text of an answer that is not JSON. */
  readonly answer?: unknown;
}

/** The ids of the config and the run in the examples. */
export const EXAMPLE_CONFIG_ID = '5f0c2c1e-8f0a-4c39-9c7e-0b3a5f1f2d11';
export const EXAMPLE_RUN_ID = '0b6f7f4e-4d8e-4a53-8a1f-6a2f8f3c9e70';

const JSON_TYPE = 'application/json';
const DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** The config of the examples in the format of an answer. */
const config = {
  connectors: [{ class: 'SequenceConnector', name: 'numbers', pipeline: 'first', numDocs: 3 }],
  indexer: { type: 'Nop' },
  pipelines: [{ name: 'first', stages: [{ class: 'Concatenate', dest: 'title', formatString: 'Document {id}' }] }],
};

/** The config of the examples as users write it, in HOCON. */
export const EXAMPLE_CONFIG = `connectors: [{ class: SequenceConnector, name: numbers, pipeline: first, numDocs: 3 }]
pipelines: [{ name: first, stages: [{ class: Concatenate, dest: title, formatString: "Document {id}" }] }]
indexer { type: Nop }
`;

const problem = {
  severity: 'error',
  code: 'HR_CONFIG_UNKNOWN_CLASS',
  path: 'indexer.type',
  line: 1,
  column: 48,
  component: 'indexer',
  message: "Unknown indexer.type configuration of: 'Solar'",
  hint: 'Known types: CSV, Elasticsearch, HTTP, JSONLines, Kafka, Nop, OpenSearch, Postgres, Solr.',
};

const counts = { ...noDocuments(), pending: 0, published: 3, succeeded: 3 };

/** A finished run. */
const run = {
  runId: EXAMPLE_RUN_ID,
  configId: EXAMPLE_CONFIG_ID,
  configName: null,
  configVersion: 1,
  startTime: 1795267968.824,
  endTime: 1795267968.912,
  runResult: {
    status: true,
    message: 'RUN SUMMARY: Success. 1/1 connectors complete. All published docs succeeded.',
    runId: EXAMPLE_RUN_ID,
    history: null,
    problems: [],
    connectors: [{ name: 'numbers', status: 'complete', succeeded: 3, failed: 0, dropped: 0, seconds: 0.02 }],
  },
  runType: 'LOCAL',
  done: true,
  status: 'SUCCEEDED',
  progress: {
    ...counts,
    docsPerSecond: 150,
    connectors: [
      { name: 'numbers', status: 'complete', published: 3, succeeded: 3, failed: 0, dropped: 0, seconds: 0.02 },
    ],
    stages: [
      {
        connector: 'numbers',
        pipeline: 'first',
        stage: 'stage_1',
        class: 'Concatenate',
        ...noCounts(STAGE_COUNTERS),
        processed: 3,
        meanMillis: 0.004,
      },
    ],
  },
  configDigest: DIGEST,
  overlap: 'allow',
  requestedBy: null,
  labels: { team: 'search' },
};

/** A running run. */
const going = {
  ...run,
  endTime: null,
  runResult: null,
  done: false,
  status: 'RUNNING',
  progress: { ...run.progress, connectors: [], stages: [] },
};

const failure = {
  id: '0',
  connector: 'numbers',
  pipeline: 'first',
  at: 'stage_1',
  code: 'HR_STAGE_FAILED',
  message: 'Field "id" is not JSON: it is not padded base64 text',
  processed: false,
  document: { id: '0' },
};

const stage = {
  class: 'DropDocument',
  fields: [{ name: 'enabled', required: false, type: { type: 'BOOLEAN' }, default: true }],
  aliases: ['com.kmwllc.lucille.stage.DropDocument'],
  kind: 'stage',
  package: '@headrace/components',
};

const file = {
  name: 'products.csv',
  path: '/var/lib/headrace/store/files/products.csv',
  bytes: 24,
  modifiedTime: 1795267960.5,
};

const size = { total: 16_000_000_000, available: 8_000_000_000, used: 8_000_000_000, percent: 50 };
const heap = { total: 60_000_000, free: 20_000_000, used: 40_000_000, percent: 66.67 };

const schedule = {
  configId: EXAMPLE_CONFIG_ID,
  configName: null,
  preset: false,
  cron: '0 3 * * *',
  timezone: 'Europe/Berlin',
  enabled: true,
  overlap: 'skip',
  catchUp: false,
  labels: { team: 'search' },
  fixed: false,
  setTime: 1795267960.5,
  setBy: null,
  nextTimes: [1795312800, 1795399200, 1795485600],
  lastTime: null,
  lastProblem: null,
  lastRun: null,
};

const upload = { body: { type: 'application/hocon', value: EXAMPLE_CONFIG } };
const ofConfig = { parameters: { id: EXAMPLE_CONFIG_ID } };
const ofVersion = { parameters: { ...ofConfig.parameters, version: 1 } };
const ofRun = { parameters: { id: EXAMPLE_RUN_ID } };

/** The examples of all operations that have parameters, a body or an answer with content. */
export const EXAMPLES: Readonly<Record<string, OperationExample>> = {
  'POST /v1/config': { ...upload, answer: { configId: EXAMPLE_CONFIG_ID } },
  'POST /v1/config/validate': {
    body: {
      type: 'application/hocon',
      value: 'connectors: [], pipelines: [], indexer { type: Solar }',
    },
    answer: { valid: false, problems: [problem] },
  },
  'GET /v1/config': { answer: { [EXAMPLE_CONFIG_ID]: config } },
  'GET /v1/config/{id}': { ...ofConfig, answer: config },
  'PUT /v1/config/{id}': {
    parameters: { ...ofConfig.parameters, description: 'Counts to three' },
    body: { type: 'application/hocon', value: `${EXAMPLE_CONFIG}# Changed\n` },
    answer: { configId: EXAMPLE_CONFIG_ID, version: 2 },
  },
  'DELETE /v1/config/{id}': ofConfig,
  'GET /v1/config/{id}/versions': {
    ...ofConfig,
    answer: { items: [{ version: 1, digest: DIGEST, createdTime: 1795267960.5, createdBy: null }], next: null },
  },
  'GET /v1/config/{id}/versions/{version}': { ...ofVersion, answer: config },
  'POST /v1/config/{id}/versions/{version}/restore': {
    ...ofVersion,
    answer: { configId: EXAMPLE_CONFIG_ID, version: 3 },
  },
  'GET /v1/config/{id}/text': { ...ofConfig, answer: EXAMPLE_CONFIG },
  'GET /v1/config/{id}/diff': {
    ...ofConfig,
    answer: { from: 1, to: 2, changes: [{ path: 'connectors[0].numDocs', old: 3, new: 4 }] },
  },
  'PUT /v1/config/{id}/schedule': {
    ...ofConfig,
    body: { type: JSON_TYPE, value: { cron: '0 3 * * *', timezone: 'Europe/Berlin', labels: { team: 'search' } } },
    answer: schedule,
  },
  'GET /v1/config/{id}/schedule': { ...ofConfig, answer: schedule },
  'DELETE /v1/config/{id}/schedule': ofConfig,
  'GET /v1/schedule': { answer: { items: [schedule], next: null } },
  'GET /v1/schedule/times': {
    parameters: { cron: '0 3 * * *', timezone: 'Europe/Berlin' },
    answer: { nextTimes: schedule.nextTimes },
  },
  'POST /v1/run': {
    body: { type: JSON_TYPE, value: { configId: EXAMPLE_CONFIG_ID, labels: { team: 'search' } } },
    answer: { ...going, status: 'QUEUED' },
  },
  'GET /v1/run': { answer: [run] },
  'GET /v1/run/{id}': { ...ofRun, answer: run },
  'GET /v1/run/{id}/events': { ...ofRun, answer: `id: done\nevent: done\ndata: ${JSON.stringify(run)}\n\n` },
  'GET /v1/run/{id}/log': {
    ...ofRun,
    answer: `{"line":1,"time":1795267968.824,"level":"info","logger":"runner","message":"Starting run with id ${EXAMPLE_RUN_ID}"}\n`,
  },
  'DELETE /v1/run/{id}': { ...ofRun, answer: { ...going, status: 'STOPPING' } },
  'POST /v1/run/{id}/cancel': { ...ofRun, answer: { ...going, status: 'STOPPING' } },
  'GET /v1/run/{id}/failures': {
    ...ofRun,
    answer: {
      items: [failure],
      next: null,
    },
  },
  'GET /v1/run/{id}/failures/groups': {
    ...ofRun,
    answer: {
      items: [{ group: '3f79bb7b435b0532', count: 1, replayable: 1, example: failure }],
      groups: 1,
      failures: 1,
    },
  },
  'GET /v1/run/{id}/samples': {
    ...ofRun,
    answer: { items: [{ time: 1795267968.912, finished: 3, failed: 0, pending: 0 }] },
  },
  'POST /v1/run/{id}/retry': {
    ...ofRun,
    body: { type: JSON_TYPE, value: {} },
    answer: { ...going, retryOf: EXAMPLE_RUN_ID },
  },
  'POST /v1/run/{id}/rollback': {
    ...ofRun,
    body: { type: JSON_TYPE, value: {} },
    answer: {
      ...going,
      rolledBack: {
        time: 1795267968.912,
        requestedBy: null,
        message: 'The alias a points to a-20261124-010203004 again, which replaces a-20261125-010203004',
      },
    },
  },
  'POST /v1/preview': {
    parameters: { trace: true },
    body: { type: JSON_TYPE, value: { configId: EXAMPLE_CONFIG_ID, documents: [{ id: 'a' }] } },
    answer: {
      results: [
        {
          input: { id: 'a' },
          documents: [{ id: 'a', title: 'Document a' }],
          dropped: [],
          trace: [{ stage: 'stage_1', class: 'Concatenate', millis: 0.05, document: { id: 'a', title: 'Document a' } }],
        },
      ],
      problems: [],
      notices: [],
    },
  },
  'GET /v1/file': { answer: { items: [file], maxFileBytes: 1_073_741_824 } },
  'PUT /v1/file/{name}': {
    parameters: { name: file.name, replace: true },
    body: { type: 'application/octet-stream', value: 'sku,name\na-1,Oak chair\n' },
    answer: file,
  },
  'DELETE /v1/file/{name}': { parameters: { name: file.name } },
  'GET /v1/config-info/stage-list': { answer: [stage] },
  'GET /v1/config-info/connector-list': { answer: [{ ...stage, class: 'SleepConnector', kind: 'connector' }] },
  'GET /v1/config-info/indexer-list': { answer: [{ ...stage, class: 'NopIndexer', kind: 'indexer', type: 'Nop' }] },
  'GET /v1/config-info/schema': {
    answer: { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Headrace config', type: 'object' },
  },
  'GET /v1/user': { answer: { user: 'mary', role: 'operator', secured: true } },
  'GET /v1/version': { answer: { version: '0.1.0', apiVersion: 'v1', node: '26.10.0' } },
  'GET /v1/readyz': {
    parameters: { verbose: true },
    answer: { status: 'ready', checks: [{ name: 'store', ok: true }] },
  },
  'GET /v1/systemstats': {
    answer: {
      cpu: { percent: 12.5, used: 12.5, available: 87.5, total: 100, loadAverage: 0.42 },
      ram: size,
      storage: size,
      jvm: heap,
      heap,
    },
  },
  'GET /v1/systemstats/history': {
    answer: {
      intervalSeconds: 10,
      items: [{ time: 1795267968, cpu: 12.5, ram: 50, heap: 66.67, storage: 50, requests: 42, running: 1, queued: 0 }],
    },
  },
  'GET /v1/systemstats/metrics': {
    answer: { version: '4.0.0', gauges: {}, counters: {}, histograms: {}, meters: {}, timers: {} },
  },
  'GET /metrics': { answer: 'headrace_runs_running 0\n' },
  'GET /openapi.json': { answer: { openapi: '3.1.0' } },
};
