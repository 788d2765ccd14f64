import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configToJson } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import type { RunDetails } from '../api/run-details.ts';
import type { Schedule } from '../api/schedule.ts';
import { defaultSettings, type Limits, type ServiceSettings } from '../settings/service-settings.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { SqliteStore } from '../store/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { readExposition } from '../testing/exposition.test.support.ts';
import { FakeClock, seconds } from '../testing/fake-clock.test.support.ts';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { sharedService, type TestService, testService, VALID } from '../testing/test-service.test.support.ts';

const DAILY = { cron: '0 3 * * *' };
const limits = (over: Partial<Limits>) => ({ limits: { ...defaultSettings().limits, ...over } });

interface Page {
  items: Schedule[];
  next: string | null;
}

async function start(settings: Partial<ServiceSettings> = {}, store: Store = new MemoryStore()) {
  const clock = new FakeClock('2027-01-01T00:00Z');
  return { clock, service: await testService(settings, { scheduleClock: clock, store }) };
}

const path = (id: string) => `/v1/config/${id}/schedule`;
const put = (service: TestService, id: string, body: object, auth?: string) =>
  service.ask(path(id), { method: 'PUT', body, ...(auth === undefined ? {} : { auth }) });
const get = async (service: TestService, id: string): Promise<Schedule> => (await service.ask(path(id))).json;
const runsOf = async (service: TestService): Promise<RunDetails[]> => (await service.ask('/v1/run')).json;

/** Waits until the service has handled this time of a schedule. */
async function handled(service: TestService, id: string, time: string): Promise<Schedule> {
  await expect.poll(async () => (await get(service, id)).lastTime, { interval: 2 }).toBe(seconds(time));
  return get(service, id);
}

