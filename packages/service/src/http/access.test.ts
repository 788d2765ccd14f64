import { describe, expect, it } from 'vitest';
import { lightHash } from '../testing/light-hash.test.support.ts';
import { testService } from '../testing/test-service.test.support.ts';

const auth = { password: 'pass:word ü', users: [] };

describe('authentication by a password', () => {
  it('accepts any user name, also an empty one', async () => {
    const service = await testService({ auth });
    for (const name of ['anybody', 'x y', '']) {
      expect((await service.ask('/v1/config', { auth: `${name}:pass:word ü` })).status).toBe(200);
    }
    const configId = await storeAs(service, 'ann:pass:word ü');
    const run = await service.ask('/v1/run', { body: { configId }, auth: 'ann:pass:word ü' });
    expect(run.json).toMatchObject({ requestedBy: 'ann' });
  });

  it('answers 401 with a challenge if credentials are wrong or missing', async () => {
    const service = await testService({ auth });
    const headers = ['', 'Basic', 'Basic !!!', 'Basic bm9jb2xvbg==', 'Bearer x', `Basic ${btoa('a:pass')}`];
    for (const path of ['/v1/config', '/v1/run', '/metrics', '/v1/systemstats', '/v1/nowhere']) {
      const answer = await service.ask(path);
      expect(answer.json).toMatchObject({ status: 401, error: 'Unauthorized', message: expect.any(String) });
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="/);
    }
    for (const authorization of headers) {
      expect((await service.ask('/v1/config', { headers: { authorization } })).status).toBe(401);
    }
  });

  it('checks the credentials before it reads the body', async () => {
    const service = await testService({ auth });
    const body = 'a: ${broken';
    expect((await service.ask('/v1/config', { body, type: 'application/hocon' })).status).toBe(401);
    expect((await service.ask('/v1/run', { body: '{', type: 'application/json' })).status).toBe(401);
  });

  it('does not protect probes, the documentation and unknown pages', async () => {
    const service = await testService({ auth });
    for (const path of ['/v1/livez', '/v1/readyz', '/swagger', '/swagger/swagger-ui.css', '/openapi.json']) {
      expect({ path, status: (await service.ask(path)).status }).toEqual({ path, status: 200 });
    }
    expect((await service.ask('/nowhere')).status).toBe(404);
  });
});

const passwordHash = lightHash('right');

describe('a correct login from an address that sends wrong passwords', () => {
  it.each([
    ['the shared password', { password: 'right', users: [] }],
    ['the password of a user', { users: [{ name: 'ann', role: 'admin' as const, password: 'right' }] }],
    ['a hashed password', { users: [{ name: 'ann', role: 'admin' as const, passwordHash }] }],
  ])('gets 200 without delay, with %s', async (_, passwords) => {
    const service = await testService({ auth: passwords });
    const flood = new AbortController();
    let guesses = 0;
    const guess = () =>
      fetch(`${service.url}/v1/run`, {
        headers: { authorization: `Basic ${btoa(`ann:guess${guesses++}`)}` },
        signal: flood.signal,
      });
    const statuses = Array.from({ length: 30 }, () => guess().then(({ status }) => status));
    const ended = Promise.allSettled(statuses);
    // The first 429 shows that the address is now throttled.
    expect(await Promise.any(statuses.map(async (status) => ((await status) === 429 ? 429 : Promise.reject())))).toBe(
      429,
    );
    for (let i = 0; i < 5; i++) {
      void guess().catch(() => undefined);
      expect((await service.ask('/v1/run', { auth: 'ann:right' })).status).toBe(200);
    }
    flood.abort();
    await ended;
  });
});

describe('without authentication', () => {
  it('allows everything to everyone, and logs a warning', async () => {
    const service = await testService();
    await service.store();
    expect(service.log.warnings.join()).toContain('The service file has no auth');
    const open = await testService({ auth: 'none' });
    await open.store();
    expect(open.log.warnings.join()).toContain('Authentication is off');
  });
});

async function storeAs(service: Awaited<ReturnType<typeof testService>>, who: string): Promise<string> {
  const answer = await service.ask('/v1/config', { body: 'a: 1', type: 'application/hocon', auth: who });
  return (answer.json as { configId: string }).configId;
}
