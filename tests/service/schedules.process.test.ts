import { expect, it } from 'vitest';
import { kill, type RunDetails, serve, serviceDirectory, upload } from './served.ts';

const CONFIG = `
connectors: [{ class: SequenceConnector, name: numbers, pipeline: main, numDocs: 3 }]
pipelines: [{ name: main, stages: [] }]
indexer { type: Nop }
`;

interface ScheduledRun extends RunDetails {
  scheduledTime: number;
}

it('a schedule starts a run each second, once for each time, also after the service was killed', async () => {
  const directory = serviceDirectory('limits: { minScheduleSeconds: 1 }\n');
  const first = await serve(directory);
  const configId = await upload(first.url, CONFIG);
  const set = await fetch(`${first.url}/v1/config/${configId}/schedule`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ cron: '* * * * * *', labels: { job: 'each-second' }, overlap: 'queue' }),
  });
  expect(set.status).toBe(201);
  const before = await scheduledRuns(first.url, 3);
  await kill(first);

  const second = await serve(directory);
  const after = await scheduledRuns(second.url, before.length + 2);
  const times = after.map(({ scheduledTime }) => scheduledTime);
  expect(new Set(times).size).toBe(times.length);
  expect(times).toEqual([...times].sort((a, b) => b - a));
  expect(times.slice(-before.length)).toEqual(before.map(({ scheduledTime }) => scheduledTime));
  second.process.child.kill('SIGTERM');
  expect((await second.process.ended).code).toBe(0);
});

/** Waits until a schedule has started this many runs. Returns them, newest first. */
async function scheduledRuns(url: string, count: number): Promise<ScheduledRun[]> {
  let runs: ScheduledRun[] = [];
  await expect
    .poll(
      async () => {
        const response = await fetch(`${url}/v1/run?label=job:each-second&limit=1000`);
        runs = ((await response.json()) as { items: ScheduledRun[] }).items;
        return runs.length;
      },
      { interval: 20 },
    )
    .toBeGreaterThanOrEqual(count);
  return runs;
}