describe('schedules over HTTP', () => {
  const shared = sharedService();

  it('are set, shown, listed, replaced and deleted', async () => {
    const { service } = await start();
    const id = await service.store();
    expect((await service.ask(path(id))).json).toMatchObject({ status: 404, code: 'HR_SCHEDULE_NOT_FOUND' });
    const set = await put(service, id, { ...DAILY, timezone: 'Europe/Berlin', labels: { team: 'a' } });
    const expected: Schedule = {
      configId: id,
      configName: null,
      preset: false,
      cron: '0 3 * * *',
      timezone: 'Europe/Berlin',
      enabled: true,
      overlap: 'skip',
      catchUp: false,
      labels: { team: 'a' },
      fixed: false,
      setTime: seconds('2027-01-01T00:00Z'),
      setBy: null,
      nextTimes: ['2027-01-01T02:00Z', '2027-01-02T02:00Z', '2027-01-03T02:00Z'].map(seconds),
      lastTime: null,
      lastProblem: null,
      lastRun: null,
    };
    expect([set.status, set.json]).toEqual([201, expected]);
    expect(await get(service, id)).toEqual(expected);
    expect((await service.ask('/v1/schedule')).json).toEqual({ items: [expected], next: null });
    const page = (await service.ask('/v1/config?limit=1')).json as { items: { nextTime: number }[] };
    expect(page.items[0]?.nextTime).toBe(seconds('2027-01-01T02:00Z'));
    const paused = await put(service, id, { ...DAILY, enabled: false });
    expect([paused.status, paused.json]).toMatchObject([200, { enabled: false, nextTimes: [], labels: {} }]);
    expect((await service.ask(path(id), { method: 'DELETE' })).status).toBe(200);
    expect((await service.ask(path(id), { method: 'DELETE' })).json).toMatchObject({ code: 'HR_SCHEDULE_NOT_FOUND' });
    expect((await service.ask('/v1/schedule')).json).toEqual({ items: [], next: null });
  });

  it('belong to configs by id or name, and to presets', async () => {
    const presets = temporaryDirectory();
    writeFileSync(join(presets, 'films.conf'), VALID);
    const { service } = await start({ presets });
    await service.ask('/v1/config/numbers', { method: 'PUT', body: VALID, type: 'application/hocon' });
    expect((await put(service, 'numbers', DAILY)).json).toMatchObject({ configName: 'numbers', preset: false });
    expect((await put(service, 'films.conf', DAILY)).json).toMatchObject({ configId: 'films.conf', preset: true });
    expect(await get(service, 'numbers')).toMatchObject({ configName: 'numbers' });
    for (const method of ['GET', 'DELETE']) {
      expect((await service.ask(path('none'), { method })).json).toMatchObject({ code: 'HR_CONFIG_NOT_FOUND' });
    }
    expect((await put(service, 'none', DAILY)).json).toMatchObject({ status: 404, code: 'HR_CONFIG_NOT_FOUND' });
    expect((await put(service, 'films.conf', { ...DAILY, overrides: { a: 1 } })).json).toMatchObject({
      code: 'HR_CONFIG_IS_PRESET',
    });
  });

  it('are listed by their next time, page by page, and paused ones last', async () => {
    const { service } = await start();
    const ids = await Promise.all(['5', '3', '4'].map(() => service.store()));
    for (const [i, hour] of [5, 3, 4].entries()) await put(service, ids[i] as string, { cron: `0 ${hour} * * *` });
    const paused = await service.store();
    await put(service, paused, { ...DAILY, enabled: false });
    const found: string[] = [];
    let after = '';
    do {
      const page = (await service.ask(`/v1/schedule?limit=1${after}`)).json as Page;
      found.push(...page.items.map(({ configId }) => configId));
      after = page.next === null ? '' : `&after=${encodeURIComponent(page.next)}`;
    } while (after !== '');
    expect(found).toEqual([ids[1], ids[2], ids[0], paused]);
  });

  it.each([
    [{}, 'HR_REQUEST_INVALID', 'cron'],
    [{ cron: '0 3 * *' }, 'HR_SCHEDULE_REFUSED', 'has 4'],
    [{ cron: '0 24 * * *' }, 'HR_SCHEDULE_REFUSED', 'The hour 24'],
    [{ cron: '0 0 31 4 *' }, 'HR_SCHEDULE_REFUSED', 'never due'],
    [{ cron: '*/59 * * * * *' }, 'HR_SCHEDULE_REFUSED', 'the limit is 60 seconds'],
    [{ ...DAILY, timezone: 'Mars' }, 'HR_SCHEDULE_REFUSED', 'time zone "Mars"'],
    [{ ...DAILY, overlap: 'never' }, 'HR_REQUEST_INVALID', 'one of skip, allow, refuse, queue'],
    [{ ...DAILY, catchup: true }, 'HR_REQUEST_INVALID', 'no property catchup'],
    [{ ...DAILY, overrides: { dbPassword: '******' } }, 'HR_REQUEST_INVALID', 'instead of secrets'],
    ['cron: "0 3 * * *"', 'HR_REQUEST_INVALID', 'not valid JSON'],
  ])('are refused for %j', async (body, code, message) => {
    const service = shared();
    const id = await service.store();
    const answer = await service.ask(path(id), { method: 'PUT', body, type: 'application/json' });
    expect(answer.json).toMatchObject({ status: 400, code, message: expect.stringContaining(message) });
    expect((await service.ask(path(id))).status).toBe(404);
  });

  it('are limited in number', async () => {
    const { service } = await start(limits({ maxSchedules: 1 }));
    const [one, two] = [await service.store(), await service.store()];
    await put(service, one, DAILY);
    expect((await put(service, one, { cron: '0 4 * * *' })).status).toBe(200);
    expect((await put(service, two, DAILY)).json).toMatchObject({ status: 400, code: 'HR_SCHEDULE_STORE_FULL' });
  });

  it('have times that can be asked for before they are set', async () => {
    const { service } = await start();
    const times = (cron: string, zone: string) =>
      service.ask(`/v1/schedule/times?${new URLSearchParams({ cron, timezone: zone })}`);
    expect((await times('0 3 * * *', 'Asia/Tokyo')).json).toEqual({
      nextTimes: ['2027-01-01T18:00Z', '2027-01-02T18:00Z', '2027-01-03T18:00Z'].map(seconds),
    });
    expect((await times('0 3 * *', 'UTC')).json).toMatchObject({ code: 'HR_SCHEDULE_REFUSED' });
  });

  it('are set by those who may start runs, and overrides by administrators', async () => {
    const user = (name: string, role: 'reader' | 'operator' | 'admin') => ({ name, password: name, role });
    const users = [user('rita', 'reader'), user('olga', 'operator'), user('ada', 'admin')];
    const auditPath = join(temporaryDirectory(), 'audit.jsonl');
    const { service, clock } = await start({ auth: { users }, audit: { path: auditPath } });
    const stored = await service.ask('/v1/config', { body: VALID, type: 'application/hocon', auth: 'ada:ada' });
    const { configId } = stored.json as { configId: string };
    expect((await put(service, configId, DAILY, 'rita:rita')).json).toMatchObject({ code: 'HR_FORBIDDEN' });
    const overrides = { 'connectors.0.password': 'new-secret' };
    expect((await put(service, configId, { ...DAILY, overrides }, 'olga:olga')).json).toMatchObject({
      code: 'HR_FORBIDDEN',
    });
    const set = (await put(service, configId, { ...DAILY, overrides }, 'ada:ada')).json as Schedule;
    expect(set).toMatchObject({ setBy: 'ada', overrides: { connectors: { 0: { password: '******' } } } });
    // An operator may change the rest, and sends the overrides as they were returned.
    const changed = await put(
      service,
      configId,
      { cron: '0 4 * * *', overrides: set.overrides as object },
      'olga:olga',
    );
    expect(changed.json).toMatchObject({ setBy: 'olga', overrides: set.overrides });
    clock.advance('2027-01-01T04:00Z');
    await expect.poll(() => service.threads.runs.length, { interval: 2 }).toBe(1);
    const { request, runId } = service.threads.last;
    expect(configToJson(request.root)).toContain('new-secret');
    const details = (await service.ask(`/v1/run/${runId}`, { auth: 'rita:rita' })).json;
    expect(details).toMatchObject({ requestedBy: 'olga', scheduledTime: seconds('2027-01-01T04:00Z') });
    await service.service.close();
    const records = readFileSync(auditPath, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.slice(-2)).toMatchObject([
      { action: 'PUT /v1/config/:id/schedule', user: 'olga', target: configId, outcome: 'done' },
      { action: 'schedule', user: 'olga', target: configId, made: runId, outcome: 'done' },
    ]);
  });
});

