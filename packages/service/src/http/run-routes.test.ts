import { describe, expect, it } from 'vitest';
import type { RunDetails } from '../api/run-details.ts';
import { defaultSettings, type Limits } from '../settings/service-settings.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { StoreError } from '../store/store.ts';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { testService } from '../testing/test-service.test.support.ts';

const limits = (over: Partial<Limits>) => ({ limits: { ...defaultSettings().limits, ...over } });

describe('runs over HTTP', () => {
  it('start immediately and return their details while they run', async () => {
    const service = await testService();
    const configId = await service.store();
    const started = await service.run(configId, { labels: { team: 'search' }, unknown: [1] });
    expect(started).toEqual({
      runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      configId,
      configName: null,
      configVersion: 1,
      startTime: expect.any(Number),
      endTime: null,
      runResult: null,
      runType: 'LOCAL',
      done: false,
      status: 'RUNNING',
      progress: {
        published: 0,
        created: 0,
        pending: 0,
        succeeded: 0,
        failed: 0,
        dropped: 0,
        docsPerSecond: 0,
        connectors: [expect.objectContaining({ name: 'files', status: 'running' })],
        stages: [],
      },
      configDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      overlap: 'allow',
      requestedBy: null,
      requestId: expect.any(String),
      labels: { team: 'search' },
    });
    expect(Math.abs(started.startTime - Date.now() / 1000)).toBeLessThan(60);
    Object.assign(service.threads.last.counts, { published: 10, created: 2, succeeded: 5, failed: 1, dropped: 1 });
    expect((await service.details(started.runId)).progress).toMatchObject({ published: 10, pending: 5, succeeded: 5 });
    const details = await service.details(started.runId);
    // The rate changes all the time, so it is not compared.
    const progress = { ...details.progress, docsPerSecond: expect.any(Number) };
    expect((await service.ask('/v1/run')).json).toEqual([{ ...details, progress }]);
  });

  it('have their result in their details after they end', async () => {
    const service = await testService();
    const { runId } = await service.run(await service.store());
    Object.assign(service.threads.last.counts, { published: 10, succeeded: 9, failed: 1 });
    service.threads.last.end('SUCCEEDED');
    const ended = await service.ended(runId);
    expect(ended).toMatchObject({
      status: 'SUCCEEDED',
      done: true,
      runResult: {
        status: true,
        message: expect.stringContaining('RUN SUMMARY: Partial success. 1/1 connectors complete. Some docs failed.'),
        runId,
        history: null,
        problems: [],
        connectors: [{ name: 'files', status: 'complete', succeeded: 9, failed: 1, dropped: 0, seconds: 2 }],
      },
      progress: { published: 10, pending: 0, docsPerSecond: 5, connectors: [{ name: 'files', status: 'complete' }] },
    });
    expect(ended.endTime).toBeGreaterThanOrEqual(ended.startTime);
    expect(await service.details(runId)).toEqual(ended);
  });

  it.each([
    [{}, 'configId'],
    [{ configId: '' }, 'The body: configId must not be blank'],
    [{ configId: '  ' }, 'configId'],
    [{ configId: null }, 'The body: configId must be a string'],
    [{ configId: 'none' }, 'There is no config none'],
    [[], 'object'],
    [{ configId: 'none', config: {} }, 'either configId or config'],
    [{ configId: 'none', overlap: 'perhaps' }, 'overlap must be one of allow, refuse, queue'],
    [{ configId: 'none', overrides: [] }, 'overrides'],
    [{ configId: 'none', labels: { 'a:b': '1' } }, 'labels must not have "a:b"'],
    [{ config: 'a: ${b}' }, '${b} is not defined'],
    [{ config: [1] }, 'config'],
    [{ configId: 'none', labels: { a: 1 } }, 'The body: labels.a must be a string'],
  ])('are not started by the request %j', async (body, message) => {
    const service = await testService();
    const answer = await service.ask('/v1/run', { body });
    expect(answer.json).toMatchObject({ status: 400, error: 'Bad Request', message: expect.stringContaining(message) });
  });

  it('run one at a time per config with preventConcurrentRuns', async () => {
    const service = await testService({ preventConcurrentRuns: true, ...limits({ maxConcurrentRuns: 8 }) });
    const configId = await service.store();
    const { runId } = await service.run(configId);
    const refused = await service.ask('/v1/run', { body: { configId } });
    expect(refused.json).toMatchObject({ status: 400, message: expect.stringContaining(runId) });
    await service.run(await service.store());
    service.threads.runs[0]?.end('SUCCEEDED');
    await service.ended(runId);
    await service.run(configId);
  });

  it('wait in order for a free slot, and are refused if too many are waiting', async () => {
    const service = await testService(limits({ maxConcurrentRuns: 1, maxQueuedRuns: 2 }));
    const configId = await service.store();
    const runs: RunDetails[] = [];
    for (let i = 0; i < 3; i++) runs.push(await service.run(configId));
    expect(runs.map((run) => run.status)).toEqual(['RUNNING', 'QUEUED', 'QUEUED']);
    const refused = await service.ask('/v1/run', { body: { configId } });
    expect(refused.json).toMatchObject({ status: 429, code: 'HR_RUN_QUEUE_FULL', hint: expect.any(String) });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const { runId } of runs) {
      expect(service.threads.last.runId).toBe(runId);
      service.threads.last.end('SUCCEEDED');
      await service.ended(runId);
    }
  });

  it('can be cancelled, with the states STOPPING and CANCELLED', async () => {
    const service = await testService(limits({ maxConcurrentRuns: 1 }));
    const configId = await service.store();
    const going = await service.run(configId);
    const waiting = await service.run(configId);
    const fake = service.threads.last;
    fake.onStop = () => {};

    const queued = await service.ask(`/v1/run/${waiting.runId}`, { method: 'DELETE' });
    expect(queued.status).toBe(202);
    expect(queued.json).toMatchObject({ status: 'CANCELLED', done: true, runResult: { status: false } });

    for (const request of [
      { path: `/v1/run/${going.runId}/cancel`, method: 'POST' },
      { path: `/v1/run/${going.runId}`, method: 'DELETE' },
    ]) {
      const answer = await service.ask(request.path, { method: request.method });
      expect(answer.status).toBe(202);
      expect(answer.json).toMatchObject({ status: 'STOPPING', done: false });
    }
    expect((await service.details(going.runId)).status).toBe('STOPPING');
    fake.end('CANCELLED');
    expect(await service.ended(going.runId)).toMatchObject({ status: 'CANCELLED', runResult: { status: false } });
    expect(service.threads.runs).toHaveLength(1);
    const again = await service.ask(`/v1/run/${going.runId}`, { method: 'DELETE' });
    expect(again.json).toMatchObject({ status: 409, code: 'HR_RUN_IS_DONE' });
    expect((await service.ask('/v1/run/none/cancel', { method: 'POST' })).status).toBe(404);
  });

  it('are deleted beyond the limit, the oldest finished run first', async () => {
    const service = await testService(limits({ maxRuns: 2, maxConcurrentRuns: 9 }));
    const configId = await service.store();
    const going = await service.run(configId);
    const finished: string[] = [];
    for (let i = 0; i < 3; i++) {
      const { runId } = await service.run(configId);
      service.threads.last.end('SUCCEEDED');
      await service.ended(runId);
      await service.details(runId);
      finished.push(runId);
    }
    await expect
      .poll(async () => ((await service.ask('/v1/run')).json as RunDetails[]).map((run) => run.runId))
      .toEqual([finished[2], going.runId]);
    expect((await service.ask(`/v1/run/${finished[0]}`)).status).toBe(404);
  });

  it('are refused while the store cannot be written, and finished runs are stored later', async () => {
    class FailingStore extends MemoryStore {
      broken = false;
      override async saveRun(run: Parameters<MemoryStore['saveRun']>[0]): Promise<void> {
        if (this.broken) throw new StoreError('The store cannot be written: disk full');
        await super.saveRun(run);
      }
    }
    const store = new FailingStore();
    const service = await testService({}, { store });
    const configId = await service.store();
    const { runId } = await service.run(configId);
    store.broken = true;
    const refused = await service.ask('/v1/run', { body: { configId } });
    expect(refused.json).toMatchObject({ status: 503, code: 'HR_STORE_UNAVAILABLE' });
    expect(service.threads.runs).toHaveLength(1);
    service.threads.last.end('SUCCEEDED');
    const ended = await service.ended(runId);
    expect(ended.status).toBe('SUCCEEDED');
    store.broken = false;
    // The manager stores the run at its next tick.
    await expect.poll(async () => store.runDetails(runId)).toBe(JSON.stringify(ended));
  });

  it('end the request for their list if the store fails', async () => {
    class FailingStore extends MemoryStore {
      pages = 0;
      override async listRuns(page: Parameters<MemoryStore['listRuns']>[0]) {
        if (this.pages-- <= 0) throw new StoreError('The store cannot be read: disk gone');
        const details = JSON.stringify({ text: 'x'.repeat(1000) });
        return Array.from({ length: page.limit }, (_, i) => ({ seq: 1000 - i, id: `r${i}`, details }));
      }
    }
    const store = new FailingStore();
    const service = await testService({}, { store });
    for (const path of ['/v1/run', '/v1/run?limit=1']) {
      expect((await service.ask(path)).json).toMatchObject({ status: 503, code: 'HR_STORE_UNAVAILABLE' });
    }
    // The first page was already sent, so the service cannot answer with an error: it aborts the answer.
    store.pages = 1;
    await expect(service.ask('/v1/run')).rejects.toThrow('terminated');
  });

  it('fail with the reason if they cannot be started', async () => {
    const service = await testService();
    service.threads.start = () => {
      throw new Error('no more threads for hunter2');
    };
    const details = await service.run(await service.store());
    expect(details).toMatchObject({
      status: 'FAILED',
      runResult: { message: expect.stringContaining('no more threads for ******') },
    });
    expect(JSON.stringify(details)).not.toContain('hunter2');
  });

  it('do not show secrets in the messages and hints of failures', async () => {
    const service = await testService();
    const { runId } = await service.run(await service.store());
    const problem = { severity: 'error', code: 'HR_CONNECTOR_FAILED', path: '' } as const;
    service.threads.last.end('FAILED', [{ ...problem, message: 'not hunter2', hint: 'Look at hunter2.' }]);
    const { runResult } = await service.ended(runId);
    expect(runResult?.problems).toEqual([{ ...problem, message: 'not ******', hint: 'Look at ******.' }]);
    expect(runResult?.message).not.toContain('hunter2');
  });

  it('list a thousand connectors, and the number of the others', async () => {
    const service = await testService();
    const { runId } = await service.run(await service.store());
    const run = service.threads.last;
    run.connectorNames = Array.from({ length: 1003 }, (_, i) => `c${i}`);
    const going = (await service.details(runId)).progress;
    expect([going.connectors.length, going.moreConnectors]).toEqual([1000, 3]);
    run.end('SUCCEEDED');
    const { progress, runResult } = await service.ended(runId);
    expect([progress.connectors.length, progress.moreConnectors]).toEqual([1000, 3]);
    expect(runResult?.connectors).toHaveLength(1000);
  });

  it('are ended by a shutdown with the status INTERRUPTED', async () => {
    const storage = { type: 'sqlite', path: temporaryDirectory() } as const;
    const before = await testService({ storage, ...limits({ maxConcurrentRuns: 1 }) });
    const configId = await before.store();
    const going = await before.run(configId);
    const waiting = await before.run(configId);
    await before.service.close();
    expect(before.threads.runs.map((run) => run.stops)).toEqual([['INTERRUPTED']]);
    const after = await testService({ storage });
    for (const { runId } of [going, waiting]) {
      expect(await after.details(runId)).toMatchObject({ status: 'INTERRUPTED', done: true });
    }
  });

  it('have the last known counts if a shutdown does not wait for their end', async () => {
    const storage = { type: 'sqlite', path: temporaryDirectory() } as const;
    const before = await testService({ storage, shutdownGraceSeconds: 0 });
    const { runId } = await before.run(await before.store());
    Object.assign(before.threads.last.counts, { published: 5, succeeded: 2 });
    before.threads.last.onStop = () => undefined;
    await before.service.close();
    const { runResult, progress } = await (await testService({ storage })).details(runId);
    expect(runResult).toMatchObject({
      status: false,
      message: expect.stringContaining('files: stopped. 2 docs succeeded. 3 docs FAILED.'),
      connectors: [{ name: 'files', status: 'stopped', succeeded: 2, failed: 3, dropped: 0, seconds: 1 }],
    });
    expect(runResult?.message).not.toContain('No docs published');
    expect(progress).toMatchObject({ failed: 3, pending: 0, connectors: [{ failed: 3, status: 'stopped' }] });
  });
});
