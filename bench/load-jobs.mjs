import { cpuSeconds, inDirectory, memory } from './measure.mjs';
import { answer, load, serve, several, sleep, startRun, upload } from './service.mjs';

const COUNT = 10_000;
const CONNECTIONS = 64;
/** The number of runs to start. The queue has space for all of them, so the speed of accepting runs is measured. */
const NEW_RUNS = 500;

const tiny = (n) => `# The nightly job of shop ${n}
connectors: [{class: SequenceConnector, name: shop${n}, pipeline: p, numDocs: 1}]
pipelines: [{name: p, stages: [{class: TrimWhitespace, fields: [title]}, {class: SetStaticValues, staticValues: {shop: ${n}}}]}]
indexer { class: NopIndexer }
`;
const sleeper = `connectors: [{class: SleepConnector, name: sleeper, duration: 3600000}]
pipelines: []
indexer { class: NopIndexer }
`;

/**
 * Measures the service with 10,000 configs and 10,000 runs in its store: the start time, the memory, and the response
 * times under load from a second process. Durability is on, as it is by default.
 */
export function loadJobs() {
  return inDirectory(async (directory) => {
    const limits = 'limits: { maxConfigs: 1000000, maxQueuedRuns: 100000, maxRuns: 100000';
    const configs = await fill(directory, `${limits}, maxConcurrentRuns: 1 }\n`);
    const service = await serve(directory, `${limits} }\n`);
    try {
      await sleep(3000);
      const idle = memory(service.pid);
      const measured = await measure(service, configs);
      return [
        { job: `load: start with ${COUNT} configs and runs`, value: service.seconds, unit: 's' },
        { job: 'load: memory at rest with them', value: idle, unit: 'MiB' },
        { job: 'load: memory after all this', value: memory(service.pid), unit: 'MiB' },
        ...measured,
      ];
    } finally {
      await service.stop();
    }
  });
}

/**
 * Fills a store over HTTP. The runs are cancelled while they wait. This stores the same as any other end, without an
 * hour of running them. Returns the ids of the configs.
 */
async function fill(directory, settings) {
  const service = await serve(directory, settings);
  const { url } = service;
  const configs = [];
  try {
    await startRun(url, await upload(url, sleeper));
    await several(COUNT, CONNECTIONS, async (n) => configs.push(await upload(url, tiny(n))));
    await several(COUNT, CONNECTIONS, async (n) => {
      await answer(`${url}/v1/run/${await startRun(url, configs[n])}`, { method: 'DELETE' });
    });
    return configs;
  } finally {
    await service.stop();
  }
}

async function measure({ url, pid }, configs) {
  const { items } = await answer(`${url}/v1/run?limit=1`);
  const [{ runId }] = items;
  const [configId] = configs;
  const post = (type, body, path) => ['-m', 'POST', '-H', `content-type=${type}`, '-b', body, url + path];
  const jobs = [
    ['GET /v1/run/{id}', [`${url}/v1/run/${runId}`]],
    ['GET /v1/run?limit=50', [`${url}/v1/run?limit=50`]],
    ['GET /v1/run?limit=50&status=FAILED', [`${url}/v1/run?limit=50&status=FAILED`]],
    ['GET /v1/config/{id}', [`${url}/v1/config/${configId}`]],
    ['GET /v1/config?limit=50', [`${url}/v1/config?limit=50`]],
    ['POST /v1/config/validate', post('application/hocon', tiny(1), '/v1/config/validate')],
    ['POST /v1/config', post('application/hocon', tiny(1), '/v1/config')],
    [
      'POST /v1/run, during runs',
      ['-a', String(NEW_RUNS), ...post('application/json', JSON.stringify({ configId }), '/v1/run')],
    ],
  ];
  const rows = [];
  for (const [name, args] of jobs) {
    const before = cpuSeconds(pid);
    const { requests, latency } = await load(CONNECTIONS, args);
    const cpu = (cpuSeconds(pid) - before) / requests.total;
    rows.push({ job: `load: ${name}`, value: requests.average, unit: 'requests/s' });
    rows.push({ job: `load: ${name}, 99th percentile`, value: latency.p99, unit: 'ms' });
    // On a busy machine, only the processor time is meaningful.
    rows.push({ job: `load: ${name}, processor time`, value: cpu * 1000, unit: 'ms' });
  }
  return rows;
}
