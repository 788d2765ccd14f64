import { configToJson } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import type { RunDetails } from '../api/run-details.ts';
import { defaultSettings, type ServiceSettings } from '../settings/service-settings.ts';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { sharedService, type TestService, testService, VALID } from '../testing/test-service.test.support.ts';

const places = (maxConcurrentRuns: number): Partial<ServiceSettings> => ({
  limits: { ...defaultSettings().limits, maxConcurrentRuns },
});

/** Returns the config of the last run that was started. */
const startedWith = (service: TestService) => JSON.parse(configToJson(service.threads.last.request.root));

async function started(service: TestService, body: object, headers: Record<string, string> = {}): Promise<RunDetails> {
  const answer = await service.ask('/v1/run', { body, headers });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json;
}

describe('a run of a config that comes with the request', () => {
  it('accepts the config as an object or as HOCON, and keeps all digits of numbers', async () => {
    const service = await testService();
    const text = '{"config": {"big": 9007199254740993, "whole": 1.5, "indexer": {"type": "Nowhere"}}}';
    const answer = await service.ask('/v1/run', { body: text, type: 'application/json' });
    expect(answer.json).toMatchObject({ configId: 'inline', configName: null, configVersion: null, status: 'RUNNING' });
    expect(configToJson(service.threads.last.request.root)).toContain('"big":9007199254740993,"whole":1.5');
    expect(service.threads.last.request.trusted).toBe(false);
    await started(service, { config: VALID });
    expect(startedWith(service).connectors[0].password).toBe('hunter2');
    expect((await service.ask('/v1/config')).text).toBe('{}');
    const page = (await service.ask('/v1/run?configId=inline')).json as { items: RunDetails[] };
    expect(page.items).toHaveLength(2);
    expect((await service.ask('/v1/run', { body: { configId: 'inline' } })).json).toMatchObject({
      code: 'HR_CONFIG_UNKNOWN',
    });
  });

  it('is refused if the config cannot be read or is too large', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxConfigBytes: 2048 } });
    expect((await service.ask('/v1/run', { body: { config: 'a: [' } })).json).toMatchObject({
      status: 400,
      problems: [{ severity: 'error' }],
    });
    expect((await service.ask('/v1/run', { body: { config: 'x'.repeat(4000) } })).status).toBe(413);
    expect((await service.ask('/v1/run')).text).toBe('[]');
  });

  it('needs the role admin, and so does a run with overrides', async () => {
    const users = [
      { name: 'cron', password: 'pw-cron', role: 'operator' as const },
      { name: 'mary', password: 'pw-mary', role: 'admin' as const },
    ];
    const service = await testService({ auth: { users, tokens: [] } });
    const upload = { body: VALID, type: 'application/hocon', auth: 'mary:pw-mary' };
    const { configId } = (await service.ask('/v1/config', upload)).json as { configId: string };
    const ask = async (body: object, auth: string) => (await service.ask('/v1/run', { body, auth })).status;
    expect(await ask({ configId }, 'cron:pw-cron')).toBe(200);
    expect(await ask({ configId, overrides: {} }, 'cron:pw-cron')).toBe(200);
    expect(await ask({ configId, overrides: { a: 1 } }, 'cron:pw-cron')).toBe(403);
    expect(await ask({ config: VALID }, 'cron:pw-cron')).toBe(403);
    expect(await ask({ configId, overrides: { a: 1 } }, 'mary:pw-mary')).toBe(200);
    expect(await ask({ config: VALID }, 'mary:pw-mary')).toBe(200);
    const mine = (await service.ask('/v1/run?requestedBy=mary', { auth: 'cron:pw-cron' })).json as { items: object[] };
    expect(mine.items).toHaveLength(2);
  });
});

describe('overrides', () => {
  it('are set in the config before it is resolved, and are shown without secrets', async () => {
    const service = await testService();
    const configId = await service.store(`day: 1, title: "of "\${day}, list: [1, 2]\n${VALID}`);
    const overrides = { day: '2026-01-31', list: [9007199254740993n.toString()], 'mail.password': 'hunter3' };
    const details = await started(service, { configId, overrides });
    expect(startedWith(service)).toMatchObject({
      day: '2026-01-31',
      title: 'of 2026-01-31',
      list: ['9007199254740993'],
      mail: { password: 'hunter3' },
    });
    expect(details.overrides).toEqual({ day: '2026-01-31', list: ['9007199254740993'], mail: { password: '******' } });
    const plain = await started(service, { configId });
    expect(startedWith(service).title).toBe('of 1');
    expect(plain).not.toHaveProperty('overrides');
    expect(plain.configDigest).not.toBe(details.configDigest);
  });

  it('are refused if they are wrong, and each problem has its position', async () => {
    const service = await testService();
    const configId = await service.store();
    const ask = async (overrides: object) => (await service.ask('/v1/run', { body: { configId, overrides } })).json;
    expect(await ask({ fine: 1, 'a..b': 2 })).toMatchObject({
      status: 400,
      problems: [{ file: 'overrides', line: 2, message: expect.stringContaining('a..b') }],
    });
    expect(await ask({ a: 'x'.repeat(70_000) })).toMatchObject({
      status: 400,
      message: expect.stringContaining('65536'),
    });
    expect(service.threads.runs).toHaveLength(0);
  });
});

