import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { csvJob, writeCsvData } from './csv-data.mjs';
import { headrace, inDirectory, inTurns, median, memory, peakMemory, runNode } from './measure.mjs';
import { ended, load, serve, sleep, startRun, upload } from './service.mjs';

const ROWS = 500_000;
const smallConfig = `connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: 1}]
pipelines: [{name: p, stages: [{class: TrimWhitespace, fields: [a]}]}]
indexer { class: NopIndexer }
`;

const busyConfig = `connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: 2000000000}]
pipelines: [{name: p, stages: [{class: Concatenate, dest: a, formatString: "{id}-{id}"}]}]
indexer { class: NopIndexer }
`;

/**
 * Measures the service under load from a second process: the time from the start to the first response, the idle memory
 * and the requests per second. Durability is on, as it is by default.
 */
export function serviceJobs() {
  return inDirectory(measure);
}

async function measure(directory) {
  const service = await serve(directory, 'limits: { maxConfigs: 1000000 }\n');
  const { url } = service;
  try {
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
    const previews = await previewsAfterChanges(url);
    const fifty = await upload(url, smallConfig.replace('numDocs: 1}', 'numDocs: 10000}'));
    const begun = performance.now();
    const runs = await Promise.all(Array.from({ length: 50 }, () => startRun(url, fifty)));
    await Promise.all(runs.map((run) => ended(url, run, 50)));
    const fiftySeconds = (performance.now() - begun) / 1000;
    const fiftyPeak = peakMemory(service.pid);
    const data = join(directory, 'data.csv');
    writeCsvData(data, ROWS);
    const csv = await upload(url, csvJob(data, 'class: NopIndexer'));
    const file = join(directory, 'job.conf');
    writeFileSync(file, csvJob(data, 'class: NopIndexer'));
    const { alone, through } = await inTurns(3, {
      alone: async () => secondsOfRun((await runNode([headrace, 'run', file])).output),
      through: () => csvRuns(url, csv),
    });
    const throughput = Math.min(...through.flatMap(({ seconds }) => seconds));
    const busy = await upload(url, busyConfig);
    await Promise.all([startRun(url, busy), startRun(url, busy)]);
    await sleep(2000);
    const live = await load(1, [`${url}/v1/livez`]);
    return [
      { job: 'service: start to the first 200', value: service.seconds, unit: 's', goal: '< 0.7' },
      { job: 'service: idle memory', value: idle, unit: 'MiB', goal: '< 130' },
      { job: 'service: GET /v1/run/{id}', value: get.requests.average, unit: 'requests/s', goal: '>= 12000' },
      { job: 'service: POST /v1/config', value: post.requests.average, unit: 'requests/s', goal: '>= 5000' },
      { job: 'service: livez at full load, 99th percentile', value: live.latency.p99, unit: 'ms', goal: '<= 20' },
      { job: 'service: a run of one document, median', value: median(one), unit: 'ms', goal: '< 60' },
      { job: 'service: a preview after a change, median', value: median(previews.millis), unit: 'ms', goal: '< 300' },
      {
        job: 'service: a preview after a change, processor time',
        value: (previews.cpuSeconds * 1000) / previews.millis.length,
        unit: 'ms',
      },
      { job: 'service: 50 runs of 10,000 documents, simultaneous', value: fiftySeconds, unit: 's', peak: fiftyPeak },
      {
        job: 'service: the CSV job against headrace run',
        value: Math.min(...alone) / throughput,
        unit: 'times',
        goal: '>= 0.9',
      },
      {
        job: 'service: livez during the CSV job, 99th percentile',
        value: median(through.map(({ livez }) => livez)),
        unit: 'ms',
        goal: '<= 20',
      },
    ];
  } finally {
    await service.stop();
  }
}

/**
 * Runs the CSV job through the service repeatedly for some seconds. In the meantime, another process sends 100 requests
 * to livez per second. The start of that process would take a third of a processor from the run.
 */
async function csvRuns(url, configId) {
  let asking = true;
  const asked = load(1, ['-R', '100', '-d', '5', `${url}/v1/livez`]).finally(() => (asking = false));
  await sleep(800);
  const seconds = [];
  while (asking) {
    const { runResult } = await ended(url, await startRun(url, configId), 20);
    seconds.push(runResult.connectors[0].seconds);
    // Waits until the threads of the next run are loaded.
    await sleep(200);
  }
  return { seconds, livez: (await asked).latency.p99 };
}

/**
 * Changes a parameter of a config and previews its first ten documents, as an editor does. Returns the time of each
 * preview, and the processor time of the service.
 */
async function previewsAfterChanges(url) {
  const millis = [];
  const before = await cpuSeconds(url);
  for (let i = 0; i < 20; i++) {
    const config = busyConfig.replace('{id}-{id}', `${i}-{id}`);
    const begun = performance.now();
    const response = await fetch(`${url}/v1/preview?trace=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ config }),
    });
    const { results } = await response.json();
    if (results[9].documents[0].a !== `${i}-9`) throw new Error(`The preview shows ${JSON.stringify(results[9])}`);
    millis.push(performance.now() - begun);
    await sleep(200);
  }
  return { millis, cpuSeconds: (await cpuSeconds(url)) - before };
}

async function cpuSeconds(url) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)[1]);
}

/** Returns the seconds of the connector from the run summary, without the start of the process. */
function secondsOfRun(output) {
  return Number(/Time: ([\d.]+) secs/.exec(output)[1]);
}
