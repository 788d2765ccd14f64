import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunDetails } from '../api/run-details.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { type StoredRun, StoreError } from '../store/store.ts';
import { testService } from '../testing/test-service.test.support.ts';

/** A store whose writes of finished runs can be delayed or refused. */
class SlowEnds extends MemoryStore {
  readonly asked: Promise<void>;
  done: () => void = () => undefined;
  full = false;
  #asked!: () => void;
  readonly #written: Promise<void>;

  constructor() {
    super();
    this.asked = new Promise((resolve) => {
      this.#asked = resolve;
    });
    this.#written = new Promise((resolve) => {
      this.done = resolve;
    });
  }

  override async saveRun(...[run, key]: Parameters<MemoryStore['saveRun']>): Promise<void> {
    if (run.done) await this.#end(run);
    return super.saveRun(run, key);
  }

  async #end({ id }: StoredRun): Promise<void> {
    this.#asked();
    if (this.full) throw new StoreError(`${id}: the disk is full`);
    await this.#written;
  }
}

describe('the end of a run', () => {
  it('is visible only after it was stored, so that a crash cannot undo it', async () => {
    const store = new SlowEnds();
    const service = await testService({}, { store });
    const { runId } = await service.run(await service.store());
    service.threads.last.end('SUCCEEDED');
    await store.asked;
    let answers = 0;
    const asked = ['', '?limit=10', `/${runId}`].map((path) =>
      service.ask(`/v1/run${path}`).finally(() => {
        answers++;
      }),
    );
    // Requests that do not need the run are answered in the meantime.
    expect((await service.ask('/v1/livez')).status).toBe(200);
    expect((await service.ask('/v1/config')).status).toBe(200);
    expect(answers).toBe(0);
    store.done();
    for (const answer of await Promise.all(asked)) expect(answer.text).toContain('"status":"SUCCEEDED"');
  });

  it('is visible even while it cannot be stored', async () => {
    const store = new SlowEnds();
    store.full = true;
    const service = await testService({}, { store });
    const { runId } = await service.run(await service.store());
    service.threads.last.end('SUCCEEDED');
    expect((await service.ended(runId)).status).toBe('SUCCEEDED');
    store.full = false;
    store.done();
  });
});

/**
 * A store that refuses to save the finished run until its retry is being saved. The save of the finished run then waits
 * until the retry is recorded.
 */
class LateEnds extends MemoryStore {
  readonly #storing = Promise.withResolvers<void>();
  readonly #retried = Promise.withResolvers<void>();
  #isRetrying = false;

  override async saveRun(...[run, key]: Parameters<MemoryStore['saveRun']>): Promise<void> {
    const isRetry = 'retryOf' in JSON.parse(run.details);
    if (isRetry) {
      this.#isRetrying = true;
      await this.#storing.promise;
    } else if (run.done) {
      if (!this.#isRetrying) throw new StoreError('the disk is full');
      this.#storing.resolve();
      await this.#retried.promise;
    }
    await super.saveRun(run, key);
    // Continue after the work that follows the save of the retry.
    if (isRetry) setImmediate(() => this.#retried.resolve());
  }
}

describe('a retry that starts while the end of its run is being saved', () => {
  it('is recorded in the details of the run', async () => {
    const store = new LateEnds();
    const service = await testService({}, { store });
    const { runId } = await service.run(await service.store());
    service.threads.last.listeners.onFailures?.([
      {
        id: 'd',
        connector: 'files',
        at: 'upper',
        failure: { code: 'HR_STAGE_FAILED', message: 'no' },
        document: { kind: 'input', json: '{"id":"d"}', binaryFields: [] },
      },
    ]);
    service.threads.last.end('SUCCEEDED');
    await service.ended(runId);
    const retry = await service.ask(`/v1/run/${runId}/retry`, { method: 'POST' });
    const retriedBy = (retry.json as RunDetails).runId;
    await expect.poll(async () => JSON.parse((await store.runDetails(runId)) ?? '{}')).toMatchObject({ retriedBy });
    expect(await service.details(runId)).toMatchObject({ done: true, retriedBy });
  });
});

describe('a change of the system clock', () => {
  afterEach(() => void vi.useRealTimers());

  it('does not affect runs, their order and their keys if the clock is set back', async () => {
    const service = await testService();
    const configId = await service.store();
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T12:00:00Z') });
    const request = { body: { configId }, headers: { 'idempotency-key': 'nightly' } };
    const { runId } = (await service.ask('/v1/run', request)).json as { runId: string };
    vi.setSystemTime('2026-11-21T02:00:00Z');
    service.threads.last.end('SUCCEEDED');
    const { startTime, endTime } = await service.ended(runId);
    expect(endTime).toBe(startTime);
    expect((await service.ask('/v1/run', request)).json).toMatchObject({ runId });
    const later = await service.run(configId);
    const listed = (await service.ask('/v1/run')).json as { runId: string }[];
    expect(listed.map((run) => run.runId)).toEqual([later.runId, runId]);
    service.threads.last.end('SUCCEEDED');
    expect(await service.ended(later.runId)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('does not end runs if the clock is set forward, but expires their keys', async () => {
    const service = await testService();
    const configId = await service.store();
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T12:00:00Z') });
    const request = { body: { configId }, headers: { 'idempotency-key': 'nightly' } };
    const { runId } = (await service.ask('/v1/run', request)).json as { runId: string };
    vi.setSystemTime('2026-11-25T12:00:00Z');
    expect(await service.details(runId)).toMatchObject({ status: 'RUNNING', done: false });
    expect((await service.ask('/v1/run', request)).json).not.toMatchObject({ runId });
  });
});
