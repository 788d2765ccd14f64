import { connect, type Socket } from 'node:net';
import { type LogRecord, noCounts, STAGE_COUNTERS } from '@headrace/engine';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultSettings } from '../settings/service-settings.ts';
import { EventReader } from '../testing/event-reader.test.support.ts';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { type TestService, testService } from '../testing/test-service.test.support.ts';

const record = (message: string, over: Partial<LogRecord> = {}): LogRecord => ({
  level: 'info',
  time: 1795267968824,
  logger: 'files',
  message,
  ...over,
});

/** Starts a service with a running run. */
async function withRun(settings: Parameters<typeof testService>[0] = {}) {
  const service = await testService(settings);
  const { runId } = await service.run(await service.store());
  const run = service.threads.last;
  const say = (...messages: string[]) => {
    for (const message of messages) run.listeners.onLog?.(record(message));
  };
  return { service, runId, run, say };
}

async function watch(service: TestService, runId: string, headers: Record<string, string> = {}, query = '') {
  const reader = await EventReader.open(`${service.url}/v1/run/${runId}/events${query}`, headers);
  onTestFinished(() => reader.abort());
  return reader;
}

const messages = (reader: EventReader) => reader.named('log').map(({ data }) => (data as { message: string }).message);
const isMessage = (message: string) => (data: { message: string }) => data.message === message;

describe('the samples of a run', () => {
  it('show its counts over time, also after its end and a restart of the service', async () => {
    const storage = { type: 'sqlite', path: temporaryDirectory() } as const;
    const { service, runId, run } = await withRun({ storage });
    const samples = async (of: TestService) =>
      ((await of.ask(`/v1/run/${runId}/samples`)).json as { items: object[] }).items;
    expect((await samples(service))[0]).toEqual({ time: expect.any(Number), finished: 0, failed: 0, pending: 0 });
    run.counts.published = run.counts.succeeded = 7;
    run.end('SUCCEEDED');
    await service.ended(runId);
    const items = await samples(service);
    expect(items.at(-1)).toMatchObject({ finished: 7, failed: 0, pending: 0 });
    await service.service.close();
    expect(await samples(await testService({ storage }))).toEqual(items);
  });
});

