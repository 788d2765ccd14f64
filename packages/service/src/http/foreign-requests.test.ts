import { request } from 'node:http';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { sharedService, type TestService, testService, VALID } from '../testing/test-service.test.support.ts';
import { refuseForeignRequests } from './foreign-requests.ts';

interface Given {
  status: number;
  code?: string;
  headers: Record<string, unknown>;
}

/** Sends a request with headers that `fetch` does not allow its callers to set. */
function send(service: TestService, method: string, path: string, headers: Record<string, string>): Promise<Given> {
  return new Promise((resolve, reject) => {
    request(service.url + path, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (data) => {
        text += data;
      });
      response.on('end', () => {
        const { code } = (/^\{"status"/.test(text) ? JSON.parse(text) : {}) as { code?: string };
        resolve({
          status: response.statusCode ?? 0,
          ...(code === undefined ? {} : { code }),
          headers: response.headers,
        });
      });
    })
      .on('error', reject)
      .end();
  });
}

const EVIL = 'http://evil.example';
const FOREIGN: [string, Record<string, string>][] = [
  ['a foreign Origin', { origin: EVIL }],
  ['an Origin on another port', { origin: 'http://localhost:1' }],
  ['the Origin null', { origin: 'null' }],
  ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }],
  ['a Sec-Fetch-Site that is sent twice', { 'sec-fetch-site': 'same-origin, cross-site' }],
];

const portOf = (service: TestService) => new URL(service.url).port;

/** Returns all operations that need no body, and some that need one. */
async function operations(service: TestService, auth?: string): Promise<[string, string][]> {
  const stored = await service.ask('/v1/config', {
    body: VALID,
    type: 'application/hocon',
    ...(auth === undefined ? {} : { auth }),
  });
  const { configId } = stored.json as { configId: string };
  return [
    ['POST', `/v1/config/${configId}/versions/1/restore`],
    ['POST', '/v1/run/x/cancel'],
    ['DELETE', '/v1/run/x'],
    ['POST', '/v1/run/x/retry'],
    ['DELETE', `/v1/config/${configId}`],
    ['POST', '/v1/run'],
    ['POST', '/v1/preview'],
    ['PUT', `/v1/config/${configId}`],
  ];
}

