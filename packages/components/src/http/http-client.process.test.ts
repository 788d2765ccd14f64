import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { isTransient } from '@headrace/engine';
import { hasOpenssl, makeCertificates } from '@headrace/testing/certificates';
import { inGroupsOf, type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HttpClient, type HttpClientOptions, requireStreamSuccess, requireSuccess } from './http-client.ts';
import { HttpError } from './http-error.ts';
import { DEFAULT_RETRY, NO_RETRY } from './retry.ts';

const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const one of closing.splice(0)) await one.close();
});

async function serve(handler: StubHandler): Promise<StubServer> {
  const stub = await StubServer.start(handler);
  closing.unshift(stub);
  return stub;
}

async function open(options: HttpClientOptions = {}): Promise<HttpClient> {
  const client = await HttpClient.open(options);
  closing.unshift(client);
  return client;
}

const QUICK = { retries: 3, initialDelay: 1, maxDelay: 5, statuses: isTransient };

async function failure(request: Promise<unknown>): Promise<HttpError> {
  const error = await request.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(HttpError);
  return error as HttpError;
}

describe('an HTTP request', () => {
  it('sends its method, headers and body, and returns the response of any status', async () => {
    const stub = await serve((_, response) => void response.writeHead(404, { 'x-a': 'b' }).end('no such thing'));
    const client = await open({ headers: { 'X-Client': 'c', 'User-Agent': 'test' } });
    const response = await client.request({
      method: 'POST',
      url: `${stub.url}/a%20b?q=1`,
      headers: { 'X-Request': 'r' },
      body: 'text ü',
    });
    expect(response).toMatchObject({ status: 404, cut: false, headers: { 'x-a': 'b' } });
    expect(response.body.toString()).toBe('no such thing');
    expect(stub.requests).toMatchObject([
      {
        method: 'POST',
        path: '/a%20b?q=1',
        body: 'text ü',
        headers: { 'x-client': 'c', 'x-request': 'r', 'user-agent': 'test' },
      },
    ]);
    expect(() => requireSuccess(response)).toThrow(/^POST .*\/a%20b\?q=1 answered 404 Not Found: no such thing$/);
  });

  it('reuses connections, and opens at most the configured number', async () => {
    const stub = await serve(inGroupsOf(3, (_, response) => void response.end('x')));
    const client = await open({ connections: 3 });
    for (let round = 0; round < 2; round++) {
      await Promise.all(Array.from({ length: 21 }, () => client.request({ url: stub.url })));
    }
    expect(stub.requests).toHaveLength(42);
    expect(stub.mostAtOnce).toBe(3);
    expect(stub.connections).toBe(3);
  });

  it('sends the decoded user and password of the URL, unless a header replaces them', async () => {
    const stub = await serve((_, response) => void response.end());
    const client = await open();
    const url = stub.url.replace('//', '//us%3Aer:p%40ss%@');
    await client.request({ url });
    await client.request({ url, headers: { Authorization: 'ApiKey k' } });
    expect(stub.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${Buffer.from('us:er:p@ss%').toString('base64')}`,
      'ApiKey k',
    ]);
  });

  it('can send its body compressed', async () => {
    const bodies: string[] = [];
    const stub = await serve((request, response) => {
      bodies.push(`${request.headers['content-encoding']}`);
      response.end();
    });
    await (await open()).request({ method: 'POST', url: stub.url, body: 'a'.repeat(1000), gzip: true });
    expect(bodies).toEqual(['gzip']);
    expect(Number(stub.requests[0]?.headers['content-length'])).toBeLessThan(100);
  });

  it('reads compressed responses', async () => {
    const text = 'something longer '.repeat(100);
    const encoded: Record<string, Buffer> = {
      gzip: gzipSync(text),
      deflate: deflateSync(text),
      br: brotliCompressSync(text),
      'deflate, gzip': gzipSync(deflateSync(text)),
      identity: Buffer.from(text),
    };
    const stub = await serve(({ path }, response) => {
      const encoding = decodeURIComponent(path.slice(1));
      response.writeHead(200, { 'content-encoding': encoding }).end(encoded[encoding]);
    });
    const client = await open();
    for (const encoding of Object.keys(encoded)) {
      const { body } = await client.request({ url: `${stub.url}/${encodeURIComponent(encoding)}` });
      expect(body.toString(), encoding).toBe(text);
    }
    expect(stub.requests[0]?.headers['accept-encoding']).toBe('gzip, deflate, br');
    const plain = await open({ acceptCompressed: false });
    await plain.request({ url: `${stub.url}/identity` });
    expect(stub.requests.at(-1)?.headers['accept-encoding']).toBeUndefined();
  });

  it('reads no body of responses without a body', async () => {
    const stub = await serve((_, response) => void response.writeHead(204, { 'content-encoding': 'gzip' }).end());
    const client = await open();
    expect((await client.request({ url: stub.url })).body).toHaveLength(0);
    expect((await client.request({ method: 'HEAD', url: stub.url })).body).toHaveLength(0);
  });
});

describe('an HTTP response above the size limit', () => {
  const long: StubHandler = (_, response) => void response.end('0123456789'.repeat(100_000));

  it('a response that is too long fails the request by default', async () => {
    const stub = await serve(long);
    const client = await open({ maxBodyBytes: 1000 });
    const error = await failure(client.request({ url: stub.url }));
    expect(error).toMatchObject({ failure: 'size', isConnectionFailure: false });
    expect(error.message).toContain('longer than 1000 bytes');
    expect(stub.requests).toHaveLength(1);
  });

  it('a response that is too long is cut off if the request allows that, compressed or not', async () => {
    const stub = await serve(long);
    const client = await open();
    const cut = { maxBodyBytes: 14, oversize: 'cut' } as const;
    const response = await client.request({ url: stub.url, ...cut });
    expect(response).toMatchObject({ cut: true, status: 200 });
    expect(response.body.toString()).toBe('01234567890123');
    stub.handle((_, answer) => {
      answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000, 'x')));
    });
    expect((await client.request({ url: stub.url, ...cut })).body.toString()).toBe('xxxxxxxxxxxxxx');
    stub.handle((_, answer) => void answer.end('01234567890123'));
    expect(await client.request({ url: stub.url, ...cut })).toMatchObject({ cut: false });
  });
});

describe('a temporary HTTP failure', () => {
  it('a request is retried after temporary statuses and lost connections', async () => {
    let count = 0;
    const stub = await serve((_, response) => {
      count++;
      if (count === 1) response.writeHead(503).end('later');
      else if (count === 2) response.destroy();
      else if (count === 3) response.writeHead(200, { 'content-length': '10' }).write('half', () => response.destroy());
      else response.end('done');
    });
    const response = await (await open()).request({ method: 'POST', url: stub.url, body: 'b', retry: QUICK });
    expect(response.body.toString()).toBe('done');
    expect(stub.requests.map(({ body }) => body)).toEqual(['b', 'b', 'b', 'b']);
  });

  it('a request ends after the last attempt with the response or the error', async () => {
    const stub = await serve((_, response) => void response.writeHead(429).end('slow down'));
    const client = await open({ retry: QUICK });
    expect(await client.request({ url: stub.url })).toMatchObject({ status: 429 });
    expect(stub.requests).toHaveLength(4);
    const fresh = await open({ retry: QUICK });
    stub.handle((_, response) => void response.destroy());
    expect(await failure(fresh.request({ url: stub.url }))).toMatchObject({ failure: 'closed' });
    expect(stub.requests).toHaveLength(8);
  });

  it('a request is not retried with NO_RETRY, nor for other statuses', async () => {
    const stub = await serve((_, response) => void response.writeHead(503).end());
    const client = await open({ retry: QUICK });
    await client.request({ url: stub.url, retry: NO_RETRY });
    stub.handle((_, response) => void response.writeHead(400).end());
    await client.request({ url: stub.url });
    expect(stub.requests).toHaveLength(2);
  });

  it('a request is retried at the next server if there are several', async () => {
    const dead = await serve((_, response) => void response.writeHead(502).end());
    const alive = await serve((_, response) => void response.end('alive'));
    const client = await open({ retry: QUICK });
    const response = await client.request({ url: [dead.url, alive.url] });
    expect(response).toMatchObject({ status: 200, url: alive.url });
    expect([dead.requests.length, alive.requests.length]).toEqual([1, 1]);
  });

  it('a request on a closed keep-alive connection does not count as an attempt', async () => {
    let count = 0;
    const stub = await serve((_, response) => {
      if (++count === 2) response.destroy();
      else response.end(`${count}`);
    });
    const client = await open({ connections: 1, retry: NO_RETRY });
    await client.request({ url: stub.url });
    expect((await client.request({ url: stub.url })).body.toString()).toBe('3');
    count = 0;
    await client.request({ url: stub.url });
    const post = client.request({ method: 'POST', url: stub.url, body: 'twice would be wrong' });
    expect(await failure(post)).toMatchObject({ failure: 'closed' });
  });
});

describe('an HTTP error', () => {
  it('names the URL without its secrets, and the reason', async () => {
    const client = await open({ retry: NO_RETRY });
    const stub = await serve(() => undefined);
    const { port } = stub;
    await stub.close();
    closing.splice(closing.indexOf(stub), 1);
    const refused = await failure(client.request({ url: `http://user:secret@127.0.0.1:${port}/p?api_key=abc&q=1` }));
    expect(refused.failure).toBe('refused');
    expect(refused.message).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/p\?api_key=\S+&q=1 failed: connection refused$/);
    expect(refused.message).not.toMatch(/secret|abc/);
    expect(await failure(client.request({ url: 'http://no-such-host.invalid/' }))).toMatchObject({
      failure: 'unknown-host',
    });
    expect((await failure(client.request({ url: 'nonsense' }))).message).toBe('nonsense is not a URL');
    expect((await failure(client.request({ url: 'ftp://host/' }))).message).toContain('not an http or https URL');
  });

  it('explains that a server does not use TLS', async () => {
    const stub = await serve((_, response) => void response.end('plain'));
    const error = await failure((await open({ retry: NO_RETRY })).request({ url: `https://127.0.0.1:${stub.port}/` }));
    expect(error.failure).toBe('protocol');
    expect(error.message).toMatch(/failed: the server does not use TLS here: its URL probably begins with http:\/\/$/);
  });

  it('contains the title of an HTML page instead of the page', async () => {
    const page =
      '<!DOCTYPE html>\n<html><head>\n<title>502 Bad\nGateway </title></head><body><h1>Oh</h1></body></html>';
    const stub = await serve((_, response) => void response.writeHead(502).end(page));
    const response = await (await open({ retry: NO_RETRY })).request({ url: stub.url });
    expect(() => requireSuccess(response)).toThrow(/ answered 502 Bad Gateway: 502 Bad Gateway$/);
  });

  it('reports time-outs', async () => {
    const stub = await serve(() => undefined);
    const client = await open({ answerTimeout: 50, idleTimeout: 50, retry: NO_RETRY });
    expect((await failure(client.request({ url: stub.url }))).message).toContain('no answer within 0.05 s');
    stub.handle((_, response) => void response.writeHead(200).write('begin'));
    expect((await failure(client.request({ url: stub.url }))).message).toContain('no data was received for 0.05 s');
  });

  it('reports responses that do not match their headers', async () => {
    const stub = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip at all');
    });
    const client = await open({ retry: NO_RETRY });
    expect(await failure(client.request({ url: stub.url }))).toMatchObject({ failure: 'protocol' });
    stub.handle((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1000)).subarray(0, 20));
    });
    expect(await failure(client.request({ url: stub.url }))).toMatchObject({ failure: 'protocol' });
    stub.handle((_, response) => void response.socket?.end('no http\r\n\r\n'));
    expect(await failure(client.request({ url: stub.url }))).toMatchObject({ failure: 'protocol' });
  });

  it('contains the start of a long response', async () => {
    const stub = await serve((_, response) => void response.writeHead(500).end(`why\n  not ${'x'.repeat(10_000)}`));
    const response = await (await open()).request({ url: stub.url });
    expect(() => requireSuccess(response)).toThrow(/answered 500 Internal Server Error: why not x{492}…$/);
  });
});

