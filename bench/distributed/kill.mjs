// Kills the processes of a distributed run at random, restarts the broker, and checks that no document is lost.
//
//   node bench/distributed/kill.mjs [DOCUMENTS] [KILLS]
//
// 200,000 documents through three workers and two indexers; ten times one of them is killed with SIGKILL and started
// again; once the broker is stopped and started. Prints what happened as JSON, with the failed checks. Exits with 1 if
// one has failed: a document is missing, the accounts are not exactly those of the input, the run ended before the last
// kill or before the restart, or a document was repeated more often than the owners of its partition have died.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { countCopies, expectedIds, messageSizes, mostRepeated, takeoversIn, unexplained } from './repeats.mjs';
import { kindOf } from './slow-stage.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const slowStage = join(root, 'bench/distributed/slow-stage.mjs');
const binary = join(root, 'packages/headrace/bin/headrace.js');
const [documents = 200_000, kills = 10] = process.argv.slice(2).map(Number);
const port = process.env.KAFKA_PORT ?? '19592';
const broker = `127.0.0.1:${port}`;
/** With many partitions, and few documents that wait at the publisher, messages are small, and a kill repeats less. */
const PARTITIONS = 24;
const folder = mkdtempSync(join(tmpdir(), 'headrace-kills-'));
const outputs = join(folder, 'out');
mkdirSync(outputs);

function kafka(command) {
  const env = { ...process.env, KAFKA_PORT: port, KAFKA_DATA: join(folder, 'kafka') };
  const { status, stderr } = spawnSync(join(root, 'tests/servers/kafka'), [command], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`kafka ${command}: ${stderr}`);
}

/** The config of a process. Each indexer writes a separate file, so the id says that it is the same config. */
function config(output) {
  const path = join(folder, `${output}.conf`);
  writeFileSync(
    path,
    `connectors: [{class: SequenceConnector, name: c, pipeline: kills, numDocs: ${documents}}]
pipelines: [{name: kills, stages: [{class: "${slowStage}#SlowStage"}]}]
indexer { type: JSONLines, batchTimeout: 20 }
publisher { queueCapacity: 150 }
jsonl { path: "${join(outputs, `${output}.jsonl`)}", append: true }
kafka {
  bootstrapServers: "${broker}", consumerGroupId: kills, configId: kills, maxPollIntervalSecs: 30, maxRequestSize: 200000
  partitions: ${PARTITIONS}, consumer { session.timeout.ms: 6000 }
}
`,
  );
  return path;
}

/** A worker or an indexer. It is started again whenever it ends, until the test stops it. */
class Role {
  /** The log of all its processes. */
  log = '';
  kills = 0;
  #child;
  #isStopped = false;

  constructor(command, name) {
    this.command = command;
    this.config = config(name);
    this.#start();
  }

  kill() {
    this.kills++;
    this.#child.kill('SIGKILL');
  }

  async stop() {
    this.#isStopped = true;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
  }

  #start() {
    this.#child = spawn(process.execPath, [binary, this.command, this.config], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.log += text;
      });
    }
    this.#child.once('exit', () => {
      if (!this.#isStopped) this.#start();
    });
  }
}

/** Returns the checks that have failed. */
async function check({ roles, summary, exitCode, kills: killed, restarted }) {
  const failed = [];
  const expect = (isTrue, what) => isTrue || failed.push(what);
  expect(killed === kills, `${killed} of ${kills} kills`);
  expect(restarted || kills === 0, 'the broker was not restarted');
  expect(exitCode === 0, `exit code ${exitCode}`);

  const expected = expectedIds(documents);
  const copies = await countCopies(outputs);
  const missing = expected
    .keys()
    .filter((id) => !copies.has(id))
    .toArray();
  expect(missing.length === 0, `${missing.length} documents are missing, such as ${missing[0]}`);

  const kinds = { dropped: 0, failed: 0, parent: 0, plain: 0 };
  for (let number = 0; number < documents; number++) kinds[kindOf(number)]++;
  for (const line of [
    `c: complete. ${expected.size} docs succeeded.${kinds.failed > 0 ? ` ${kinds.failed} docs FAILED.` : ''}`,
    `${documents} docs published. ${kinds.parent} children created. ${expected.size} success events. ${kinds.failed} failure events. ${kinds.dropped} drop events.`,
  ]) {
    expect(summary.includes(line), `the accounts are not "${line}"`);
  }

  const of = (command) => {
    const some = roles.filter((role) => role.command === command);
    const excluded = some.reduce((sum, { log }) => sum + (log.match(/has excluded this run/g)?.length ?? 0), 0);
    return {
      takeovers: takeoversIn(some, PARTITIONS),
      kills: some.reduce((sum, role) => sum + role.kills, 0),
      excluded,
    };
  };
  const [workers, indexers] = [of('worker'), of('indexer')];
  const source = await messageSizes(broker, 'kills_kills_source', PARTITIONS);
  const dest = await messageSizes(broker, 'kills_kills_dest', PARTITIONS);
  const published = source.reduce((sum, one) => sum + one, 0);
  expect(published === documents, `the source topic has ${published} documents`);
  const strange = unexplained(copies, expected, { source: workers.takeovers, dest: indexers.takeovers });
  expect(strange.length === 0, `${strange.length} documents have copies without a cause, such as ${strange[0]}`);
  const duplicates = copies.values().reduce((sum, one) => sum + one - 1, 0);
  const most =
    mostRepeated(workers.kills + workers.excluded, source) + mostRepeated(indexers.kills + indexers.excluded, dest);
  expect(duplicates <= most, `${duplicates} duplicates, and the kills explain ${most}`);
  const messages = { source: source.length, dest: dest.length };
  return { indexed: copies.size, duplicates, most, workers, indexers, messages, failed };
}

kafka('start');
const started = Date.now();
try {
  const roles = ['worker', 'worker', 'worker', 'indexer', 'indexer'].map(
    (command, i) => new Role(command, `${command}-${i}`),
  );
  const run = spawn(process.execPath, [binary, 'run', config('publisher'), '--distributed'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let summary = '';
  for (const stream of [run.stdout, run.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      summary += text;
    });
  }
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
  const seconds = (Date.now() - started) / 1000;
  const { failed, ...counts } = await check({ roles, summary, exitCode, kills: killed, restarted });
  console.log(JSON.stringify({ documents, ...counts, kills: killed, restarted, exitCode, seconds, failed }));
  if (failed.length > 0) {
    process.exitCode = 1;
    console.error(summary.slice(-3000));
  }
} finally {
  kafka('stop');
  rmSync(folder, { recursive: true, force: true });
}