describe('a schedule', () => {
  it('starts a run at each time, and shows the last one', async () => {
    const { service, clock } = await start();
    const id = await service.store();
    await put(service, id, { cron: '0 3 * * *', labels: { job: 'nightly' } });
    clock.advance('2027-01-01T02:59:59Z');
    expect(await runsOf(service)).toEqual([]);
    clock.advance('2027-01-01T03:00Z');
    const schedule = await handled(service, id, '2027-01-01T03:00Z');
    const [run] = await runsOf(service);
    expect(run).toMatchObject({
      configId: id,
      labels: { job: 'nightly' },
      requestedBy: null,
      scheduledTime: seconds('2027-01-01T03:00Z'),
    });
    expect(schedule).toMatchObject({
      lastProblem: null,
      lastRun: { runId: run?.runId, status: 'RUNNING', endTime: null },
      nextTimes: ['2027-01-02T03:00Z', '2027-01-03T03:00Z', '2027-01-04T03:00Z'].map(seconds),
    });
    service.threads.last.end('SUCCEEDED');
    await service.ended(run?.runId as string);
    expect((await get(service, id)).lastRun).toMatchObject({ status: 'SUCCEEDED', endTime: expect.any(Number) });
    clock.advance('2027-01-02T03:00Z');
    await handled(service, id, '2027-01-02T03:00Z');
    expect(await runsOf(service)).toHaveLength(2);
  });

  it('waits for times that are months away, and looks at the clock each minute', async () => {
    const { service, clock } = await start();
    const id = await service.store();
    await put(service, id, { cron: '0 0 1 3 *' });
    clock.advance('2027-02-28T23:59:30Z');
    expect(service.threads.runs).toEqual([]);
    clock.advance('2027-03-01T00:00Z');
    await handled(service, id, '2027-03-01T00:00Z');
    expect(service.threads.runs).toHaveLength(1);
    expect(clock.longestWait).toBe(60_000);
  });

  it('skips a time while its last run is active, or does what its overlap says', async () => {
    const { service, clock } = await start();
    const [skips, queues, refuses] = [await service.store(), await service.store(), await service.store()];
    await put(service, skips, { cron: '* * * * *' });
    await put(service, queues, { cron: '* * * * *', overlap: 'queue' });
    await put(service, refuses, { cron: '* * * * *', overlap: 'refuse' });
    for (const time of ['2027-01-01T00:01Z', '2027-01-01T00:02Z']) {
      clock.advance(time);
      for (const id of [skips, queues, refuses]) await handled(service, id, time);
    }
    const first = { lastTime: seconds('2027-01-01T00:02Z') };
    expect(await get(service, skips)).toMatchObject({
      ...first,
      lastProblem: { code: 'HR_SCHEDULE_SKIPPED', message: 'The last run of the schedule was still active' },
      lastRun: { status: expect.stringMatching(/RUNNING|QUEUED/) },
    });
    expect(await get(service, queues)).toMatchObject({ ...first, lastProblem: null, lastRun: { status: 'QUEUED' } });
    expect(await get(service, refuses)).toMatchObject({ ...first, lastProblem: { code: 'HR_CONFIG_LOCKED' } });
    const samples = readExposition((await service.ask('/metrics')).text);
    expect(Object.fromEntries(samples.get('headrace_schedule_times_total')?.samples ?? [])).toEqual({
      'headrace_schedule_times_total{outcome="started"}': 4,
      'headrace_schedule_times_total{outcome="skipped"}': 1,
      'headrace_schedule_times_total{outcome="missed"}': 0,
      'headrace_schedule_times_total{outcome="failed"}': 1,
    });
    expect(samples.get('headrace_schedules')?.samples.get('headrace_schedules{state="enabled"}')).toBe(3);
  });

  it('is refused with an overlap that the service file forbids', async () => {
    const { service } = await start({ preventConcurrentRuns: true });
    const id = await service.store();
    expect((await put(service, id, { ...DAILY, overlap: 'allow' })).json).toMatchObject({
      message: expect.stringContaining('preventConcurrentRuns'),
    });
  });

  it('starts nothing while it is paused or after its config was deleted', async () => {
    const { service, clock } = await start();
    const [paused, deleted, going] = [await service.store(), await service.store(), await service.store()];
    for (const id of [paused, deleted, going]) await put(service, id, DAILY);
    await put(service, paused, { ...DAILY, enabled: false });
    await service.ask(`/v1/config/${deleted}`, { method: 'DELETE' });
    clock.advance('2027-01-01T03:00Z');
    await handled(service, going, '2027-01-01T03:00Z');
    expect((await runsOf(service)).map(({ configId }) => configId)).toEqual([going]);
    expect(((await service.ask('/v1/schedule')).json as Page).items.map(({ configId }) => configId)).toEqual([
      going,
      paused,
    ]);
  });

  it('does not run for times that passed while the machine slept, unless it catches up', async () => {
    const { service, clock } = await start();
    const [plain, catches] = [await service.store(), await service.store()];
    await put(service, plain, { cron: '0 * * * *' });
    await put(service, catches, { cron: '0 * * * *', catchUp: true });
    clock.jump('2027-01-01T05:30Z');
    expect(await handled(service, plain, '2027-01-01T01:00Z')).toMatchObject({
      lastProblem: { code: 'HR_SCHEDULE_SKIPPED', message: 'The service was not running at this time' },
      nextTimes: [seconds('2027-01-01T06:00Z'), expect.any(Number), expect.any(Number)],
    });
    await handled(service, catches, '2027-01-01T01:00Z');
    expect((await runsOf(service)).map(({ configId }) => configId)).toEqual([catches]);
  });

  it('follows a clock that is set back', async () => {
    const { service, clock } = await start();
    const id = await service.store();
    await put(service, id, DAILY);
    clock.advance('2027-01-05T03:00Z');
    await handled(service, id, '2027-01-05T03:00Z');
    clock.jump('2027-01-02T12:00Z');
    expect((await get(service, id)).nextTimes[0]).toBe(seconds('2027-01-03T03:00Z'));
  });
});

