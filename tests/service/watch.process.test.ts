import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { finished, kill, runDetails, serve, serviceDirectory, startRun, upload } from './served.ts';

interface Line {
  line: number;
  level: string;
  logger: string;
  message: string;
}

async function logOf(url: string, runId: string): Promise<Line[]> {
  const text = await (await fetch(`${url}/v1/run/${runId}/log`)).text();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** Returns the events of a run until it ends, as `name data`. */
async function eventsOf(url: string, runId: string): Promise<{ name: string; data: Record<string, unknown> }[]> {
  const text = await (await fetch(`${url}/v1/run/${runId}/events`)).text();
  return [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, name, data]) => ({
    name: name as string,
    data: JSON.parse(data as string) as Record<string, unknown>,
  }));
}

it('the events of a run include its connectors, failed documents, stages and log', async () => {
  const service = await serve(serviceDirectory());
  const config = `connectors: [
      {class: SleepConnector, name: first, duration: 300}
      {class: SequenceConnector, name: second, pipeline: p, numDocs: 200}
    ]
    pipelines: [{name: p, stages: [
      {class: Concatenate, name: title, dest: title, formatString: "{id}"}
      {class: ApplyJavascript, name: picky, script: "if (doc.id == 3) throw new Error('not this one')"}
    ]}]
    indexer { class: NopIndexer }`;
  const { runId } = await startRun(service.url, await upload(service.url, config));
  const events = await eventsOf(service.url, runId);
  const of = (name: string) => events.filter((event) => event.name === name).map(({ data }) => data);
  expect(of('connector')).toMatchObject([
    { name: 'first', status: 'running' },
    { name: 'first', status: 'complete' },
    { name: 'second', status: 'running' },
    { name: 'second', status: 'complete', published: 200, succeeded: 199, failed: 1 },
  ]);
  expect(of('failure')).toMatchObject([{ id: '3', connector: 'second', at: 'picky', code: 'HR_STAGE_FAILED' }]);
  expect(events.at(-1)).toEqual({ name: 'done', data: await runDetails(service.url, runId) });
  expect(events.at(-1)?.data).toMatchObject({
    status: 'SUCCEEDED',
    progress: {
      connectors: [{ name: 'first' }, { name: 'second', published: 200, succeeded: 199 }],
      stages: [
        { connector: 'second', pipeline: 'p', stage: 'title', class: 'Concatenate', processed: 200, failed: 0 },
        { connector: 'second', pipeline: 'p', stage: 'picky', class: 'ApplyJavascript', processed: 200, failed: 1 },
      ],
    },
  });
  const log = await logOf(service.url, runId);
  expect(log.map(({ line }) => line)).toEqual(log.map((_, i) => i + 1));
  expect(of('log')).toEqual(log);
  expect(log[0]?.message).toBe(`Starting run with id ${runId}`);
  await kill(service);
});

it('an endless log is stored up to its limit, does not block other requests, and survives a kill', async () => {
  const directory = serviceDirectory();
  const first = await serve(directory);
  const endless = `connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: 2000000000}]
    pipelines: [{name: p, stages: [{class: Print}]}]
    indexer { class: NopIndexer }`;
  const { runId } = await startRun(first.url, await upload(first.url, endless));
  await expect.poll(async () => (await logOf(first.url, runId))[0]?.message).toMatch(/^\d+ earlier/);
  expect((await fetch(`${first.url}/v1/livez`)).status).toBe(200);
  const before = (await logOf(first.url, runId)).at(-1)?.line ?? 0;
  await kill(first);
  const sizes = readdirSync(join(directory, 'store')).map((name) => statSync(join(directory, 'store', name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(32 * 1024 * 1024);

  const second = await serve(directory);
  const log = await logOf(second.url, runId);
  expect(await finished(second.url, runId)).toMatchObject({ status: 'INTERRUPTED' });
  expect(log.length).toBeLessThanOrEqual(10_001);
  // The response contains only lines that were already written.
  expect(log.at(-1)?.line).toBeGreaterThanOrEqual(before);
  expect(log.slice(1).every(({ line }, i) => line === (log[1]?.line ?? 0) + i)).toBe(true);
  expect((await eventsOf(second.url, runId)).map(({ name }) => name)).toEqual(['done']);
  await kill(second);
});
