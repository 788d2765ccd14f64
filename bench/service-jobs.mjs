import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { headrace, memory } from './measure.mjs';

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
    ];
  } finally {
    service.kill('SIGTERM');
    await new Promise((resolve) => service.once('exit', resolve));
    rmSync(directory, { recursive: true, force: true });
  }
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