describe('after a restart, a schedule', () => {
  it.each([
    ['continues, and does not run for the times in between', false, 0],
    ['runs once for the times in between if it catches up', true, 1],
  ])('%s', async (_name, catchUp, runs) => {
    const directory = temporaryDirectory();
    const before = await start({}, new SqliteStore(directory));
    const id = await before.service.store();
    await put(before.service, id, { ...DAILY, catchUp, labels: { a: 'b' } });
    before.clock.advance('2027-01-01T03:00Z');
    const { lastRun } = await handled(before.service, id, '2027-01-01T03:00Z');
    await before.service.service.close();

    const clock = new FakeClock('2027-01-04T12:00Z');
    const store = new SqliteStore(directory);
    const service = await testService({}, { scheduleClock: clock, store });
    const schedule = await handled(service, id, '2027-01-02T03:00Z');
    expect(schedule).toMatchObject({ catchUp, labels: { a: 'b' }, nextTimes: { 0: seconds('2027-01-05T03:00Z') } });
    expect(service.threads.runs).toHaveLength(runs);
    if (!catchUp) expect(schedule.lastRun).toMatchObject({ runId: lastRun?.runId, status: 'INTERRUPTED' });
    clock.advance('2027-01-05T03:00Z');
  });

  it('catches up a time that came during the shutdown', async () => {
    const directory = temporaryDirectory();
    const before = await start({}, new SqliteStore(directory));
    const id = await before.service.store();
    await put(before.service, id, { ...DAILY, catchUp: true });
    await before.service.run(await before.service.store());
    // The active run keeps the service open after the shutdown has begun.
    const run = before.service.threads.last;
    run.onStop = () => undefined;
    const closed = before.service.service.close();
    before.clock.advance('2027-01-01T03:00Z');
    run.end('SUCCEEDED');
    await closed;
    expect(before.service.threads.runs).toHaveLength(1);
    const clock = new FakeClock('2027-01-01T03:01Z');
    const service = await testService({}, { scheduleClock: clock, store: new SqliteStore(directory) });
    await handled(service, id, '2027-01-01T03:00Z');
    expect(service.threads.runs).toHaveLength(1);
  });

  it('does not repeat a time that started a run', async () => {
    const directory = temporaryDirectory();
    const before = await start({}, new SqliteStore(directory));
    const id = await before.service.store();
    await put(before.service, id, { ...DAILY, catchUp: true });
    before.clock.advance('2027-01-01T03:00Z');
    await handled(before.service, id, '2027-01-01T03:00Z');
    await before.service.service.close();
    const clock = new FakeClock('2027-01-01T03:00:01Z');
    const service = await testService({}, { scheduleClock: clock, store: new SqliteStore(directory) });
    expect((await get(service, id)).nextTimes[0]).toBe(seconds('2027-01-02T03:00Z'));
    expect(service.threads.runs).toEqual([]);
  });
});

