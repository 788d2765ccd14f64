import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defaultSettings } from '../settings/service-settings.ts';
import { SqliteStore } from '../store/sqlite-store.ts';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { testService } from '../testing/test-service.test.support.ts';
import { Readiness } from './readiness.ts';

const checked = ['store', 'presets', 'running', 'disk', 'eventLoop'];

afterEach(() => void vi.useRealTimers());

describe('GET /v1/readyz', () => {
  it('has an empty answer if all checks succeed, and lists them with verbose=true', async () => {
    const service = await testService({ auth: { password: 'x', users: [] } });
    const plain = await service.ask('/v1/readyz');
    expect([plain.status, plain.text]).toEqual([200, '']);
    const verbose = await service.ask('/v1/readyz?verbose=true');
    expect([verbose.status, verbose.json]).toEqual([
      200,
      { status: 'ready', checks: checked.map((name) => ({ name, ok: true })) },
    ]);
    expect((await service.ask('/v1/readyz?verbose=maybe')).status).toBe(400);
  });

  it('answers 503 with the reason if the disk of the store is too full', async () => {
    const limits = { ...defaultSettings().limits, minFreeDiskMb: 1024 * 1024 * 1024 };
    const service = await testService({ limits, storage: { type: 'sqlite', path: temporaryDirectory() } });
    const answer = await service.ask('/v1/readyz');
    expect(answer.json).toMatchObject({
      status: 503,
      code: 'HR_NOT_READY',
      message: expect.stringMatching(/^\d+ MiB are free for the store, less than limits\.minFreeDiskMb$/),
      requestId: answer.headers.get('x-request-id'),
    });
    expect((await service.ask('/v1/livez')).status).toBe(200);
  });

  it('answers 503 while the store is moved away, and nothing is stored until it is back', async () => {
    const path = join(temporaryDirectory(), 'store');
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const service = await testService({ storage: { type: 'sqlite', path } });
    const configId = await service.store();
    renameSync(path, `${path}.away`);
    const refused = await service.ask('/v1/config', { body: 'a: 1', type: 'application/hocon' });
    const gone = `${join(path, 'headrace.db')} was removed or replaced while the service has it open`;
    expect(refused.json).toMatchObject({
      status: 503,
      code: 'HR_STORE_UNAVAILABLE',
      message: expect.stringContaining(gone),
    });
    await vi.advanceTimersByTimeAsync(5000);
    const checks = async () => ((await service.ask('/v1/readyz?verbose=true')).json as { checks: object[] }).checks;
    await expect.poll(checks).toEqual(
      expect.arrayContaining([
        { name: 'store', ok: false, message: expect.stringContaining(gone) },
        { name: 'disk', ok: false, message: expect.stringContaining(`cannot be checked: ENOENT`) },
      ]),
    );
    expect((await service.ask(`/v1/config/${configId}`)).status).toBe(200);
    expect((await service.ask('/metrics')).text).toContain('headrace_store_size_bytes 0\n');
    expect((await service.ask('/v1/systemstats')).json).toMatchObject({ code: 'HR_STORE_UNAVAILABLE' });

    // Another service creates a new store at the same path. This service must not use it.
    await new SqliteStore(path).close();
    expect((await service.ask('/v1/config', { body: 'a: 1', type: 'application/hocon' })).status).toBe(503);
    rmSync(path, { recursive: true });

    renameSync(`${path}.away`, path);
    await service.store();
    await vi.advanceTimersByTimeAsync(5000);
    await expect.poll(async () => (await service.ask('/v1/readyz')).status).toBe(200);
  });

  it('does not depend on failed runs', async () => {
    const service = await testService();
    const { runId } = await service.run(await service.store());
    service.threads.last.end('FAILED');
    expect((await service.ended(runId)).status).toBe('FAILED');
    expect((await service.ask('/v1/readyz')).status).toBe(200);
  });
});

describe('the checks of readiness', () => {
  const store = { directory: undefined, failure: undefined as string | undefined, probe: async () => {} };
  const loop = { lateness: 0 };
  const readiness = new Readiness(store as never, loop, 50);
  const failing = () => readiness.checks().filter(({ ok }) => !ok);

  it('fail independently, each with its reason', () => {
    readiness.presetsLoaded = true;
    expect(failing()).toEqual([]);
    store.failure = 'The disk is full';
    expect(failing()).toHaveLength(1);
    loop.lateness = 1.5;
    readiness.shuttingDown = true;
    expect(failing()).toEqual([
      { name: 'store', ok: false, message: 'The disk is full' },
      { name: 'running', ok: false, message: 'The service is shutting down' },
      { name: 'eventLoop', ok: false, message: 'The event loop is 1.5 seconds late' },
    ]);
  });
});

describe('GET /v1/version', () => {
  it('returns the versions of Headrace and Node, only to users', async () => {
    const service = await testService({ auth: { password: 'x', users: [] } });
    expect((await service.ask('/v1/version')).status).toBe(401);
    expect((await service.ask('/v1/version', { auth: 'a:x' })).json).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      apiVersion: 'v1',
      node: process.versions.node,
    });
  });
});
