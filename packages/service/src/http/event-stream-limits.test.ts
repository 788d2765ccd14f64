import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultSettings } from '../settings/service-settings.ts';
import { type TestService, testService, VALID } from '../testing/test-service.test.support.ts';

describe('open event streams', () => {
  const users = [
    { name: 'ann', password: 'a', role: 'admin' as const },
    { name: 'bob', password: 'b', role: 'reader' as const },
  ];
  const basic = (credentials: string) => ({ authorization: `Basic ${btoa(credentials)}` });

  /** Opens an event stream of the run. Returns its status, and a function that closes it. */
  async function open({ url }: TestService, runId: string, auth?: string) {
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const headers = auth === undefined ? {} : basic(auth);
    const response = await fetch(`${url}/v1/run/${runId}/events`, { headers, signal: abort.signal });
    // The garbage collector closes the stream of a response that nothing refers to.
    onTestFinished(() => void response.body?.cancel().catch(() => undefined));
    return { status: response.status, close: () => abort.abort() };
  }

  it('are limited per user: one more gets 429 with the setting, and other requests are answered', async () => {
    const service = await testService({
      auth: { users },
      limits: { ...defaultSettings().limits, maxStreamsPerUser: 2 },
    });
    const stored = await service.ask('/v1/config', { body: VALID, type: 'application/hocon', auth: 'ann:a' });
    const run = await service.ask('/v1/run', { body: stored.json, auth: 'ann:a' });
    const { runId } = run.json as { runId: string };
    const first = await open(service, runId, 'ann:a');
    expect([first.status, (await open(service, runId, 'ann:a')).status]).toEqual([200, 200]);
    const refused = await service.ask(`/v1/run/${runId}/events`, { auth: 'ann:a' });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(refused.json).toMatchObject({
      status: 429,
      code: 'HR_TOO_MANY_STREAMS',
      hint: expect.stringContaining('limits.maxStreamsPerUser'),
    });
    expect((await open(service, runId, 'bob:b')).status).toBe(200);
    expect((await service.ask('/v1/livez')).status).toBe(200);
    first.close();
    await expect.poll(async () => (await open(service, runId, 'ann:a')).status).toBe(200);
  });

  it.each([
    ['without users', {}, [undefined, undefined]],
    ['with a shared password', { auth: { password: 's', users: [] } }, ['ann:s', 'bob:s']],
  ] as const)('are limited for all clients together %s', async (_, settings, [one, other]) => {
    const service = await testService({ ...settings, limits: { ...defaultSettings().limits, maxStreamsPerUser: 1 } });
    const auth = one === undefined ? {} : { auth: one };
    const stored = await service.ask('/v1/config', { body: VALID, type: 'application/hocon', ...auth });
    const run = await service.ask('/v1/run', { body: stored.json, ...auth });
    const { runId } = run.json as { runId: string };
    expect((await open(service, runId, one)).status).toBe(200);
    expect((await open(service, runId, other)).status).toBe(429);
  });
});
