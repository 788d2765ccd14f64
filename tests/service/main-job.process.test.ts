import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { finished, kill, runDetails, serve, serviceDirectory, startRun, upload } from './served.ts';

it('the service runs an uploaded config, and the documents arrive at the destination', async () => {
  const directory = serviceDirectory();
  writeFileSync(`${directory}/in.csv`, 'name,tags\n Ann ,a;b\n Bob ,\nCy\n');
  const service = await serve(directory);
  const configId = await upload(
    service.url,
    `connectors: [{class: "com.kmwllc.lucille.connector.CSVConnector", name: people, pipeline: p, path: "${directory}/in.csv", idField: name}]
     pipelines: [{name: p, stages: [
       {class: TrimWhitespace, fields: [name]}
       {class: SplitFieldValues, inputField: tags, outputField: tags, delimiter: ";", trimWhitespace: true}
       {class: DeleteFields, fields: [source, filename]}
     ]}]
     indexer { type: JSONLines }
     jsonl { path: "${directory}/out.jsonl" }`,
  );
  const { runId } = await startRun(service.url, configId);
  const details = await finished(service.url, runId);
  expect(details).toMatchObject({
    status: 'SUCCEEDED',
    progress: { published: 3, succeeded: 2, failed: 1, pending: 0 },
    runResult: { status: true },
  });
  expect(details.runResult?.message).toMatch(
    /^\n\nRUN SUMMARY: Partial success\. 1\/1 connectors complete\. Some docs failed\.\n\npeople: complete\. 2 docs succeeded\. 1 docs FAILED\. Time: \d+\.\d\d secs\.\n$/,
  );
  expect(readFileSync(`${directory}/out.jsonl`, 'utf8')).toBe(
    `{"id":" Ann ","name":"Ann","csvLineNumber":1,"run_id":"${runId}","tags":["a","b"]}\n` +
      `{"id":" Bob ","name":"Bob","csvLineNumber":2,"run_id":"${runId}","tags":[""]}\n`,
  );
  await kill(service);
});

it('the service answers probes while runs use all processors', async () => {
  const service = await serve(serviceDirectory());
  const busy = `connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: 2000000000}]
    pipelines: [{name: p, stages: [{class: Concatenate, dest: a, formatString: "{id}-{id}"}]}]
    indexer { class: NopIndexer }`;
  const configId = await upload(service.url, busy);
  const runs = await Promise.all([1, 2, 3, 4].map(() => startRun(service.url, configId)));
  await expect
    .poll(async () => (await runDetails(service.url, runs[0]?.runId as string)).progress.succeeded)
    .toBeGreaterThan(0);
  // The benchmark measures the speed. This test counts that every probe is answered during the runs.
  for (let i = 0; i < 50; i++) {
    const [live, ready] = await Promise.all(['livez', 'readyz'].map((probe) => fetch(`${service.url}/v1/${probe}`)));
    expect([live?.status, ready?.status]).toEqual([200, 200]);
  }
  const states = await Promise.all(runs.map(async ({ runId }) => (await runDetails(service.url, runId)).status));
  expect(states).toContain('RUNNING');
  expect(states.every((state) => state === 'RUNNING' || state === 'QUEUED')).toBe(true);
  await kill(service);
});

it('the service continues and reports the reason when a run exhausts its memory', async () => {
  const directory = serviceDirectory(`limits: { runHeapMb: 40 }\ncomponents: ["./greedy.mjs"]\n`);
  writeFileSync(
    `${directory}/greedy.mjs`,
    `export class Greedy {
  static kind = 'stage';
  static description = 'Takes all the memory there is.';
  static parameters = { type: 'object', properties: {} };
  maxInFlight = 1;
  process() {
    const hog = [];
    for (;;) hog.push(Array.from({ length: 10000 }, (_, i) => ({ i })));
  }
}
`,
  );
  const service = await serve(directory);
  const list = (await (await fetch(`${service.url}/v1/config-info/stage-list`)).json()) as {
    class: string;
    description: string;
  }[];
  expect(list.find((entry) => entry.class === 'Greedy')).toMatchObject({
    description: 'Takes all the memory there is.',
  });
  const configOf = (stages: string) => `connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: 10}]
    pipelines: [{name: p, stages: [${stages}]}]
    indexer { class: NopIndexer }`;
  const greedy = await startRun(service.url, await upload(service.url, configOf('{class: Greedy}')));
  const modest = await startRun(service.url, await upload(service.url, configOf('')));
  const details = await finished(service.url, greedy.runId);
  expect(details).toMatchObject({ status: 'FAILED', runResult: { status: false } });
  expect(details.runResult?.message).toContain('40 MiB of memory');
  expect(await finished(service.url, modest.runId)).toMatchObject({ status: 'SUCCEEDED' });
  expect((await fetch(`${service.url}/v1/readyz`)).status).toBe(200);
  await kill(service);
});
