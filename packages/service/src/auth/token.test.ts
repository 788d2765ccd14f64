import { describe, expect, it } from 'vitest';
import { testService } from '../testing/test-service.test.support.ts';
import { Authenticator } from './authenticator.ts';
import { delaySeconds, FailureDelay } from './failure-delay.ts';
import { newToken, parseTokenHash, tokenDigest } from './token.ts';

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** Creates a token with a role, and the token settings of a service that accepts it. */
function made(role: 'reader' | 'operator' | 'admin', expires?: number) {
  const { token, tokenHash } = newToken();
  const sha256 = parseTokenHash(tokenHash) as string;
  return { token, settings: { name: `${role}-token`, role, sha256, ...(expires === undefined ? {} : { expires }) } };
}

describe('API tokens', () => {
  it('are long, random and stored only as a hash', () => {
    const { token, tokenHash } = newToken();
    expect(token).toMatch(/^hrt_[\w-]{43}$/);
    expect(tokenHash).toBe(`sha256:${tokenDigest(token)}`);
    expect(newToken().token).not.toBe(token);
    expect(parseTokenHash(token)).toBeUndefined();
  });

  it('allow a program exactly what the role of the token allows', async () => {
    const reader = made('reader');
    const admin = made('admin');
    const service = await testService({ auth: { users: [], tokens: [reader.settings, admin.settings] } });
    const config = { body: 'a: 1', type: 'application/hocon' };
    expect((await service.ask('/v1/config', bearer(reader.token))).status).toBe(200);
    const refused = await service.ask('/v1/config', { ...config, ...bearer(reader.token) });
    expect(refused.json).toMatchObject({
      status: 403,
      message: 'reader-token has the role reader; this needs the role admin',
    });
    expect((await service.ask('/v1/config', { ...config, ...bearer(admin.token) })).status).toBe(200);
  });

  it('are refused if they are wrong, truncated, expired, or the hash of a token', async () => {
    const good = made('reader');
    const old = made('admin', Date.now() - 1000);
    const service = await testService({ auth: { users: [], tokens: [good.settings, old.settings] } });
    for (const token of ['x', good.token.slice(0, -1), `${good.token}x`, good.settings.sha256]) {
      const answer = await service.ask('/v1/config', bearer(token));
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm=.*, Bearer realm="headrace"$/);
    }
    expect(service.log.warnings.filter((line) => line.includes('token'))).toEqual([
      expect.stringMatching(/^The token admin-token expired at .*: it no longer works$/),
    ]);
    expect((await service.ask('/v1/config', bearer(old.token))).json).toMatchObject({
      status: 401,
      message: expect.stringMatching(/^The token admin-token expired at \d{4}-/),
    });
    // The first service delays the answer to the next failure.
    const fresh = await testService({ auth: { users: [], tokens: [good.settings] } });
    expect((await fresh.ask('/v1/config', { auth: 'anybody:' })).status).toBe(401);
  });

  it('are delayed more and more if they are wrong, but never if they are correct, even at the same address', async () => {
    const { token, settings } = made('reader');
    const slept: number[] = [];
    const clock = { now: () => 0, sleep: async (seconds: number) => void slept.push(seconds) };
    const authenticator = new Authenticator({ users: [], tokens: [settings] }, new FailureDelay(clock));
    for (let i = 0; i < 8; i++)
      expect(await authenticator.authenticate(`Bearer wrong${i}`, '10.0.0.1')).toBeUndefined();
    const waited = [...slept];
    expect(waited[0]).toBe(delaySeconds(5));
    expect(waited.at(-1)).toBeGreaterThan(waited[0] as number);
    expect(await authenticator.authenticate(`bearer ${token}`, '10.0.0.1')).toEqual({
      name: 'reader-token',
      role: 'reader',
    });
    expect(slept).toEqual(waited);
  });
});
