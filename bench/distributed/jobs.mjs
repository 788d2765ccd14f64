import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { csvJob, writeCsvData } from '../csv-data.mjs';
import { cpuSeconds, headrace, inDirectory, peakMemory, runConfig } from '../measure.mjs';
import { withServer } from '../servers.mjs';

const ROWS = 500_000;
const GOAL = '>= 100000';
/** Until the JVM of the broker has compiled its hot code, a run takes up to six times as much time of the broker. */
const WARM_UP_RUNS = 8;

/**
 * Runs CSV through nine field stages into Nop, with a Kafka broker on the same machine: `--external` in one process,
 * and `--distributed` with 1, 2 and 4 workers and partitions and one indexer. Measures from the start of the run to its
 * end. The processor time of the broker is listed separately from that of Headrace.
 *
 * The broker has served some runs before the first measured one. Workers and indexers serve two runs: in the first, they
 * compile their code; the second shows what processes do that run for days.
 */
export function distributedJobs() {
  return inDirectory((directory) =>
    withServer('kafka', directory, async ({ url, pid }) => {
      const data = `${directory}/data.csv`;
      writeCsvData(data, ROWS);
      const rows = [];
      const local = await runConfig(directory, csvJob(data, 'class: NopIndexer'), ROWS);
      rows.push({ job: 'in one process, without Kafka', value: ROWS / local.seconds, unit: 'docs/s', cpu: local.cpu });
      const warmUp = jobOn(directory, data, url, 'warm', 4);
      for (let i = 0; i < WARM_UP_RUNS; i++) await run(warmUp, '--external').ended;
      for (const partitions of [1, 2, 4]) {
        const config = jobOn(directory, data, url, `external${partitions}`, partitions);
        rows.push(await measure(`--external, ${partitions} partitions`, pid, () => run(config, '--external')));
      }
      for (const count of [1, 2, 4]) {
        const config = jobOn(directory, data, url, `distributed${count}`, count);
        const roles = [...Array(count).fill('worker'), 'indexer'].map((role) => start([role, config]));
        // The workers and indexers have joined the group before the run starts.
        await sleep(8000);
        for (const which of ['new', 'warm']) {
          const job = `--distributed, ${count} ${which} workers`;
          rows.push(await measure(job, pid, () => run(config, '--distributed'), roles));
        }
        for (const { child, ended } of roles) {
          child.kill('SIGTERM');
          await ended;
        }
      }
      return rows;
    }),
  );
}

/** Writes the config of a job. Each job has a separate pipeline, and therefore separate topics. */
function jobOn(directory, data, url, name, partitions) {
  const file = `${directory}/${name}.conf`;
  const job = csvJob(data, 'class: NopIndexer').replaceAll('pipeline: p,', `pipeline: ${name},`);
  const kafka = `bootstrapServers: "${url}", consumerGroupId: ${name}, maxPollIntervalSecs: 60, maxRequestSize: 1000000`;
  writeFileSync(file, `${job.replace('{name: p,', `{name: ${name},`)}kafka { ${kafka}, partitions: ${partitions} }\n`);
  return file;
}

function start(args) {
  const child = spawn(process.execPath, [headrace, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  return { child, ended: once(child, 'exit'), output: () => output };
}

function run(config, option) {
  return start(['run', config, option]);
}

/** Measures a run, including the processes of the other roles. */
async function measure(job, broker, begin, roles = []) {
  const before = cpuSeconds(broker);
  const cpuBefore = roles.map(({ child }) => cpuSeconds(child.pid));
  const started = performance.now();
  const { child, ended, output } = begin();
  const all = [child, ...roles.map((role) => role.child)];
  let [peak, ours] = [0, 0];
  const poll = setInterval(() => {
    ours = cpuSeconds(child.pid) ?? ours;
    peak = Math.max(peak, ...all.map(({ pid }) => peakMemory(pid) ?? 0));
  }, 50);
  const [code] = await ended;
  clearInterval(poll);
  const seconds = (performance.now() - started) / 1000;
  if (code !== 0 || !output().includes(`${ROWS} docs succeeded`)) throw new Error(`${job}: ${output()}`);
  const cpu = roles.reduce((sum, role, i) => sum + cpuSeconds(role.child.pid) - cpuBefore[i], ours);
  const brokerCpu = cpuSeconds(broker) - before;
  return {
    job,
    value: ROWS / seconds,
    unit: 'docs/s',
    cpu,
    peak,
    goal: `${GOAL} (broker: ${brokerCpu.toFixed(1)} s of CPU)`,
  };
}
