import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { csvJob, writeCsvData } from './csv-data.mjs';
import { headrace, memory, runNode } from './measure.mjs';

const ROWS = 500_000;
const autocannon = fileURLToPath(new URL('../node_modules/autocannon/autocannon.js', import.meta.url));
const smallConfig = `connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: 1}]
pipelines: [{name: p, stages: [{class: TrimWhitespace, fields: [a]}]}]
indexer { class: NopIndexer }
`;

const busyConfig = `connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: 2000000000}]
pipelines: [{name: p, stages: [{class: Concatenate, dest: a, formatString: "{id}-{id}"}]}]
indexer { class: NopIndexer }
`;

/**
 * The service under load from a second process: start to the first answer, idle memory, and requests a second.
 * Durability is on, as it is by default.
 */
export async function serviceJobs() {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-bench-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const file = join(directory, 'service.yml');
  writeFileSync(
    file,
    `server: { port: ${port}, host: 127.0.0.1 }\nstorage: { path: ${directory}/store }\nlimits: { maxConfigs: 1000000 }\n`,
  );
  const started = performance.now();
  const service = spawn(process.execPath, [headrace, 'serve', file], { stdio: 'ignore' });
  try {
    while (!(await answers(`${url}/v1/livez`))) await sleep(5);
    const start = (performance.now() - started) / 1000;
    await sleep(3000);
    const idle = memory(service.pid);
    const runId = await startRun(url, await upload(url, smallConfig));
    await sleep(2000);
    const get = await load(64, [`${url}/v1/run/${runId}`]);
    const post = await load(64, [
      '-m',
      'POST',
      '-H',
      'content-type=application/hocon',
      '-b',
      smallConfig,
      `${url}/v1/config`,
    ]);
    const small = await upload(url, smallConfig);
    const one = [];
    for (let i = 0; i < 20; i++) {
      const begun = performance.now();
      await ended(url, await startRun(url, small), 1);
      one.push(performance.now() - begun);
      await sleep(300);
    }
    const fifty = await upload(url, smallConfig.replace('numDocs: 1}', 'numDocs: 10000}'));
    const begun = performance.now();
    const runs = await Promise.all(Array.from({ length: 50 }, () => startRun(url, fifty)));
    await Promise.all(runs.map((run) => ended(url, run, 50)));
    const fiftySeconds = (performance.now() - begun) / 1000;
    const data = join(directory, 'data.csv');
    writeCsvData(data, ROWS);
    const csv = await upload(url, csvJob(data, 'class: NopIndexer'));
    const throughput = await csvRuns(url, csv);
    const file = join(directory, 'job.conf');
    writeFileSync(file, csvJob(data, 'class: NopIndexer'));
    const alone = Math.min(
      ...(await rounds(3, async () => secondsOfRun((await runNode([headrace, 'run', file])).output))),
    );
    const busy = await upload(url, busyConfig);
    await Promise.all([startRun(url, busy), startRun(url, busy)]);
    await sleep(2000);
    const live = await load(1, [`${url}/v1/livez`]);
    return [
      { job: 'service: start to the first 200', value: start, unit: 's', goal: '< 0.7' },
      { job: 'service: idle memory', value: idle, unit: 'MiB', goal: '< 130' },
      { job: 'service: GET /v1/run/{id}', value: get.requests.average, unit: 'requests/s', goal: '>= 12000' },
      { job: 'service: POST /v1/config', value: post.requests.average, unit: 'requests/s', goal: '>= 5000' },
      { job: 'service: livez at full load, 99th percentile', value: live.latency.p99, unit: 'ms', goal: '<= 20' },
      { job: 'service: a run of one document, median', value: median(one), unit: 'ms', goal: '< 60' },
      { job: 'service: 50 runs of 10,000 documents at once', value: fiftySeconds, unit: 's' },
      {
        job: 'service: the CSV job against headrace run',
        value: alone / throughput.seconds,
        unit: 'times',
        goal: '>= 0.9',
      },
      { job: 'service: livez during the CSV job, 99th percentile', value: throughput.livez, unit: 'ms', goal: '<= 20' },
    ];
  } finally {
    service.kill('SIGTERM');
    await new Promise((resolve) => service.once('exit', resolve));
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The CSV job through the service, several times; livez is asked all the while by another process. */
async function csvRuns(url, configId) {
  const asking = load(1, [`${url}/v1/livez`]);
  const seconds = await rounds(4, async () => {
    const { runResult } = await ended(url, await startRun(url, configId), 20);
    return runResult.connectors[0].seconds;
  });
  return { seconds: Math.min(...seconds), livez: (await asking).latency.p99 };
}

/** What the run summary says its connector took, the start of the process aside. */
function secondsOfRun(output) {
  return Number(/Time: ([\d.]+) secs/.exec(output)[1]);
}

async function ended(url, runId, everyMillis) {
  for (;;) {
    const details = await (await fetch(`${url}/v1/run/${runId}`)).json();
    if (details.done && details.status !== 'SUCCEEDED') throw new Error(JSON.stringify(details.runResult));
    if (details.done) return details;
    await sleep(everyMillis);
  }
}

async function rounds(count, work) {
  const results = [];
  for (let i = 0; i < count; i++) results.push(await work());
  return results;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function upload(url, config) {
  const headers = { 'content-type': 'application/hocon' };
  const response = await fetch(`${url}/v1/config`, { method: 'POST', headers, body: config });
  return (await response.json()).configId;
}

async function startRun(url, configId) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/run`, { method: 'POST', headers, body: JSON.stringify({ configId }) });
  return (await response.json()).runId;
}

/** What a second process measures that asks on so many connections, every answer a 200. */
function load(connections, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [autocannon, '-j', '-n', '-c', connections, '-d', '8', ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.on('exit', () => {
      const result = JSON.parse(output);
      const { non2xx, errors } = result;
      if (non2xx > 0 || errors > 0)
        reject(new Error(`${non2xx} answers were not 2xx, ${errors} errors: ${args.at(-1)}`));
      else resolve(result);
    });
  });
}

async function answers(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function sleep(millis) {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