describe('a request with an Idempotency-Key', () => {
  const key = (name: string) => ({ 'idempotency-key': name });

  it('starts only one run if it is repeated, also concurrently and after a restart', async () => {
    const storage = { type: 'sqlite', path: temporaryDirectory() } as const;
    const before = await testService({ storage, ...places(8) });
    const configId = await before.store();
    const runs = await Promise.all([1, 2, 3].map(() => started(before, { configId }, key('k'))));
    expect(new Set(runs.map(({ runId }) => runId)).size).toBe(1);
    expect(before.threads.runs).toHaveLength(1);
    expect((await started(before, { configId }, key('other'))).runId).not.toBe(runs[0]?.runId);
    expect((await started(before, { configId })).runId).not.toBe(runs[0]?.runId);
    await before.service.close();
    const after = await testService({ storage });
    const again = await started(after, { configId }, key('k'));
    expect(again).toMatchObject({ runId: runs[0]?.runId, status: 'INTERRUPTED', done: true });
  });

  it('is refused if the body differs or the run was deleted', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxRuns: 1, maxConcurrentRuns: 9 } });
    const configId = await service.store();
    const { runId } = await started(service, { configId }, key('k'));
    const other = { body: { configId, labels: { a: 'b' } }, headers: key('k') };
    expect((await service.ask('/v1/run', other)).json).toMatchObject({
      status: 422,
      code: 'HR_REQUEST_KEY_REUSED',
      hint: expect.stringContaining(runId),
    });
    service.threads.last.end('SUCCEEDED');
    await service.ended(runId);
    const next = await service.run(configId);
    service.threads.last.end('SUCCEEDED');
    await service.ended(next.runId);
    await expect.poll(async () => (await service.ask(`/v1/run/${runId}`)).status).toBe(404);
    const repeated = await service.ask('/v1/run', { body: { configId }, headers: key('k') });
    expect(repeated.json).toMatchObject({ status: 409, code: 'HR_RUN_FORGOTTEN' });
    expect(service.threads.runs).toHaveLength(2);
  });

  it('can be sent again if it was refused', async () => {
    const service = await testService();
    const refused = { body: { configId: 'films' }, headers: key('k') };
    expect((await service.ask('/v1/run', refused)).status).toBe(400);
    await service.ask('/v1/config?name=films', { body: VALID, type: 'application/hocon' });
    expect((await service.ask('/v1/run', refused)).status).toBe(200);
  });

  it('starts another run if another user sends the same key', async () => {
    const users = ['mary', 'john'].map((name) => ({ name, password: `pw-${name}`, role: 'admin' as const }));
    const service = await testService({ auth: { users, tokens: [] } });
    const ask = async (name: string) => {
      const body = { config: VALID };
      const answer = await service.ask('/v1/run', { body, headers: key('k'), auth: `${name}:pw-${name}` });
      return (answer.json as RunDetails).runId;
    };
    const [mary, john] = [await ask('mary'), await ask('john')];
    expect(mary).not.toBe(john);
    expect(await ask('mary')).toBe(mary);
  });
});

