import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { inGroupsOf, type StubHandler } from '@headrace/testing/stub-server';
import { describe, expect, it } from 'vitest';
import { failure, open, QUICK, serve } from './http-client.test.lib.ts';
import { HttpClient, requireStreamSuccess, requireSuccess } from './http-client.ts';
import { DEFAULT_RETRY, NO_RETRY } from './retry.ts';

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
