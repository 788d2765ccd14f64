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
    const posted = await fetch(`${url}/v1/config`, {
      method: 'POST',
      headers: { 'content-type': 'application/hocon' },
      body: smallConfig,
    });
    const { configId } = await posted.json();
    const run = await fetch(`${url}/v1/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ configId }),
    });
    const { runId } = await run.json();
    await sleep(2000);
    const get = await load([`${url}/v1/run/${runId}`]);
    const post = await load([
      '-m',
      'POST',
      '-H',
      'content-type=application/hocon',
      '-b',
      smallConfig,
      `${url}/v1/config`,
    ]);
    return [
      { job: 'service: start to the first 200', value: start, unit: 's', goal: '< 0.7' },
      { job: 'service: idle memory', value: idle, unit: 'MiB', goal: '< 130' },
      { job: 'service: GET /v1/run/{id}', value: get, unit: 'requests/s', goal: '>= 12000' },
      { job: 'service: POST /v1/config', value: post, unit: 'requests/s', goal: '>= 5000' },
    ];
  } finally {
    service.kill('SIGTERM');
    await new Promise((resolve) => service.once('exit', resolve));
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Requests a second that a second process gets answered, all of them with a 200. */
function load(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [autocannon, '-j', '-n', '-c', '64', '-d', '8', ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.on('exit', () => {
      const { requests, non2xx, errors } = JSON.parse(output);
      if (non2xx > 0 || errors > 0)
        reject(new Error(`${non2xx} answers were not 2xx, ${errors} errors: ${args.at(-1)}`));
      else resolve(requests.average);
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
