import { gzipSync } from 'node:zlib';
import { StubServer } from '@headrace/testing/stub-server';
import { describe, expect, it } from 'vitest';
import { failure, open, QUICK, serve } from './http-client.test.lib.ts';
import { requireSuccess } from './http-client.ts';
import { NO_RETRY } from './retry.ts';

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
    const stub = await StubServer.start(() => undefined);
    const { port } = stub;
    await stub.close();
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
    const hasty = await open({ answerTimeout: 50, retry: NO_RETRY });
    expect((await failure(hasty.request({ url: stub.url }))).message).toContain('no answer within 0.05 s');
    stub.handle((_, response) => void response.writeHead(200).write('begin'));
    const restless = await open({ idleTimeout: 50, retry: NO_RETRY });
    expect((await failure(restless.request({ url: stub.url }))).message).toContain('no data was received for 0.05 s');
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