describe('the events of a run', () => {
  it('include the earlier and the new events, and end with the details', async () => {
    const { service, runId, run, say } = await withRun();
    say('one');
    const reader = await watch(service, runId);
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(reader.response.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await reader.event('log')).data).toEqual({
      line: 1,
      time: 1795267968.824,
      level: 'info',
      logger: 'files',
      message: 'one',
    });
    expect((await reader.event('progress')).data).toMatchObject({
      status: 'RUNNING',
      published: 0,
      connectors: [{ name: 'files', status: 'running', published: 0, succeeded: 0, failed: 0, dropped: 0, seconds: 1 }],
    });
    run.listeners.onConnectors?.();
    expect((await reader.event('connector')).data).toMatchObject({ name: 'files', status: 'running' });
    run.counts.published = run.counts.succeeded = 7;
    await reader.event('progress', ({ succeeded }) => succeeded === 7);
    run.end('SUCCEEDED');
    await reader.ended;
    const done = reader.events.at(-1);
    expect(done).toMatchObject({ id: 'done', name: 'done' });
    expect(done?.data).toEqual(await service.details(runId));
    expect(reader.named('connector').map(({ data }) => (data as { status: string }).status)).toEqual([
      'running',
      'complete',
    ]);
    expect(new Set(reader.events.map(({ id }) => id)).size).toBe(reader.events.length);
  });

  it('are not sent while nothing changes', async () => {
    const { service, runId, run, say } = await withRun();
    const reader = await watch(service, runId);
    await reader.event('progress');
    run.counts.published = 1;
    await reader.event('progress', ({ published }) => published === 1);
    say('later');
    await reader.event('log');
    run.counts.published = 2;
    await reader.event('progress', ({ published }) => published === 2);
    expect(reader.named('progress')).toHaveLength(3);
  });

  it.each(['header', 'query'])('continue after the last event id of the client, sent as a %s', async (by) => {
    const { service, runId, run, say } = await withRun();
    const first = await watch(service, runId);
    say('one', 'two');
    const { id } = await first.event('log', isMessage('two'));
    first.abort();
    say('three');
    const second =
      by === 'header'
        ? await watch(service, runId, { 'last-event-id': id })
        : await watch(service, runId, {}, `?lastEventId=${id}`);
    say('four');
    await second.event('log', isMessage('four'));
    expect(messages(second)).toEqual(['three', 'four']);
    run.end('SUCCEEDED');
    await second.ended;
  });

  it('continue even if the run has ended in the meantime', async () => {
    const { service, runId, run, say } = await withRun();
    const first = await watch(service, runId);
    say('one');
    const { id } = await first.event('log');
    first.abort();
    say('two');
    run.end('SUCCEEDED');
    await service.ended(runId);
    const second = await watch(service, runId, { 'last-event-id': id });
    await second.ended;
    expect(messages(second)).toEqual(['two']);
    expect(second.events.at(-1)?.name).toBe('done');
    const nothing = await service.ask(`/v1/run/${runId}/events`, { headers: { 'last-event-id': 'done' } });
    expect(nothing).toMatchObject({ status: 204, text: '' });
  });

  it('consist only of the details if the run has finished', async () => {
    const { service, runId, run, say } = await withRun();
    say('one');
    run.end('SUCCEEDED');
    await service.ended(runId);
    const reader = await watch(service, runId);
    await reader.ended;
    expect(reader.events.map(({ name }) => name)).toEqual(['done']);
    expect(reader.events[0]?.data).toEqual(await service.details(runId));
  });

  it('start with the position in the queue if the run is waiting', async () => {
    const { service, run } = await withRun({ limits: { ...defaultSettings().limits, maxConcurrentRuns: 1 } });
    const configId = await service.store();
    const second = await service.run(configId);
    const third = await service.run(configId);
    expect((await service.details(third.runId)).queuePosition).toBe(2);
    const reader = await watch(service, third.runId);
    await reader.event('queued', ({ position }) => position === 2);
    run.end('SUCCEEDED');
    await reader.event('queued', ({ position }) => position === 1);
    expect((await service.details(second.runId)).queuePosition).toBeUndefined();
    service.threads.last.end('SUCCEEDED');
    await reader.event('progress', ({ status }) => status === 'RUNNING');
    service.threads.last.end('SUCCEEDED');
    await reader.ended;
    expect(reader.events.at(-1)?.data).toMatchObject({ runId: third.runId, status: 'SUCCEEDED' });
  });

  it('do not mix with the events of a concurrent run', async () => {
    const { service, runId, run, say } = await withRun();
    const other = await service.run(await service.store());
    const readers = await Promise.all([watch(service, runId), watch(service, other.runId)]);
    say('of the first');
    service.threads.last.listeners.onLog?.(record('of the second'));
    run.end('SUCCEEDED');
    service.threads.last.end('FAILED');
    await Promise.all(readers.map((reader) => reader.ended));
    expect(readers.map(messages)).toEqual([['of the first'], ['of the second']]);
    expect(readers.map(({ events }) => (events.at(-1) as { data: { status: string } }).data.status)).toEqual([
      'SUCCEEDED',
      'FAILED',
    ]);
  });

  it('reach a slow client as far as they are stored, with a gap event, without using memory for it', async () => {
    const { service, runId, run } = await withRun();
    const socket = await slowClient(service, `/v1/run/${runId}/events`);
    // The total is much more than the buffers of sockets can hold.
    const long = 'x'.repeat(4000);
    for (let i = 0; i < 10_000; i++) {
      run.listeners.onLog?.(record(`${i} ${long}`));
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    run.end('SUCCEEDED');
    const text = await readAll(socket);
    expect(text).toMatch(/event: gap\ndata: \{"missed":\d{4}\}/);
    expect(text).toContain('9999 x');
    expect(text).toContain('event: done');
    expect(text.length).toBeLessThan(20_000_000);
  });

  it('end at a shutdown', async () => {
    const { service, runId } = await withRun();
    const reader = await watch(service, runId);
    await reader.event('progress');
    await service.service.close();
    await reader.ended;
    expect(reader.events.at(-1)?.data).toMatchObject({ status: 'INTERRUPTED', done: true });
  });

  it('include failed documents with the reason, but without their content', async () => {
    const { service, runId, run } = await withRun();
    const reader = await watch(service, runId);
    run.listeners.onFailures?.([
      {
        id: 'd1',
        connector: 'files',
        pipeline: 'main',
        at: 'stage_1',
        failure: { code: 'HR_STAGE_FAILED', message: 'not with hunter2' },
        document: { kind: 'input', json: '{"id":"d1","text":"of the document"}', binaryFields: [] },
      },
    ]);
    const { data } = await reader.event('failure');
    expect(data).toEqual({
      id: 'd1',
      connector: 'files',
      at: 'stage_1',
      code: 'HR_STAGE_FAILED',
      message: 'not with ******',
    });
  });

  it('do not show secrets, and neither does the log', async () => {
    const { service, runId, run } = await withRun();
    const reader = await watch(service, runId);
    run.listeners.onLog?.(
      record('logged in with hunter2', { fields: { url: 'http://u:hunter2@h', list: ['hunter2'] } }),
    );
    run.end('FAILED', [{ severity: 'error', code: 'HR_INTERNAL', path: '', message: 'hunter2 is refused' }]);
    await reader.ended;
    const log = await service.ask(`/v1/run/${runId}/log`);
    for (const text of [reader.text, log.text]) {
      expect(text).toContain('logged in with ******');
      expect(text).not.toContain('hunter2');
    }
    expect(service.log.infos.join()).not.toContain('hunter2');
  });

  it('are refused for an unknown run, an invalid event id, and without a password', async () => {
    const { service, runId } = await withRun();
    expect((await service.ask('/v1/run/nothing/events')).json).toMatchObject({ status: 404, code: 'HR_RUN_NOT_FOUND' });
    expect((await service.ask(`/v1/run/${runId}/events?lastEventId=x`)).json).toMatchObject({
      status: 400,
      message: 'The query: lastEventId=x is not the id of an event of a run',
    });
    expect((await service.ask('/v1/run/nothing/events', { headers: { 'last-event-id': 'done' } })).status).toBe(404);
    const locked = await testService({ auth: { password: 'x', users: [] } as never });
    for (const path of ['events', 'log']) expect((await locked.ask(`/v1/run/r/${path}`)).status).toBe(401);
  });
});

