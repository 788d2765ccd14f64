import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasOpenssl, makeCertificates } from '@headrace/testing/certificates';
import { inGroupsOf, StubServer } from '@headrace/testing/stub-server';
import { describe, expect, it, vi } from 'vitest';
import { closeAtEnd, failure, open, serve } from './http-client.test.lib.ts';
import { HttpClient } from './http-client.ts';
import { NO_RETRY } from './retry.ts';

describe('an HTTP proxy of the environment', () => {
  it('a proxy serves http requests with its own credentials, as many concurrently as without a proxy', async () => {
    const proxy = await serve(inGroupsOf(5, (_, response) => void response.end('from the proxy')));
    vi.stubEnv('http_proxy', proxy.url.replace('//', '//me:pw@'));
    vi.stubEnv('no_proxy', 'other.example');
    const client = await open({ connections: 5, retry: NO_RETRY });
    const url = 'http://u:p@somewhere.example:8080/path?q';
    const [response] = await Promise.all(Array.from({ length: 10 }, () => client.request({ url })));
    expect(response?.body.toString()).toBe('from the proxy');
    expect(proxy.mostAtOnce).toBe(5);
    expect(proxy.requests[0]).toMatchObject({
      path: 'http://somewhere.example:8080/path?q',
      headers: {
        host: 'somewhere.example:8080',
        authorization: `Basic ${Buffer.from('u:p').toString('base64')}`,
        'proxy-authorization': `Basic ${Buffer.from('me:pw').toString('base64')}`,
      },
    });
  });

  it('a proxy is named in the error if it does not answer or refuses a tunnel', async () => {
    const proxy = await serve(() => undefined);
    let status = 502;
    proxy.onConnect((_, socket) => void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
    const asked = async (url: string) => failure((await open({ retry: NO_RETRY })).request({ url }));
    vi.stubEnv('no_proxy', '');
    vi.stubEnv('http_proxy', 'http://me:pw@127.0.0.1:1');
    vi.stubEnv('https_proxy', undefined);
    vi.stubEnv('HTTPS_PROXY', 'http://me:pw@127.0.0.1:1');
    const silent = 'no connection through the proxy 127.0.0.1:1, which';
    const plain = await asked('http://a.example/');
    expect(plain.message).toBe(`GET http://a.example/ failed: ${silent} http_proxy names: connection refused`);
    const tunnel = await asked('https://a.example/');
    expect(tunnel.message).toBe(`GET https://a.example/ failed: ${silent} HTTPS_PROXY names: connection refused`);
    vi.stubEnv('HTTPS_PROXY', proxy.url);
    const busy = await asked('https://a.example/');
    expect(busy.message).toContain(`the proxy 127.0.0.1:${proxy.port}, which HTTPS_PROXY names: it answered 502`);
    expect(busy.isConnectionFailure).toBe(true);
    status = 403;
    expect(await asked('https://a.example/')).toMatchObject({ failure: 'forbidden', isConnectionFailure: false });
  });

  it('a proxy variable that is not a URL is reported', async () => {
    vi.stubEnv('http_proxy', 'socks5://localhost:1');
    expect((await failure((await open()).request({ url: 'http://a.example' }))).message).toContain('HTTP_PROXY');
  });
});

describe.skipIf(!hasOpenssl())('TLS (needs the command openssl)', () => {
  it('supports private certificate authorities, client certificates and disabled checks', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headrace-tls-'));
    try {
      const file = (name: string) => join(folder, name);
      makeCertificates(folder);
      const stub = await StubServer.start((_, response) => void response.end('safe'), {
        key: readFileSync(file('server.key')),
        cert: readFileSync(file('server.pem')),
        ca: readFileSync(file('ca.pem')),
        requestCert: true,
        rejectUnauthorized: false,
      });
      closeAtEnd(stub);
      const stranger = await open();
      const distrusted = await failure(stranger.request({ url: stub.url }));
      expect(distrusted.failure).toBe('certificate');
      expect(distrusted.message).toContain('certificate of the server is not trusted');
      expect(await (await open({ tls: { caFile: file('ca.pem') } })).request({ url: stub.url })).toMatchObject({
        status: 200,
      });
      const careless = await open({ tls: { acceptInvalidCertificates: true } });
      expect(await careless.request({ url: stub.url })).toMatchObject({ status: 200 });

      const strict = await StubServer.start((_, response) => void response.end('known'), {
        key: readFileSync(file('server.key')),
        cert: readFileSync(file('server.pem')),
        ca: readFileSync(file('ca.pem')),
        requestCert: true,
        rejectUnauthorized: true,
      });
      closeAtEnd(strict);
      const known = await open({
        tls: { caFile: file('ca.pem'), certificateFile: file('client.pem'), keyFile: file('client.key') },
      });
      expect((await known.request({ url: strict.url })).body.toString()).toBe('known');
      await failure((await open({ tls: { caFile: file('ca.pem') }, retry: NO_RETRY })).request({ url: strict.url }));

      const proxy = await serve(() => undefined);
      const asked: string[] = [];
      proxy.onConnect((request, socket, head) => {
        asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
        const target = connectSocket(strict.port, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          target.write(head);
          target.pipe(socket).pipe(target);
        });
        for (const side of [target, socket]) side.on('error', () => target.destroy());
      });
      vi.stubEnv('https_proxy', proxy.url.replace('//', '//me:pw@'));
      vi.stubEnv('no_proxy', '');
      expect((await known.request({ url: strict.url })).body.toString()).toBe('known');
      const authorization = `Basic ${Buffer.from('me:pw').toString('base64')}`;
      expect(asked).toEqual([`127.0.0.1:${strict.port} ${authorization}`]);
      await expect(HttpClient.open({ tls: { caFile: file('none.pem') } })).rejects.toThrow(/none\.pem, cannot be read/);
      await expect(HttpClient.open({ tls: { caFile: file('server.key') } })).rejects.toThrow(
        /authorities, .*server\.key, contains no certificate in PEM form/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
