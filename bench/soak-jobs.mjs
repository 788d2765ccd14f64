import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inDirectory, memory } from './measure.mjs';
import { answer, serve, several, sleep } from './service.mjs';

const RUNS = 5_000;
const STEP = 250;
/** The number of runs before the first sample. Until then, caches fill and V8 adapts its heap. */
const WARM_UP = 1_000;
/** The number of runs in sequence. Later runs are started several at a time. */
const ALONE = 1_000;
const AT_A_TIME = 4;
const CONFIGS = 20;

const settings = `limits: { maxRuns: 200, maxConfigVersions: 3, maxConcurrentRuns: 2 }\n`;

/** Returns a config. All runs log, and each third run has failed documents. */
const config = (n) => `# The text of turn ${n}
connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: 20}]
pipelines: [{name: p, stages: [
  {class: SetStaticValues, staticValues: {turn: ${n}, text: "${'x'.repeat(2000)}"}}
  ${n % 3 === 0 ? '{class: ParseJson, src: text, jsonFieldPaths: {a: "$.a"}}' : ''}
]}]
indexer { class: NopIndexer }
`;

/**
 * Checks that the service does not grow: starts small runs, first in sequence and then several at a time, each with a
 * new version of a config. The limits are low, so old versions and runs are deleted with their logs and failures.
 */
export function soakJobs() {
  return inDirectory(async (directory) => {
    const service = await serve(directory, settings);
    try {
      const samples = [];
      const begun = performance.now();
      for (let done = 0; done < RUNS; done += STEP) {
        await several(STEP, done < ALONE ? 1 : AT_A_TIME, (n) => oneRun(service.url, done + n));
        samples.push({ runs: done + STEP, ...(await sample(service, join(directory, 'store'))) });
        console.error(`soak: ${JSON.stringify(samples.at(-1))}`);
      }
      const seconds = (performance.now() - begun) / 1000;
      const [kept, versions] = await leftOver(service.url);
      const settled = samples.filter(({ runs }) => runs >= WARM_UP);
      return [
        { job: `soak: ${RUNS} small runs`, value: RUNS / seconds, unit: 'runs/s' },
        { job: 'soak: runs that are kept', value: kept, unit: '', goal: '200' },
        { job: 'soak: versions kept of a config', value: versions, unit: '', goal: '3' },
        ...growth('memory at rest', 'MiB', settled, ({ mebibytes }) => mebibytes),
        ...growth('open files', '', settled, ({ files }) => files),
        ...growth('threads', '', settled, ({ threads }) => threads),
        ...growth('bytes of the store', 'MiB', settled, ({ store }) => store / 2 ** 20),
      ];
    } finally {
      await service.stop();
    }
  });
}

async function oneRun(url, n) {
  const headers = { 'content-type': 'application/hocon' };
  const name = `job${n % CONFIGS}`;
  await answer(`${url}/v1/config/${name}`, { method: 'PUT', headers, body: config(n) });
  const request = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const body = JSON.stringify({ configId: name, labels: { turn: String(n) } });
  const { runId } = await answer(`${url}/v1/run`, { ...request, body });
  for (;;) {
    const { done, status, progress } = await answer(`${url}/v1/run/${runId}`);
    if (!done) {
      await sleep(5);
      continue;
    }
    const failed = n % 3 === 0 ? 20 : 0;
    if (status !== 'SUCCEEDED' || progress.failed !== failed) throw new Error(`${runId}: ${JSON.stringify(progress)}`);
    return;
  }
}

/** Measures the memory and the store of the process at rest. */
async function sample({ pid }, store) {
  await sleep(1500);
  const threads = Number(/Threads:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
  const files = readdirSync(`/proc/${pid}/fd`).length;
  const bytes = readdirSync(store).reduce((sum, name) => sum + statSync(join(store, name)).size, 0);
  return { mebibytes: memory(pid), threads, files, store: bytes };
}

async function leftOver(url) {
  const runs = await answer(`${url}/v1/run`);
  const { items } = await answer(`${url}/v1/config/job0/versions`);
  return [runs.length, items.length];
}

/** Returns the value after the warm-up, the value at the end, and the growth per 1,000 runs by linear regression. */
function growth(what, unit, samples, read) {
  const values = samples.map(read);
  const runs = samples.map((each) => each.runs / 1000);
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [x, y] = [mean(runs), mean(values)];
  const slope =
    runs.reduce((sum, run, i) => sum + (run - x) * (values[i] - y), 0) /
    runs.reduce((sum, run) => sum + (run - x) ** 2, 0);
  return [
    { job: `soak: ${what} after ${WARM_UP} runs`, value: values[0], unit },
    { job: `soak: ${what} after ${RUNS} runs`, value: values.at(-1), unit },
    { job: `soak: ${what}, most`, value: Math.max(...values), unit },
    { job: `soak: ${what}, growth for 1,000 runs`, value: slope, unit },
  ];
}