describe('the log of a run', () => {
  it('can be read while the run is running, and after its end', async () => {
    const { service, runId, run, say } = await withRun();
    const log = async (query = '') => {
      const answer = await service.ask(`/v1/run/${runId}/log${query}`);
      expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
      return answer.text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { message: string }).message);
    };
    expect(await log()).toEqual([]);
    say('one');
    expect(await log()).toEqual(['one']);
    run.listeners.onLog?.(record('two', { level: 'warn' }));
    run.listeners.onLog?.(record('all of a document', { level: 'debug' }));
    expect(await log()).toEqual(['one', 'two']);
    run.end('SUCCEEDED');
    await service.ended(runId);
    expect(await log()).toEqual(['one', 'two']);
    expect(await log('?level=warn')).toEqual(['two']);
    expect(await log('?after=1')).toEqual(['two']);
    expect(await log('?limit=1')).toEqual(['one']);
    expect((await service.ask(`/v1/run/${runId}/log?level=loud`)).status).toBe(400);
    expect((await service.ask('/v1/run/nothing/log')).json).toMatchObject({ code: 'HR_RUN_NOT_FOUND' });
  });
});

describe('the details of a run', () => {
  it('contain the counts of its stages, while it runs and at the end', async () => {
    const { service, runId, run } = await withRun();
    run.stages.push({
      connector: 'files',
      pipeline: 'main',
      stage: 'stage_1',
      class: 'Upper',
      ...noCounts(STAGE_COUNTERS),
      processed: 5,
      failed: 1,
      meanMillis: 0.25,
    });
    expect((await service.details(runId)).progress.stages).toEqual(run.stages);
    run.end('SUCCEEDED');
    const { progress } = await service.ended(runId);
    expect(progress.stages).toEqual(run.stages);
    expect(progress.connectors).toEqual([
      { name: 'files', status: 'complete', published: 0, succeeded: 0, failed: 0, dropped: 0, seconds: 2 },
    ]);
  });
});

/** Sends a request, and does not read the answer. */
async function slowClient(service: TestService, path: string): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  await new Promise((resolve) => socket.once('readable', resolve));
  return socket;
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  for await (const bytes of socket) text += bytes;
  return text;
}
