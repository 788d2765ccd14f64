import { expect, it } from 'vitest';
import { start } from '../cli/headrace.ts';
import { KILL_SETTINGS, killRepeatedly, type Victim } from './kills.ts';
import { addressOf, kill, runDetails, serve, serviceDirectory, startRun, upload } from './served.ts';

/** `npm run bench -- kills` kills the service 200 times. */
const KILLS = 4;
const SEED = 7;

it('the service keeps everything that it acknowledged, even if it is killed at any moment', async () => {
  const directory = serviceDirectory(KILL_SETTINGS);
  const launch = (): Victim => {
    const process = start(['serve', 'service.yml'], { cwd: directory });
    const kill = () => {
      process.child.kill('SIGKILL');
      return process.ended;
    };
    return { url: addressOf(process), kill };
  };
  const { kills, uploads, runs } = await killRepeatedly(launch, KILLS, SEED);
  expect(kills).toBe(KILLS);
  expect(uploads).toBeGreaterThan(0);
  expect(runs).toBeGreaterThan(0);
}, 300_000);

it('the service shows a run that it was killed in as interrupted, with correct counts', async () => {
  const directory = serviceDirectory();
  const first = await serve(directory);
  const endless = `connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: 2000000000}]
    pipelines: [{name: p, stages: [{class: SetStaticValues, staticValues: {a: 1}}]}]
    indexer { class: NopIndexer }`;
  const { runId } = await startRun(first.url, await upload(first.url, endless));
  // The rate is set when the counts are stored. A list is read from the store, after earlier writes.
  await expect.poll(async () => (await runDetails(first.url, runId)).progress.docsPerSecond).toBeGreaterThan(0);
  await (await fetch(`${first.url}/v1/run?limit=1`)).text();
  await kill(first);

  const second = await serve(directory);
  const details = await runDetails(second.url, runId);
  expect(details).toMatchObject({ status: 'INTERRUPTED', done: true, runResult: { status: false } });
  const { published, pending, succeeded, failed, dropped } = details.progress;
  expect(pending).toBe(0);
  expect(published).toBe(succeeded + failed + dropped);
  expect(details.progress.connectors).toMatchObject([{ name: 'c', status: 'stopped' }]);
  await kill(second);
});