describe('a schedule of the service file', () => {
  const SETTINGS = { timezone: 'UTC', enabled: true, overlap: 'skip', catchUp: false, labels: {} } as const;

  it('starts runs of a preset, and cannot be changed over HTTP', async () => {
    const presets = temporaryDirectory();
    writeFileSync(join(presets, 'films.conf'), VALID);
    const store = new MemoryStore();
    const schedules = new Map([['films.conf', { ...SETTINGS, cron: '0 3 * * *' }]]);
    const { service, clock } = await start({ presets, schedules }, store);
    expect(await get(service, 'films.conf')).toMatchObject({ fixed: true, preset: true, setBy: null });
    for (const asked of [put(service, 'films.conf', DAILY), service.ask(path('films.conf'), { method: 'DELETE' })]) {
      expect((await asked).json).toMatchObject({ status: 409, code: 'HR_SCHEDULE_IS_FIXED' });
    }
    clock.advance('2027-01-01T03:00Z');
    await handled(service, 'films.conf', '2027-01-01T03:00Z');
    expect(await runsOf(service)).toMatchObject([{ configId: 'films.conf' }]);
    await service.service.close();
    // Without the entry in the file, the schedule is gone.
    const after = await start({ presets }, store);
    expect((await after.service.ask(path('films.conf'))).json).toMatchObject({ code: 'HR_SCHEDULE_NOT_FOUND' });
  });

  it('is reported if its preset does not exist, and can be seen', async () => {
    const presets = temporaryDirectory();
    const schedules = new Map([['gone.conf', { ...SETTINGS, cron: '* * * * *' }]]);
    const { service, clock } = await start({ presets, schedules });
    expect(service.log.warnings.join()).toContain('schedules the preset gone.conf, which does not exist');
    clock.advance('2027-01-01T00:01Z');
    expect(await handled(service, 'gone.conf', '2027-01-01T00:01Z')).toMatchObject({
      lastProblem: { code: 'HR_CONFIG_UNKNOWN' },
      lastRun: null,
    });
  });
});
