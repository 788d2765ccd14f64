import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { headrace } from './measure.mjs';

const autocannon = fileURLToPath(new URL('../node_modules/autocannon/autocannon.js', import.meta.url));

/**
 * Starts the service in a separate process. Its store is in the folder and outlives the process.
 * @param settings additional lines of the service file
 */
export function launch(directory, settings = '') {
  mkdirSync(directory, { recursive: true });
  const started = performance.now();
  const child = freePort().then((port) => {
    const file = join(directory, 'service.yml');
    writeFileSync(
      file,
      `server: { port: ${port}, host: 127.0.0.1 }\nstorage: { path: ${directory}/store }\n${settings}`,
    );
    return { port, process: spawn(process.execPath, [headrace, 'serve', file], { stdio: 'ignore' }) };
  });
  const end = async (signal) => {
    const { process } = await child;
    if (process.exitCode !== null || process.signalCode !== null) return;
    process.kill(signal);
    await once(process, 'exit');
  };
  return {
    url: child.then(({ port, process }) => firstAnswer(`http://127.0.0.1:${port}`, process)),
    pid: child.then(({ process }) => process.pid),
    started,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** Starts the service and waits until it answers. Also returns the seconds until then. */
export async function serve(directory, settings) {
  const { url, pid, started, stop } = launch(directory, settings);
  return { url: await url, pid: await pid, seconds: (performance.now() - started) / 1000, stop };
}

async function firstAnswer(url, process) {
  while (!(await answers(`${url}/v1/livez`))) {
    if (process.exitCode !== null || process.signalCode !== null) throw new Error('The service ended at its start');
    await sleep(5);
  }
  return url;
}

/** Uploads a config and returns its id. */
export async function upload(url, config) {
  const headers = { 'content-type': 'application/hocon' };
  return (await answer(`${url}/v1/config`, { method: 'POST', headers, body: config })).configId;
}

/** Starts a run and returns its id. */
export async function startRun(url, configId) {
  const headers = { 'content-type': 'application/json' };
  return (await answer(`${url}/v1/run`, { method: 'POST', headers, body: JSON.stringify({ configId }) })).runId;
}

/** Waits until a run has succeeded, and returns its details. */
export async function ended(url, runId, everyMillis) {
  for (;;) {
    const details = await answer(`${url}/v1/run/${runId}`);
    if (details.done && details.status !== 'SUCCEEDED') throw new Error(JSON.stringify(details.runResult));
    if (details.done) return details;
    await sleep(everyMillis);
  }
}

/** Returns the body of a response. Throws if the request failed, which ends the measurement. */
export async function answer(url, request) {
  const response = await fetch(url, request);
  if (!response.ok) throw new Error(`${request?.method ?? 'GET'} ${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Calls `work` for 0 to `count - 1`, with at most `atATime` calls in parallel. */
export async function several(count, atATime, work) {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
}

/**
 * Sends requests from a second process on this many connections, and returns its results. Fails if a response failed.
 */
export function load(connections, args) {
  const how = args.includes('-a') || args.includes('-d') ? [] : ['-d', '8'];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [autocannon, '-j', '-n', '-c', connections, ...how, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.on('exit', () => {
      const result = JSON.parse(output);
      const { non2xx, errors } = result;
      if (non2xx > 0 || errors > 0)
        reject(new Error(`${non2xx} responses were not 2xx, ${errors} errors: ${args.at(-1)}`));
      else resolve(result);
    });
  });
}

export function sleep(millis) {
  return new Promise((resolve) => setTimeout(resolve, millis));
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