describe('runs of one config', () => {
  it('wait for each other with overlap=queue, while runs of other configs start', async () => {
    const service = await testService(places(3));
    const [one, other] = [await service.store(), await service.store()];
    const first = await service.run(one, { overlap: 'queue' });
    const second = await service.run(one, { overlap: 'queue' });
    const passing = await service.run(other, { overlap: 'queue' });
    expect([first, second, passing].map(({ status }) => status)).toEqual(['RUNNING', 'QUEUED', 'RUNNING']);
    expect(second.overlap).toBe('queue');
    service.threads.runs[0]?.end('SUCCEEDED');
    await service.ended(first.runId);
    await expect.poll(async () => (await service.details(second.runId)).status).toBe('RUNNING');
  });

  it('use the overlap of the service file, and a request cannot override preventConcurrentRuns', async () => {
    const queueing = await testService({ overlap: 'queue', ...places(2) });
    const configId = await queueing.store();
    await queueing.run(configId);
    expect(await queueing.run(configId)).toMatchObject({ status: 'QUEUED', overlap: 'queue' });
    const refused = await queueing.ask('/v1/run', { body: { configId, overlap: 'refuse' } });
    expect(refused.json).toMatchObject({ status: 400, code: 'HR_CONFIG_LOCKED' });

    const single = await testService({ preventConcurrentRuns: true, ...places(2) });
    const id = await single.store();
    await single.run(id);
    expect((await single.ask('/v1/run', { body: { configId: id } })).json).toMatchObject({ code: 'HR_CONFIG_LOCKED' });
    expect((await single.ask('/v1/run', { body: { configId: id, overlap: 'allow' } })).json).toMatchObject({
      status: 400,
      message: expect.stringContaining('preventConcurrentRuns'),
    });
    expect(await single.run(id, { overlap: 'queue' })).toMatchObject({ status: 'QUEUED' });
  });

  it('do not delay the runs of other configs, even if many are waiting', async () => {
    const service = await testService(places(1));
    const [busy, rare] = [await service.store(), await service.store()];
    const many: RunDetails[] = [];
    for (let i = 0; i < 5; i++) many.push(await service.run(busy));
    const one = await service.run(rare);
    for (const { runId } of many.slice(0, 2)) {
      service.threads.last.end('SUCCEEDED');
      await service.ended(runId);
    }
    expect(service.threads.last.runId).toBe(one.runId);
  });

  it('share one copy of their config while they wait', async () => {
    const service = await testService(places(1));
    const configId = await service.store('a: 1');
    await service.run(configId);
    await service.run(configId);
    await service.ask(`/v1/config/${configId}`, { method: 'PUT', body: 'a: 2', type: 'application/hocon' });
    for (let i = 0; i < 3; i++) await service.run(configId);
    for (let i = 0; i < 4; i++) {
      service.threads.last.end('SUCCEEDED');
      await service.ended(service.threads.last.runId);
    }
    const roots = service.threads.runs.map(({ request }) => request.root);
    expect(roots).toHaveLength(5);
    expect(roots.map((root) => root.entries.get('a'))).toMatchObject([1, 1, 2, 2, 2].map((value) => ({ value })));
    expect(new Set(roots.slice(2)).size).toBe(1);
  });
});

describe('the list of runs', () => {
  const shared = sharedService();

  it('can be filtered by config, states, labels, user and time, and its pages stay stable while runs are added', async () => {
    const service = await testService(places(100));
    const films = '/v1/config?name=films';
    const upload = { body: VALID, type: 'application/hocon' };
    const { configId } = (await service.ask(films, upload)).json as { configId: string };
    const other = await service.store();
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) {
      const labels = { n: String(i % 2), team: 'search' };
      ids.push((await service.run(i < 4 ? 'films' : other, { labels })).runId);
    }
    service.threads.runs[0]?.end('SUCCEEDED');
    service.threads.runs[1]?.end('FAILED');
    await Promise.all(ids.slice(0, 2).map((id) => service.ended(id)));
    const list = async (query: string) => {
      const { items } = (await service.ask(`/v1/run?${query}`)).json as { items: RunDetails[] };
      return items.map(({ runId }) => ids.indexOf(runId));
    };
    expect(await list('configId=films')).toEqual([3, 2, 1, 0]);
    expect(await list(`configId=${configId}`)).toEqual([3, 2, 1, 0]);
    expect(await list('status=FAILED&status=SUCCEEDED')).toEqual([1, 0]);
    expect(await list('label=n:1&label=team:search')).toEqual([5, 3, 1]);
    expect(await list('label=n:1&status=FAILED&configId=films')).toEqual([1]);
    const { startTime } = await service.details(ids[2] as string);
    expect(await list(`until=${startTime}`)).not.toContain(2);
    expect(await list(`since=${startTime}`)).toContain(2);
    expect(await list('since=2020-01-01&until=2020-01-02T00:00:00Z')).toEqual([]);

    const first = (await service.ask('/v1/run?limit=2&label=team:search')).json as {
      items: RunDetails[];
      next: string;
    };
    await service.run(other, { labels: { team: 'search' } });
    const second = (await service.ask(`/v1/run?limit=2&label=team:search&after=${first.next}`)).json as typeof first;
    expect([...first.items, ...second.items].map(({ runId }) => ids.indexOf(runId))).toEqual([5, 4, 3, 2]);
  });

  it.each([
    ['label=team', 'label=team is not key:value'],
    ['since=yesterday', 'since=yesterday is no time'],
    ['until=2026-01-31T12:00:00', 'is no time'],
    ['after=x', 'x is not the "next"'],
    ['status=FAILED&status=failed', 'status must be one of'],
  ])('is refused for %s', async (query, message) => {
    const service = shared();
    expect((await service.ask(`/v1/run?${query}`)).json).toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
      hint: expect.any(String),
    });
  });
});
