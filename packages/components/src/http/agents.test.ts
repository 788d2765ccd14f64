import { get } from 'node:http';
import { DEFAULT_POLICY, enforcePolicy } from '@headrace/engine';
import { StubServer } from '@headrace/testing/stub-server';
import { afterEach, expect, it, vi } from 'vitest';
import { openAgents } from './agents.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  enforcePolicy(undefined);
});

/** The rules of NO_PROXY are the common ones, which the agents of Node do not follow. */
it.each([
  ['http://b.a.invalid/', 'a.invalid', false],
  ['http://a.invalid/', 'x a.invalid', false],
  ['http://a.invalid/', 'a.invalid:80', false],
  ['http://a.invalid/', 'a.invalid:81', true],
  ['http://b.a.invalid/', 'a.invalid:80', true],
  ['http://aa.invalid/', 'a.invalid', true],
  ['http://a.invalid/', '', true],
])(
  '%s with the exceptions "%s" uses the proxy (%s), but only if the policy allows the host',
  async (url, noProxy, proxied) => {
    const proxy = await StubServer.start((_, response) => void response.end());
    vi.stubEnv('http_proxy', `127.0.0.1:${proxy.port}`);
    vi.stubEnv('no_proxy', noProxy);
    const agents = await openAgents({});
    const asked = () =>
      new Promise<string>((resolve, reject) => {
        try {
          get(url, { agent: agents.http }, (response) => resolve(String(response.resume().statusCode))).on(
            'error',
            (error: Error & { code?: string }) => resolve(String(error.code)),
          );
        } catch (error) {
          reject(error);
        }
      });
    try {
      // No host name ends in .invalid, so the lookup fails without a proxy.
      expect(await asked()).toMatch(proxied ? /^200$/ : /^(ENOTFOUND|EAI_AGAIN)$/);
      expect(proxy.requests.map(({ path }) => path)).toEqual(proxied ? [url] : []);
      enforcePolicy({ ...DEFAULT_POLICY, hosts: { allow: undefined, deny: ['*.invalid', 'a.invalid'] } });
      agents.http.destroy();
      const refused = await asked().catch((error: Error & { code?: string }) => error.code);
      if (proxied) expect(refused).toBe('HR_POLICY_REFUSED');
      expect(proxy.requests).toHaveLength(proxied ? 1 : 0);
    } finally {
      agents.destroy();
      await proxy.close();
    }
  },
);
