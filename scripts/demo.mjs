// `npm run demo`: starts the service, uploads an example over HTTP, runs it, and shows the resulting documents.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { prepare } from './lib/prepare.mjs';
import { env, root } from './lib/root.mjs';

const EXAMPLE = 'examples/airports.conf';
const SHOWN_DOCUMENTS = 3;
const START_SECONDS = 30;

await prepare();
const directory = mkdtempSync(join(tmpdir(), 'headrace-demo-'));
const service = await startService();
try {
  await demonstrate();
  console.log('\nDone. `npm start` serves the same on port 8080, with every example as a preset.');
} catch (error) {
  console.error(`\nThe demo failed: ${error.message}`);
  console.error(`The log of the service:\n${service.output()}`);
  process.exitCode = 1;
} finally {
  const code = await service.stop();
  if (code !== 0) {
    console.error(`The service ended with exit code ${code}.`);
    process.exitCode = 1;
  }
  rmSync(directory, { recursive: true, force: true });
}

async function demonstrate() {
  console.log(`The service answers on ${service.url}\n`);
  // An upload cannot read the environment, so the paths of its files are written into the text.
  const text =
    readFileSync(join(root, EXAMPLE), 'utf8') +
    `\ndata = ${JSON.stringify(join(root, 'examples/data'))}\nout = ${JSON.stringify(directory)}\n`;
  console.log(`POST /v1/config    ${EXAMPLE}`);
  const { configId } = await call('POST', '/v1/config', text, 'application/hocon');
  console.log(`                   configId ${configId}`);
  console.log('POST /v1/run');
  let run = await call('POST', '/v1/run', JSON.stringify({ configId }), 'application/json');
  console.log(`                   runId ${run.runId}`);
  let shown = '';
  while (!run.done) {
    await sleep(100);
    run = await call('GET', `/v1/run/${run.runId}`);
    const { published, succeeded, dropped } = run.progress;
    const news = `GET  /v1/run/{id}  ${published} published, ${succeeded} succeeded, ${dropped} dropped`;
    if (news !== shown) console.log(news);
    shown = news;
  }
  console.log(`\n${run.runResult.message.trim()}\n`);
  if (run.runResult.status !== true) throw new Error('the run did not succeed');
  const documents = readFileSync(join(directory, 'airports.jsonl'), 'utf8').trimEnd().split('\n');
  console.log(`The first of ${documents.length} documents:`);
  for (const document of documents.slice(0, SHOWN_DOCUMENTS)) console.log(document);
}

async function call(method, path, body, type) {
  const headers = type === undefined ? {} : { 'content-type': type };
  const response = await fetch(service.url + path, { method, headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

async function startService() {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const file = join(directory, 'service.yml');
  const store = JSON.stringify(join(directory, 'store'));
  writeFileSync(file, `server: { host: 127.0.0.1, port: ${port} }\nstorage: { type: sqlite, path: ${store} }\n`);
  const child = spawn('node', ['packages/headrace/bin/headrace.js', 'serve', file], { cwd: root, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  let code;
  const ended = new Promise((resolve) => {
    child.on('exit', (exitCode, signal) => {
      code = exitCode ?? signal;
      resolve(code);
    });
  });
  for (let waited = 0; waited < START_SECONDS * 10 && code === undefined; waited++) {
    if (await answers(`${url}/v1/readyz`)) break;
    await sleep(100);
  }
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { url, output: () => output, stop };
}

/** Returns whether the service is ready. A refused connection means that it is not ready yet. */
async function answers(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
