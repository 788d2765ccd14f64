import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../silent-logger.ts';
import { startService } from '../start-service.ts';
import { FakeThreads } from '../testing/fake-threads.test.support.ts';
import { sharedService, testService, testSettings, VALID } from '../testing/test-service.test.support.ts';
import { warnOfUntrustedProxies } from './untrusted-proxy.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Starts a service. Returns it with all records of its log: fields, including those of child loggers, and message. */
async function logged(over: Parameters<typeof testSettings>[0]) {
  const records: Record<string, unknown>[] = [];
  const logger = (bound: object): typeof silentLogger => ({
    ...silentLogger,
    child: (fields) => logger({ ...bound, ...fields }),
    info: (fields: unknown, message?: string) =>
      void records.push({ ...bound, ...(typeof fields === 'object' ? fields : {}), message: message ?? fields }),
  });
  const threads = new FakeThreads();
  const service = await startService({ settings: testSettings(over), catalogs: [], threads, logger: logger({}) });
  const url = service.urls[0] as string;
  return { records, service, threads, url };
}

describe('the request id', () => {
  const shared = sharedService();

  it('is the one from the client if it is valid, otherwise a new one', async () => {
    const service = shared();
    const idOf = async (id: string) =>
      (await service.ask('/v1/livez', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await idOf('trace:4bf92f35/77.b34_da-6')).toBe('trace:4bf92f35/77.b34_da-6');
    for (const id of ['', 'a b', 'ü', '"><script>', 'x'.repeat(129)]) expect(await idOf(id)).toMatch(UUID);
    expect(await idOf('')).not.toBe(await idOf(''));
  });

  it.each([
    ['/v1/config/nothing', 404],
    ['/nowhere', 404],
    [`/v1/config/${'x'.repeat(300)}`, 414],
    ['/v1/config/%zz', 400],
    ['/v1/run?nothing=1', 400],
  ])('is in every refusal, which also has the common headers: %s', async (path, status) => {
    const service = shared();
    const answer = await service.ask(path, { headers: { 'x-request-id': 'mine' } });
    expect(answer.json).toMatchObject({ status, requestId: 'mine' });
    expect(answer.headers.get('x-request-id')).toBe('mine');
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is also in the headers of an answer to an unauthenticated client', async () => {
    const service = await testService({ auth: { password: 'x', users: [] } });
    const answer = await service.ask('/v1/config');
    expect(answer.headers.get('x-request-id')).toMatch(UUID);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  });
});

describe('the log of the service', () => {
  it('has a line for each request without query and headers, if log.requests is true', async () => {
    const { records, service, url } = await logged({ log: { level: 'info', format: 'json', requests: true } });
    const headers = { 'x-request-id': 'mine', authorization: 'Bearer hidden' };
    await (await fetch(`${url}/v1/config/nothing?token=hidden`, { headers })).text();
    await service.close();
    const [line] = records.filter(({ message }) => message === 'Request answered');
    expect(line).toEqual({
      requestId: 'mine',
      method: 'GET',
      path: '/v1/config/nothing',
      status: 400,
      milliseconds: expect.any(Number),
      address: '127.0.0.1',
      user: null,
      message: 'Request answered',
    });
    expect(JSON.stringify(records)).not.toContain('hidden');
  });

  it('has no lines for requests by default', async () => {
    const { records, service, url } = await logged({});
    await (await fetch(`${url}/v1/livez`)).text();
    await service.close();
    expect(records.filter((record) => 'requestId' in record)).toEqual([]);
  });

  it('has the id of the run and of its request in the lines of the run', async () => {
    const { records, service, threads, url } = await logged({});
    const hocon = { 'content-type': 'application/hocon' };
    const stored = await fetch(`${url}/v1/config`, { method: 'POST', headers: hocon, body: VALID });
    const body = JSON.stringify(await stored.json());
    const headers = { 'content-type': 'application/json', 'x-request-id': 'the-one' };
    const { runId, requestId } = (await (await fetch(`${url}/v1/run`, { method: 'POST', headers, body })).json()) as {
      runId: string;
      requestId: string;
    };
    threads.last.listeners.onLog?.({ level: 'info', logger: 'runner', message: 'It runs', fields: {} } as never);
    expect(records.at(-1)).toMatchObject({ runId, requestId: 'the-one', logger: 'runner', message: 'It runs' });
    expect(requestId).toBe('the-one');
    await service.close();
  });
});

describe('the address of a client', () => {
  it('is read from X-Forwarded-For only if the proxy is trusted', async () => {
    const addressOf = async (trustedProxies: string[]) => {
      const { records, service, url } = await logged({
        log: { level: 'info', format: 'json', requests: true },
        trustedProxies,
      });
      await (await fetch(`${url}/v1/livez`, { headers: { 'x-forwarded-for': '203.0.113.9' } })).text();
      await service.close();
      return records.find(({ message }) => message === 'Request answered')?.['address'];
    };
    expect(await addressOf([])).toBe('127.0.0.1');
    expect(await addressOf(['10.0.0.0/8'])).toBe('127.0.0.1');
    expect(await addressOf(['127.0.0.0/8'])).toBe('203.0.113.9');
  });
});

describe('a proxy that is not trusted', () => {
  const proxied = { headers: { 'x-forwarded-for': '203.0.113.9' } };

  it.each([
    ['x-forwarded-for', '203.0.113.9', []],
    ['forwarded', 'for=203.0.113.9', []],
    ['x-forwarded-for', '203.0.113.9', ['10.0.0.0/8']],
  ])('causes one warning that names the setting: %s', async (header, value, trustedProxies) => {
    const service = await testService({ trustedProxies });
    for (let i = 0; i < 5; i++) await service.ask('/v1/livez', { headers: { [header]: value } });
    const warnings = service.log.warnings.filter((line) => line.includes('server.trustedProxies'));
    expect(warnings).toEqual([expect.stringMatching(/^A proxy at (::ffff:)?127\.0\.0\.1 sends X-Forwarded-For/)]);
  });

  it('causes another warning after an hour, and a trusted proxy causes none', async () => {
    const lines: string[] = [];
    let time = 0;
    const logger = { ...silentLogger, warn: (line: unknown) => void lines.push(String(line)) };
    const app = fastify({ trustProxy: ['10.0.0.7'] });
    warnOfUntrustedProxies(app, logger, () => time);
    app.get('/', () => '');
    for (const [remoteAddress, count] of [
      ['10.0.0.7', 0],
      ['10.0.0.8', 1],
      ['10.0.0.9', 1],
    ] as const) {
      await app.inject({ url: '/', remoteAddress, ...proxied });
      expect(lines).toHaveLength(count);
    }
    time = 3601;
    await app.inject({ url: '/', remoteAddress: '10.0.0.8', ...proxied });
    await app.inject({ url: '/', remoteAddress: '10.0.0.8' });
    expect(lines).toHaveLength(2);
  });
});