describe('a service without authentication', () => {
  const shared = sharedService();

  it.each(['evil.example', 'evil.example:8080', 'localhost.evil.example', '10.1.2.3', 'a@localhost', 'localhost/x'])(
    'refuses requests with the Host %j, also requests that only read',
    async (host) => {
      const service = shared();
      for (const [method, path] of [
        ['GET', '/v1/config'],
        ['GET', '/v1/run'],
        ['GET', '/metrics'],
        ['OPTIONS', '/v1/config'],
        ...(await operations(service)),
      ] as const) {
        expect(await send(service, method, path, { host })).toMatchObject({ status: 403, code: 'HR_FOREIGN_HOST' });
      }
      expect((await service.ask('/v1/config')).text).toContain('"pipelines"');
    },
  );

  it.each(FOREIGN)('refuses requests with %s, also requests that only read', async (_, headers) => {
    const service = shared();
    for (const [method, path] of [
      ['GET', '/v1/config'],
      ['OPTIONS', '/v1/run'],
      ...(await operations(service)),
    ] as const) {
      expect(await send(service, method, path, headers)).toMatchObject({ status: 403, code: 'HR_FOREIGN_ORIGIN' });
    }
  });

  it('never allows a CORS preflight', async () => {
    const service = shared();
    const preflight = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' };
    for (const origin of [EVIL, service.url]) {
      const { headers } = await send(service, 'OPTIONS', '/v1/config/x', { ...preflight, origin });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  it('answers programs and its pages under all names of this machine', async () => {
    const service = shared();
    const port = portOf(service);
    for (const host of [
      'localhost',
      `localhost:${port}`,
      'LOCALHOST.',
      `127.0.0.1:${port}`,
      '127.0.0.2',
      '[::1]:8080',
    ]) {
      expect({ host, status: (await send(service, 'GET', '/v1/config', { host })).status }).toEqual({
        host,
        status: 200,
      });
    }
    const host = `localhost:${port}`;
    for (const site of ['same-origin', 'none']) {
      expect((await send(service, 'GET', '/v1/run', { host, 'sec-fetch-site': site })).status).toBe(200);
    }
    const own = { host, origin: `http://localhost:${port}`, 'sec-fetch-site': 'same-origin' };
    expect((await send(service, 'POST', '/v1/run/x/cancel', own)).status).toBe(404);
  });

  it('lets links of other websites open only its public pages', async () => {
    const service = shared();
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect((await send(service, 'GET', '/swagger', link)).status).toBe(200);
    expect((await send(service, 'GET', '/swagger', { ...link, 'sec-fetch-dest': 'iframe' })).status).toBe(403);
    expect((await send(service, 'GET', '/v1/config', link)).status).toBe(403);
    expect((await send(service, 'POST', '/swagger', link)).status).toBe(403);
  });

  it.each(['10.1.2.3', '::ffff:10.1.2.3'])(
    'answers under the address that the client connected to: %s',
    async (local) => {
      const app = fastify();
      app.addHook('onRequest', ({ raw }, _reply, done) => {
        Object.defineProperty(raw.socket, 'localAddress', { value: local });
        done();
      });
      refuseForeignRequests(app, { listeners: [{ host: '0.0.0.0', port: 8080 }], allowedHosts: [] }, false);
      app.get('/', () => 'read');
      const status = async (host: string) => (await app.inject({ url: '/', headers: { host } })).statusCode;
      expect(await status('10.1.2.3:8080')).toBe(200);
      expect(await status('10.1.2.4:8080')).toBe(403);
      expect(await status('0.0.0.0:8080')).toBe(403);
    },
  );

  it('answers under the names that its service file lists', async () => {
    const service = await testService({ auth: 'none', allowedHosts: ['ingest.example', 'ingest.example:8443'] });
    for (const host of ['ingest.example', 'ingest.example:9', 'INGEST.example:8080']) {
      expect((await send(service, 'GET', '/v1/config', { host })).status).toBe(200);
    }
    // A proxy may rewrite Host, so the Origin is compared with the list.
    for (const origin of ['https://ingest.example', 'https://ingest.example:8443']) {
      expect((await send(service, 'POST', '/v1/run/x/cancel', { origin })).status).toBe(404);
    }
    expect((await send(service, 'GET', '/v1/config', { origin: 'https://ingest.example:1' })).status).toBe(403);
    expect((await send(service, 'GET', '/v1/config', { host: 'other.example' })).status).toBe(403);
  });
});

describe('a service with authentication', () => {
  const auth = { password: 'secret', users: [] };
  const authorization = `Basic ${btoa('ann:secret')}`;
  const shared = sharedService({ auth });

  it.each(FOREIGN)(
    'refuses requests with %s that change something, with or without credentials',
    async (_, headers) => {
      const service = shared();
      for (const [method, path] of await operations(service, 'ann:secret')) {
        const refused = { status: 403, code: 'HR_FOREIGN_ORIGIN' };
        expect(await send(service, method, path, { ...headers, authorization })).toMatchObject(refused);
        expect(await send(service, method, path, headers)).toMatchObject(refused);
      }
    },
  );

  it('answers programs and its pages, also behind a proxy that rewrites Host', async () => {
    const service = shared();
    const cancel = (headers: Record<string, string>) =>
      send(service, 'POST', '/v1/run/x/cancel', { authorization, ...headers });
    expect((await cancel({})).status).toBe(404);
    expect((await cancel({ host: 'ingest.example' })).status).toBe(404);
    expect((await cancel({ host: 'ingest.example', origin: 'https://ingest.example' })).status).toBe(404);
    expect((await cancel({ origin: 'https://ingest.example', 'sec-fetch-site': 'same-origin' })).status).toBe(404);
    expect((await send(service, 'GET', '/v1/run', { authorization, origin: EVIL })).status).toBe(200);
  });
});
