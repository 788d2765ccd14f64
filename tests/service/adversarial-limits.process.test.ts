import { describe, expect, it } from 'vitest';
import { HostileGuest, modest } from './hostile.ts';
import { finished, startRun, upload } from './served.ts';

/** Long enough for a normal run on a busy machine. */
const RUN_SECONDS = 10;
const guest = new HostileGuest({ maxConcurrentRuns: 2 }, `limits: { maxRunSecs: ${RUN_SECONDS} }`);

const text = `{class: SetStaticValues, staticValues: {a: "${'a'.repeat(60)}"}}`;
const endless = `${text}, {class: ApplyRegex, source: [a], dest: [b], regex: "(a+)+b"}`;

async function problemsOf(config: string): Promise<Record<string, unknown>[]> {
  const { text } = await guest.post('/v1/config/validate', config);
  return (JSON.parse(text) as { problems: Record<string, unknown>[] }).problems;
}

describe('an uploaded config that sets its own limits', () => {
  it.each([
    ['worker.maxProcessingSecs: 2000000', 'maxProcessingSecs', 60],
    ['worker.threads: 5', 'threads', 4],
    ['publisher.queueCapacity: 100001', 'queueCapacity', 100_000],
    ['publisher.maxPendingDocs: 100001', 'maxPendingDocs', 100_000],
    ['runner.connectorTimeout: 10001', 'connectorTimeout', 10_000],
    ['runner.connectorTimeout: 0', 'connectorTimeout', 10_000],
    ['indexer.batchSize: 10001', 'batchSize', 10_000],
    ['indexer.batchByteSize: 67108865', 'batchByteSize', 67_108_864],
    ['indexer.batchTimeout: 300001', 'batchTimeout', 300_000],
    ['indexer.maxRetries: 21', 'maxRetries', 20],
    ['indexer { connectTimeout: 300001 }', 'connectTimeout', 300_000],
    ['indexer { maxRetries: 1, retryWaitDurationMs: 300001 }', 'retryWaitDurationMs', 300_000],
    ['indexer { maxRetries: 1, retryMaxWaitDurationMs: 300001 }', 'retryMaxWaitDurationMs', 300_000],
  ])('is rejected at validation: %s', async (setting, name, most) => {
    const problems = await problemsOf(modest({ top: setting }));
    expect(problems).toContainEqual(
      expect.objectContaining({
        severity: 'error',
        code: 'HR_POLICY_REFUSED',
        path: expect.stringMatching(new RegExp(`\\.${name}$`)),
        line: 4,
        column: expect.any(Number),
        message: expect.stringMatching(new RegExp(`^An uploaded config may not set ${name} to \\d+: at most ${most} `)),
      }),
    );
  });

  it.each([
    ['threads of a pipeline', modest().replace('{name: p,', '{name: p, threads: 5,'), 'pipelines[0].threads'],
    ['retries of a stage', modest({ stages: '{class: FetchUri, source: u, dest: d, maxRetries: 21}' }), 'maxRetries'],
    [
      'a timeout of a stage',
      modest({ stages: '{class: FetchUri, source: u, dest: d, socketTimeout: 0}' }),
      'socketTimeout',
    ],
    ['values of a stage', modest({ stages: '{class: RandomVector, fields: [v], dimensions: 100001}' }), 'dimensions'],
    [
      'memory for a file',
      modest({ stages: '{class: TextExtractor, filePathField: f, maxMemoryMb: 100000}' }),
      'maxMemoryMb',
    ],
    [
      'the expansion of a file',
      modest({ stages: '{class: TextExtractor, filePathField: f, maxExpandedMb: 1025}' }),
      'maxExpandedMb',
    ],
    [
      'the size of a cache',
      modest({ stages: '{class: FetchUri, source: u, dest: d, cache { path: c, maxMegabytes: 10241 }}' }),
      'maxMegabytes',
    ],
  ])('is rejected at validation: %s', async (_, config, path) => {
    expect(await problemsOf(config)).toContainEqual(
      expect.objectContaining({ code: 'HR_POLICY_REFUSED', path: expect.stringContaining(path), line: 2 }),
    );
  });

  it('is accepted with values equal to the limits', async () => {
    const top =
      'worker { maxProcessingSecs: 60, threads: 4 }, runner.connectorTimeout: 10000, indexer.batchSize: 10000';
    expect(await problemsOf(modest({ top }))).toEqual([]);
  });

  it('cannot occupy a run slot, because each run ends after its time limit, even with a blocked thread', async () => {
    const blocked = await upload(guest.url, modest({ stages: endless, top: 'worker.maxProcessingSecs: 60' }));
    const waiting = await upload(
      guest.url,
      modest({ connector: 'class: SleepConnector, duration: 100000000' }).replace('pipeline: p, ', ''),
    );
    const runs = [await startRun(guest.url, blocked), await startRun(guest.url, waiting)];
    const next = await startRun(guest.url, await upload(guest.url, modest()));
    for (const { runId } of runs) {
      const details = await finished(guest.url, runId);
      expect(details).toMatchObject({ status: 'FAILED', progress: { pending: 0 } });
      expect(JSON.stringify(details)).toContain('HR_RUN_TIMEOUT');
      const { published, succeeded, failed, dropped } = details.progress;
      expect(published).toBe(succeeded + failed + dropped);
    }
    expect(await finished(guest.url, next.runId)).toMatchObject({ status: 'SUCCEEDED' });
  });
});

describe('three documents that compute without end', () => {
  it('fail, and do not delay another run or the probe', async () => {
    const top = 'worker { maxProcessingSecs: 1, threads: 1 }';
    const config = modest({ stages: `${endless}, {class: DropDocument}`, top });
    const { runId } = await startRun(guest.url, await upload(guest.url, config));
    const answers: number[] = [];
    let ended = false;
    const asking = (async () => {
      while (!ended) answers.push((await fetch(`${guest.url}/v1/livez`)).status);
    })();
    const other = await startRun(guest.url, await upload(guest.url, modest()));
    expect(await finished(guest.url, other.runId)).toMatchObject({ status: 'SUCCEEDED' });
    const { progress } = await finished(guest.url, runId);
    ended = true;
    await asking;
    expect(progress).toMatchObject({ published: 3, failed: 3 });
    expect(new Set(answers)).toEqual(new Set([200]));
  });
});