describe('cancelling HTTP requests', () => {
  it('ends a request and its waits when the signal of the caller aborts', async () => {
    const stub = await serve(() => undefined);
    const client = await open();
    const given = new AbortController();
    const pending = failure(client.request({ url: stub.url, signal: given.signal }));
    setTimeout(() => given.abort(), 20);
    expect(await pending).toMatchObject({ failure: 'aborted' });
    stub.handle((_, response) => void response.writeHead(503).end());
    const patient = { ...DEFAULT_RETRY, initialDelay: 60_000, maxDelay: 60_000 };
    const signal = AbortSignal.timeout(50);
    expect(await failure(client.request({ url: stub.url, retry: patient, signal }))).toMatchObject({
      failure: 'aborted',
    });
  });

  it('ends all requests when the client closes', async () => {
    const stub = await serve(() => undefined);
    const client = await HttpClient.open();
    const pending = failure(client.request({ url: stub.url }));
    while (stub.requests.length === 0) await sleep(5);
    await client.close();
    expect(await pending).toMatchObject({ failure: 'aborted' });
  });
});

describe('an HTTP stream', () => {
  it('returns the response while it arrives', async () => {
    const stub = await serve(async (_, response) => {
      for (const piece of ['a', 'b', 'c']) {
        response.write(piece);
        await sleep(5);
      }
      response.end();
    });
    const { status, body } = await (await open()).stream({ url: stub.url });
    expect(status).toBe(200);
    let text = '';
    for await (const chunk of body) text += chunk;
    expect(text).toBe('abc');
  });

  it('reports the request if the connection breaks or the status is an error', async () => {
    const stub = await serve((_, response) => void response.write('half', () => response.destroy()));
    const client = await open({ retry: NO_RETRY });
    const { body } = await client.stream({ url: stub.url });
    expect(await failure(body.toArray())).toMatchObject({ failure: 'closed', url: `${stub.url}/` });
    stub.handle((_, response) => void response.writeHead(404).end('no such model'));
    const refused = await failure(client.stream({ url: stub.url }).then(requireStreamSuccess));
    expect(refused.message).toMatch(/answered 404 Not Found: no such model$/);
  });

  it('a destroyed stream releases its connection', async () => {
    const stub = await serve((_, response) => void response.write('endless'));
    const client = await open({ connections: 1, retry: NO_RETRY });
    (await client.stream({ url: stub.url })).body.destroy();
    expect(await client.stream({ url: stub.url })).toMatchObject({ status: 200 });
  });

  it('a stream is retried until the response begins', async () => {
    let count = 0;
    const stub = await serve((_, response) => {
      if (++count < 3) response.writeHead(503).end('x'.repeat(100_000));
      else response.end('now');
    });
    const { body } = await (await open({ retry: QUICK })).stream({ url: stub.url });
    expect(Buffer.concat(await body.toArray()).toString()).toBe('now');
  });
});

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
      closing.unshift(stub);
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
      closing.unshift(strict);
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
