// Kills the processes of a distributed run at random, restarts the broker, and checks that no document is lost.
//
//   node bench/distributed/kill.mjs [DOCUMENTS] [KILLS]
//
// 200,000 documents through three workers and two indexers; ten times one of them is killed with SIGKILL and started
// again; once the broker is stopped and started. Prints what happened as JSON. Exits with 1 if a document is missing,
// the accounts are wrong, there are duplicates without a kill, or the run ended before the last kill.
import { spawn, spawnSync } from 'node:child_process';
import { createReadStream, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const slowStage = join(root, 'bench/distributed/slow-stage.mjs');
const binary = join(root, 'packages/headrace/bin/headrace.js');
const [documents = 200_000, kills = 10] = process.argv.slice(2).map(Number);
const port = process.env.KAFKA_PORT ?? '19592';
const folder = mkdtempSync(join(tmpdir(), 'headrace-kills-'));
const outputs = join(folder, 'out');
mkdirSync(outputs);

function kafka(command) {
  const env = { ...process.env, KAFKA_PORT: port, KAFKA_DATA: join(folder, 'kafka') };
  const { status, stderr } = spawnSync(join(root, 'tests/servers/kafka'), [command], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`kafka ${command}: ${stderr}`);
}

/** The config of a process. Each indexer writes a separate file. */
function config(output) {
  const path = join(folder, `${output}.conf`);
  writeFileSync(
    path,
    `connectors: [{class: SequenceConnector, name: c, pipeline: kills, numDocs: ${documents}}]
pipelines: [{name: kills, stages: [{class: "${slowStage}#SlowStage"}]}]
indexer { type: JSONLines, batchTimeout: 20 }
jsonl { path: "${join(outputs, `${output}.jsonl`)}", append: true }
kafka {
  bootstrapServers: "127.0.0.1:${port}", consumerGroupId: kills, maxPollIntervalSecs: 30, maxRequestSize: 200000
  partitions: 6, consumer { session.timeout.ms: 6000 }
}
`,
  );
  return path;
}

/** A worker or an indexer. It is started again whenever it ends, until the test stops it. */
class Role {
  restarts = 0;
  #child;
  #isStopped = false;

  constructor(command, name) {
    this.command = command;
    this.config = config(name);
    this.#start();
  }

  kill() {
    this.#child.kill('SIGKILL');
  }

  async stop() {
    this.#isStopped = true;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
  }

  #start() {
    this.#child = spawn(process.execPath, [binary, this.command, this.config], { stdio: 'ignore' });
    this.#child.once('exit', () => {
      if (this.#isStopped) return;
      this.restarts++;
      this.#start();
    });
  }
}

async function countLines() {
  const seen = new Uint8Array(documents);
  let lines = 0;
  for (const file of readdirSync(outputs)) {
    for await (const line of createInterface({ input: createReadStream(join(outputs, file)) })) {
      // A killed process may leave half a line.
      const id = /"id":"(\d+)"/.exec(line)?.[1];
      if (id === undefined || !line.endsWith('}')) continue;
      lines++;
      seen[Number(id)] = 1;
    }
  }
  const indexed = seen.reduce((sum, one) => sum + one, 0);
  return { lines, indexed };
}

kafka('start');
const started = Date.now();
let result;
try {
  const roles = ['worker', 'worker', 'worker', 'indexer', 'indexer'].map(
    (command, i) => new Role(command, `${command}-${i}`),
  );
  const run = spawn(process.execPath, [binary, 'run', config('publisher'), '--distributed'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let summary = '';
  run.stdout.on('data', (text) => {
    summary += text;
  });
  let isRunning = true;
  const ended = new Promise((resolve) =>
    run.once('exit', (code) => {
      isRunning = false;
      resolve(code);
    }),
  );
  // Before the first document arrives, no documents are in progress, and a kill would test nothing.
  while (isRunning && readdirSync(outputs).every((file) => statSync(join(outputs, file)).size === 0)) await sleep(100);
  let killed = 0;
  let restarted = false;
  for (; killed < kills && isRunning; killed++) {
    await sleep(1000 + Math.random() * 4000);
    roles[Math.floor(Math.random() * roles.length)].kill();
    if (killed === Math.floor(kills / 2)) {
      kafka('stop');
      await sleep(2000);
      kafka('start');
      restarted = true;
    }
  }
  const exitCode = await ended;
  for (const role of roles) await role.stop();
  const { lines, indexed } = await countLines();
  const succeeded = Number(/(\d+) docs succeeded/.exec(summary)?.[1] ?? 0);
  const seconds = (Date.now() - started) / 1000;
  result = { documents, indexed, duplicates: lines - indexed, succeeded, kills: killed, restarted, exitCode, seconds };
  console.log(JSON.stringify(result));
} finally {
  kafka('stop');
  rmSync(folder, { recursive: true, force: true });
}
const isComplete = result.indexed === documents && result.succeeded === documents && result.exitCode === 0;
const isExplained = result.kills === kills && (kills > 0 || result.duplicates === 0);
process.exitCode = isComplete && isExplained ? 0 : 1;
