import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closedPort } from '@headrace/testing/closed-port';
import { describe, expect, it } from 'vitest';
import { ThreadsOnDemand } from './runs/threads-on-demand.ts';
import { defaultSettings } from './settings/service-settings.ts';
import { MemoryStore } from './store/memory-store.ts';
import { lightHash } from './testing/light-hash.test.support.ts';
import { slowPresets } from './testing/slow-presets.test.support.ts';
import { temporaryDirectory } from './testing/temporary-directory.test.support.ts';
import { testService, VALID } from './testing/test-service.test.support.ts';

/**
 * Weaknesses of the reference, with their numbers in the contract of the service. Each test shows that Headrace does
 * not have the weakness.
 */
describe('the service fixes weaknesses of the reference', () => {
  it('Fix 1: a run with a mistake in its config reports the mistake', async () => {
    const threads = new ThreadsOnDemand({ runHeapMb: 256, memoryMb: 256 });
    const service = await testService({}, { threads });
    const { runId } = await service.run(await service.store(VALID.replace('source', 'sorce')));
    const { runResult, status } = await service.ended(runId);
    expect(status).toBe('FAILED');
    const problem = { severity: 'error', path: 'pipelines[0].stages[0].sorce', line: 3, column: expect.any(Number) };
    expect(runResult?.problems).toContainEqual(expect.objectContaining(problem));
    const [first, ...rest] = (runResult as { message: string }).message.trim().split('\n');
    expect(first).toBe('RUN SUMMARY: Failure. 0/0 connectors complete. No docs published.');
    expect(rest.join('\n')).toMatch(/^3:\d+: error: .*sorce/m);
  });

  it('Fix 2: a config with an unresolved substitution is refused with its position, and affects no other config', async () => {
    const service = await testService();
    await service.store('a: 1');
    const refused = await service.ask('/v1/config', {
      body: 'x {\n  y: ${nowhere.to.be.found}\n}',
      type: 'application/hocon',
    });
    expect(refused.status).toBe(400);
    expect(refused.json).toMatchObject({
      status: 400,
      error: 'Bad Request',
      message: expect.stringContaining('${nowhere.to.be.found}'),
      problems: [{ line: 2, column: 6, code: 'HR_CONFIG_UNRESOLVED' }],
    });
    const all = await service.ask('/v1/config');
    expect(all.status).toBe(200);
    expect(Object.values(all.json)).toEqual([{ a: 1 }]);
  });

  it('Fix 3: an empty body is refused', async () => {
    const service = await testService();
    const empty = { status: 400, error: 'Bad Request', code: 'HR_REQUEST_EMPTY_BODY' };
    for (const type of ['application/json', 'application/hocon']) {
      for (const body of ['', ' \n']) {
        expect((await service.ask('/v1/config', { body, type })).json).toMatchObject(empty);
      }
    }
    expect((await service.ask('/v1/config', { method: 'POST' })).json).toMatchObject(empty);
    expect((await service.ask('/v1/config')).text).toBe('{}');
  });

  it('Fix 4: presets show only their own keys and no secrets, while their runs get the real values', async () => {
    const presets = temporaryDirectory();
    writeFileSync(
      join(presets, 'movies.conf'),
      'user: ${TEST_USER}, token: abc, url: "http://u:secret@host/", path: ${?PATH}, nested { apiKey: k }',
    );
    const env = { TEST_USER: 'ann', PATH: '/bin', HOME: '/root' };
    const service = await testService({ presets }, { env });
    const { json } = await service.ask('/v1/config/movies.conf');
    expect(json).toEqual({
      user: '******',
      token: '******',
      url: 'http://******:******@host/',
      path: '******',
      nested: { apiKey: '******' },
    });
    expect((await service.ask('/v1/config')).json).toEqual({ 'movies.conf': json });
    await service.run('movies.conf');
    const { entries } = service.threads.last.request.root;
    expect(entries.get('token')).toMatchObject({ value: 'abc' });
    expect(entries.get('user')).toMatchObject({ value: 'ann' });
  });

  it('Fix 5: a config in use can be deleted and its run continues; a preset cannot be deleted', async () => {
    const presets = temporaryDirectory();
    writeFileSync(join(presets, 'a.conf'), 'a: 1');
    const service = await testService({ presets });
    const configId = await service.store();
    const { runId, configDigest } = await service.run(configId);
    expect(configDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(await service.ask(`/v1/config/${configId}`, { method: 'DELETE' })).toMatchObject({ status: 200, text: '' });
    expect((await service.ask(`/v1/config/${configId}`)).status).toBe(404);
    service.threads.last.end('SUCCEEDED');
    expect(await service.ended(runId)).toMatchObject({ status: 'SUCCEEDED', configId, configDigest });
    const preset = await service.ask('/v1/config/a.conf', { method: 'DELETE' });
    expect(preset.json).toMatchObject({ status: 409, error: 'Conflict', message: expect.stringContaining('file') });
    expect((await service.ask('/v1/config/a.conf')).json).toEqual({ a: 1 });
  });

  it('Fix 6: configs and runs survive a restart, and a run that was running is INTERRUPTED', async () => {
    const storage = { type: 'sqlite', path: temporaryDirectory() } as const;
    const before = await testService({ storage });
    const configId = await before.store();
    const done = await before.run(configId, { labels: { team: 'search' } });
    Object.assign(before.threads.last.counts, { published: 3, succeeded: 3 });
    before.threads.last.end('SUCCEEDED');
    const finished = await before.ended(done.runId);
    const { runId } = await before.run(configId);
    Object.assign(before.threads.last.counts, { published: 10, succeeded: 4 });
    await before.service.close();

    const after = await testService({ storage });
    expect((await after.ask(`/v1/config/${configId}`)).json).toMatchObject({ indexer: { type: 'Nowhere' } });
    expect(await after.details(done.runId)).toEqual(finished);
    expect(await after.details(runId)).toMatchObject({
      status: 'INTERRUPTED',
      done: true,
      endTime: expect.any(Number),
      runResult: { status: false },
      progress: { published: 10, succeeded: 4, failed: 6, pending: 0 },
    });
  });

  it('Fix 8: the status of a run shows whether it is waiting or running', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxConcurrentRuns: 1 } });
    const configId = await service.store();
    const first = await service.run(configId);
    const second = await service.run(configId);
    expect([first.status, second.status]).toEqual(['RUNNING', 'QUEUED']);
    expect(second).toMatchObject({ done: false, endTime: null, runResult: null });
    service.threads.last.end('SUCCEEDED');
    await service.ended(first.runId);
    expect((await service.details(second.runId)).status).toBe('RUNNING');
  });

  it('Fix 9: all errors have the same format, in every part of the service', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxConfigBytes: 2000 } });
    const asked: [number, string, Parameters<typeof service.ask>[1]?][] = [
      [404, '/nowhere'],
      [404, '/v1/config/none'],
      [404, '/v1/run/none'],
      [405, '/v1/config', { method: 'PUT', body: {} }],
      [405, '/v1/livez', { method: 'OPTIONS' }],
      [400, '/v1/run', { body: '{"configId":', type: 'application/json' }],
      [400, '/v1/run', { body: '{"configId": "a", "__proto__": {}}', type: 'application/json' }],
      [400, '/v1/run', { body: {} }],
      [400, '/v1/run', { body: { configId: 7 } }],
      [400, '/v1/run', { method: 'POST' }],
      [400, '/v1/run?limit=none'],
      [400, '/v1/config/%zz'],
      [400, '/v1/config?after=x'],
      [413, '/v1/config', { body: 'a'.repeat(3000), type: 'application/hocon' }],
      [414, `/v1/config/${'x'.repeat(300)}`],
      [415, '/v1/config', { body: 'a', type: 'text/plain' }],
      [415, '/v1/run', { body: 'a=1', type: 'application/x-www-form-urlencoded' }],
      [431, `/v1/config/${'x'.repeat(20_000)}`],
    ];
    for (const [status, path, request] of asked) {
      const answer = await service.ask(path, request);
      const shown = path.slice(0, 60);
      expect({ shown, status: answer.status }).toEqual({ shown, status });
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.json).toMatchObject({ status, error: expect.any(String), message: expect.any(String) });
      expect(answer.json).not.toHaveProperty('statusCode');
    }
  });

  it('Fix 10: runs are listed newest first, in pages', async () => {
    const service = await testService();
    const configId = await service.store();
    const other = await service.store('b: 1');
    const runIds: string[] = [];
    for (let i = 0; i < 5; i++) runIds.unshift((await service.run(i === 2 ? other : configId)).runId);
    const ids = (runs: { runId: string }[]) => runs.map((run) => run.runId);
    expect(ids((await service.ask('/v1/run')).json)).toEqual(runIds);
    const first = (await service.ask('/v1/run?limit=3')).json as { items: { runId: string }[]; next: string };
    expect(ids(first.items)).toEqual(runIds.slice(0, 3));
    const second = (await service.ask(`/v1/run?limit=3&after=${first.next}`)).json as typeof first;
    expect(ids(second.items)).toEqual(runIds.slice(3));
    expect(second.next).toBeNull();
    const ofOther = (await service.ask(`/v1/run?configId=${other}`)).json as typeof first;
    expect(ids(ofOther.items)).toEqual([runIds[2]]);
    service.threads.runs[0]?.end('SUCCEEDED');
    await service.ended(runIds[4] as string);
    expect(ids(((await service.ask('/v1/run?status=SUCCEEDED')).json as typeof first).items)).toEqual([runIds[4]]);
    expect((await service.ask('/v1/run?status=SLEEPING')).status).toBe(400);
  });

  it('Fix 11: readyz fails while the store cannot be written', async () => {
    const store = Object.assign(new MemoryStore(), { failure: undefined as string | undefined });
    const service = await testService({}, { store });
    expect(await service.ask('/v1/readyz')).toMatchObject({ status: 200, text: '' });
    store.failure = 'The store cannot be written: disk full';
    const answer = await service.ask('/v1/readyz');
    expect(answer.json).toMatchObject({
      status: 503,
      error: 'Service Unavailable',
      message: 'The store cannot be written: disk full',
      checks: [
        { name: 'store', ok: false, message: 'The store cannot be written: disk full' },
        { name: 'presets', ok: true },
        { name: 'running', ok: true },
        { name: 'disk', ok: true },
        { name: 'eventLoop', ok: true },
      ],
    });
    expect(await service.ask('/v1/livez')).toMatchObject({ status: 200, text: '' });
    store.failure = undefined;
    expect((await service.ask('/v1/readyz')).status).toBe(200);
  });

  it('Fix 11: readyz fails during a shutdown', async () => {
    const service = await testService();
    const { runId } = await service.run(await service.store());
    let end = () => {};
    service.threads.last.onStop = (status) => {
      end = () => service.threads.last.end(status);
    };
    const closing = service.service.close();
    expect((await service.ask('/v1/readyz')).json).toMatchObject({
      status: 503,
      message: 'The service is shutting down',
    });
    expect((await service.ask('/v1/livez')).status).toBe(200);
    const refused = await service.ask('/v1/run', { body: { configId: await service.store() } });
    expect(refused.json).toMatchObject({ status: 503, code: 'HR_SHUTTING_DOWN' });
    expect((await service.details(runId)).status).toBe('STOPPING');
    end();
    await closing;
    await expect(fetch(`${service.url}/v1/livez`)).rejects.toThrow();
  });

  it('Fix 11: the service answers as not ready while it loads presets', async () => {
    const { directory: presets, loading, open } = slowPresets();
    // The requests come before the service reports its port.
    const port = await closedPort();
    const starting = testService({ presets, listeners: [{ host: '127.0.0.1', port }] });
    try {
      await loading;
      expect((await fetch(`http://127.0.0.1:${port}/v1/readyz`)).status).toBe(503);
    } finally {
      open();
    }
    const service = await starting;
    expect((await service.ask('/v1/readyz')).status).toBe(200);
    expect(Object.keys((await service.ask('/v1/config')).json)).toEqual(['films.conf']);
  });

  it('Fix 12: named users have roles, and a password alone is not enough', async () => {
    const users = [
      { name: 'rita', role: 'reader', password: 'r' },
      { name: 'otto', role: 'operator', passwordHash: lightHash('o') },
      { name: 'anna', role: 'admin', password: 'a' },
    ] as const;
    const service = await testService({ auth: { users } });
    const stored = await service.ask('/v1/config', { body: 'a: 1', type: 'application/hocon', auth: 'anna:a' });
    const { configId } = stored.json as { configId: string };
    const run = { body: { configId } };
    const upload = { body: 'a: 1', type: 'application/hocon' };
    const allowed: [string, number, string, object][] = [
      ['rita:r', 200, '/v1/config', {}],
      ['rita:r', 200, '/v1/config/validate', upload],
      ['rita:r', 403, '/v1/run', run],
      ['rita:r', 403, '/v1/config', upload],
      ['rita:r', 200, '/metrics', {}],
      ['otto:o', 200, '/v1/run', run],
      ['otto:o', 403, '/v1/config', upload],
      ['otto:o', 403, `/v1/config/${configId}`, { method: 'DELETE' }],
      ['anna:a', 200, '/v1/run', run],
      ['anna:a', 200, `/v1/config/${configId}`, { method: 'DELETE' }],
      ['stranger:a', 401, '/v1/config', {}],
      ['otto:wrong', 401, '/v1/config', {}],
    ];
    for (const [auth, status, path, request] of allowed) {
      expect({ auth, path, status: (await service.ask(path, { ...request, auth })).status }).toEqual({
        auth,
        path,
        status,
      });
    }
    const runs = (await service.ask('/v1/run', { auth: 'rita:r' })).json as { requestedBy: string }[];
    expect(runs.map((each) => each.requestedBy)).toEqual(['anna', 'otto']);
  });
});
