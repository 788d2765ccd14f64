import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { withDefaults } from '@headrace/engine';
import { assertStageContract, makeStage, runStage, toDocument } from '@headrace/engine/testing';
import { closedPort } from '@headrace/testing/closed-port';
import { inGroupsOf, type StubHandler, StubServer } from '@headrace/testing/stub-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { FetchUri } from './fetch-uri.ts';

const hello: StubHandler = (_, response) => void response.end('hello');
let stub: StubServer;

beforeAll(async () => {
  stub = await StubServer.start(hello);
});

beforeEach(() => {
  stub.handle(hello);
  stub.requests.length = 0;
});

afterAll(() => stub.close());

/** Fetches the URL of one document. Returns the fields of the document without the id and the URL. */
async function fetched(url: unknown, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const [outcome] = await runStage(FetchUri, { source: 'url', dest: 'body', ...params }, [{ id: '1', url }]);
  expect(outcome?.error).toBeUndefined();
  const { id, url: _, ...rest } = JSON.parse(outcome?.documents[0] as string) as Record<string, unknown>;
  return rest;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

describe('FetchUri', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(FetchUri, {
      params: { source: 'url', dest: 'body' },
      document: { id: '1', url: `${stub.url}/a` },
    });
  });

  it('writes content, status and size to the document', async () => {
    expect(await fetched(`${stub.url}/a`)).toEqual({ body: base64('hello'), url_status_code: 200, url_size: 5 });
    const names = { statusSuffix: 's', sizeSuffix: 'n' };
    expect(await fetched([`${stub.url}/a`, 'ignored'], names)).toEqual({ body: base64('hello'), url_s: 200, url_n: 5 });
  });

  it('accepts every status and empty content', async () => {
    stub.handle((_, response) => void response.writeHead(404).end('gone'));
    expect(await fetched(stub.url)).toEqual({ body: base64('gone'), url_status_code: 404, url_size: 4 });
    stub.handle((_, response) => void response.writeHead(204).end());
    expect(await fetched(stub.url)).toEqual({ body: '', url_status_code: 204, url_size: 0 });
    stub.handle((_, response) => void response.end());
    expect(await fetched(stub.url)).toEqual({ body: '', url_status_code: 200, url_size: 0 });
  });

  it.each([[null], [''], [[]]])('does not change a document with the URL %j', async (url) => {
    expect(await fetched(url)).toEqual({});
    expect(stub.requests).toEqual([]);
  });

  it('cuts the decompressed content at maxSize, without a limit if it is negative', async () => {
    stub.handle((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('0123456789abcde'));
    });
    expect(await fetched(stub.url, { maxSize: 14 })).toMatchObject({ body: base64('0123456789abcd'), url_size: 14 });
    expect(await fetched(stub.url, { maxSize: 15 })).toMatchObject({ body: base64('0123456789abcde'), url_size: 15 });
    expect(await fetched(stub.url, { maxSize: -1 })).toMatchObject({ url_size: 15 });
    expect(await fetched(stub.url, { maxSize: 0 })).toMatchObject({ body: '', url_size: 0 });
  });

  it('sends the configured headers and encodes letters of other scripts', async () => {
    const headers = { 'User-Agent': 'mine', 'X-Number': 5, 'accept-encoding': 'identity' };
    await fetched(`  ${stub.url}/größe?q=ü `, { headers });
    expect(stub.requests[0]).toMatchObject({
      path: '/gr%C3%B6%C3%9Fe?q=%C3%BC',
      headers: { 'user-agent': 'mine', 'x-number': '5', 'accept-encoding': 'identity' },
    });
  });

  it('follows redirects except in circles, and stores no cookies', async () => {
    stub.handle(({ path }, response) => {
      if (path === '/end') response.end('end');
      else response.writeHead(302, { location: path === '/loop' ? '/loop' : '/end', 'set-cookie': 'a=b' }).end();
    });
    expect(await fetched(`${stub.url}/a`)).toMatchObject({ body: base64('end'), url_status_code: 200 });
    expect(stub.requests.some(({ headers }) => 'cookie' in headers)).toBe(false);
    const why = `GET ${stub.url}/loop failed: its redirects lead back to ${stub.url}/loop`;
    const error = { url_error: `org.apache.http.client.ClientProtocolException null: ${why}` };
    expect(await fetched(`${stub.url}/loop`)).toEqual(error);
  });

  describe('without an answer', () => {
    it('writes the reason to the document, which continues', async () => {
      expect(await fetched('nope')).toEqual({ url_error: 'java.net.MalformedURLException no protocol: nope' });
      expect(await fetched('nope', { errorSuffix: 'bad' })).toHaveProperty('url_bad');
      // Without a name server, the look-up fails temporarily. With a name server, it fails permanently.
      expect((await fetched('http://no-such-host.invalid/')).url_error).toMatch(
        /^java\.net\.UnknownHostException no-such-host\.invalid: (Name or service not known|Temporary failure in name resolution)$/,
      );
      const port = await closedPort();
      expect(await fetched(`http://127.0.0.1:${port}/`)).toEqual({
        url_error: `org.apache.http.conn.HttpHostConnectException Connect to 127.0.0.1:${port} [/127.0.0.1] failed: Connection refused`,
      });
      expect((await fetched(`http://localhost:${port}/`)).url_error).toMatch(
        /Connect to localhost:\d+ \[localhost\/127\.0\.0\.1.*\] failed: Connection refused$/,
      );
      expect((await fetched('http://127.0.0.1:99999/')).url_error).toMatch(/^java\.net\.MalformedURLException /);
    });

    it('reports a silent server and a closed connection', async () => {
      stub.handle(() => undefined);
      expect(await fetched(stub.url, { socketTimeout: 50 })).toEqual({
        url_error: 'java.net.SocketTimeoutException Read timed out',
      });
      stub.handle((_, response) => void response.destroy());
      expect(await fetched(stub.url)).toEqual({
        url_error: `org.apache.http.NoHttpResponseException 127.0.0.1:${stub.port} failed to respond`,
      });
    });
  });

  describe('with retries', () => {
    const quick = { initialExpiryMs: 1, maxExpiryMs: 2 };

    it('repeats requests after listed statuses and lost connections', async () => {
      let count = 0;
      stub.handle((_, response) => {
        count++;
        if (count === 1) response.writeHead(429).end();
        else if (count === 2) response.writeHead(503).end();
        else if (count === 3) response.destroy();
        else response.end('at last');
      });
      const params = { ...quick, maxRetries: 3, statusCodeRetryList: ['429', '5XX'] };
      expect(await fetched(stub.url, params)).toMatchObject({ body: base64('at last') });
      expect(count).toBe(4);
    });

    it('fails if a listed status remains, and accepts other statuses', async () => {
      stub.handle((_, response) => void response.writeHead(503).end('down'));
      const error = { url_error: `java.io.IOException Retry request to '${stub.url}'` };
      expect(await fetched(stub.url, { ...quick, maxRetries: 2, statusCodeRetryList: ['50x'] })).toEqual(error);
      expect(stub.requests).toHaveLength(3);
      expect(await fetched(stub.url, { statusCodeRetryList: ['503'] })).toEqual(error);
      expect(await fetched(stub.url, { ...quick, maxRetries: 2 })).toMatchObject({ url_status_code: 503 });
      expect(stub.requests).toHaveLength(5);
    });

    it('treats redirects as failures if they are listed', async () => {
      stub.handle((_, response) => void response.writeHead(301, { location: '/b' }).end());
      expect(await fetched(stub.url, { statusCodeRetryList: ['30x'] })).toEqual({
        url_error: `java.io.IOException Retry request to '${stub.url}'`,
      });
    });

    it.each(['200', '20x', '2xx'])('refuses %s in statusCodeRetryList', (status) => {
      const params = { source: 'url', dest: 'b', statusCodeRetryList: ['429', status] };
      expect(() => makeStage(FetchUri, params)).toThrow(/^statusCodeRetryList\[1\]: /);
    });

    it('warns about invalid entries of statusCodeRetryList', () => {
      const problems = (entries: string[]) => {
        const params = { source: 'u', dest: 'b', statusCodeRetryList: entries, statusSuffix: 's', sizeSuffix: 'n' };
        return [...FetchUri.check(withDefaults(FetchUri.parameters, { ...params, errorSuffix: 'e' }))].map(
          ({ severity }) => severity,
        );
      };
      expect(problems(['30x', '429', '5XX', '100'])).toEqual([]);
      expect(problems(['206', '802', '4x0', 'badCode', '42', '4290'])).toEqual(Array(6).fill('warning'));
    });
  });

  it('keeps 128 documents in flight and reuses connections', async () => {
    stub.handle(inGroupsOf(128, ({ path }, response) => void response.end(path)));
    const stage = makeStage(FetchUri, { source: 'url', dest: 'body' });
    expect(stage.maxInFlight).toBe(128);
    await stage.start?.();
    const before = stub.connections;
    const documents = Array.from({ length: 256 }, (_, i) => toDocument({ id: `${i}`, url: `${stub.url}/${i}` }));
    await Promise.all(documents.map((document) => stage.process(document)));
    await stage.stop?.();
    expect(stub.mostAtOnce).toBe(128);
    expect(stub.connections - before).toBe(128);
    expect(documents.map((document) => Buffer.from(document.get('body') as Uint8Array).toString())).toEqual(
      documents.map((_, i) => `/${i}`),
    );
  });

  it.each([
    [{ dest: 'id' }, /^dest: .*reserved/],
    [{ source: 'run', statusSuffix: 'id' }, /^statusSuffix: .*reserved/],
    [{ headers: { 'a b': 'x' } }, /^headers.*a b/],
    [{ headers: { a: { b: 'c' } } }, /^headers\.a: .*must be a text/],
    [{ headers: { a: 'x\ny' } }, /^headers\.a: /],
  ])('refuses the parameters %j', (params, message) => {
    expect(() => makeStage(FetchUri, { source: 'url', dest: 'body', ...params })).toThrow(message);
  });
});

describe('the cache of FetchUri', () => {
  it('keeps fresh answers between runs, and asks for a stale one with its ETag', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headrace-fetch-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const params = { cache: { path: join(folder, 'pages') } };
    stub.handle((request, response) => {
      response.setHeader('etag', '"1"');
      if (request.path === '/fresh') response.setHeader('cache-control', 'max-age=600');
      if (request.path === '/secret') response.setHeader('cache-control', 'no-store');
      if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
      else response.end(`content of ${request.path}`);
    });
    const urls = ['/fresh', '/stale', '/secret'].map((path) => stub.url + path);
    const run = async () => {
      const before = stub.requests.length;
      const results = [];
      for (const url of urls) results.push(await fetched(url, params));
      return {
        results,
        asked: stub.requests.slice(before).map(({ path, headers }) => [path, headers['if-none-match']]),
      };
    };
    const first = await run();
    expect(first.asked).toHaveLength(3);
    const second = await run();
    expect(second.results).toEqual(first.results);
    expect(second.asked).toEqual([
      ['/stale', '"1"'],
      ['/secret', undefined],
    ]);
    // Other headers may get another answer.
    await fetched(urls[0], { ...params, headers: { accept: 'text/plain' } });
    expect(stub.requests.at(-1)?.path).toBe('/fresh');
  });

  it('refuses headers that change the meaning of an answer', () => {
    const params = { source: 'url', dest: 'body', cache: { path: 'pages' }, headers: { Range: 'bytes=0-9' } };
    expect(() => makeStage(FetchUri, params)).toThrow('headers.Range cannot be combined with cache');
  });
});

describe('FetchUri and compressed files', () => {
  const sitemap = '<urlset><url><loc>https://example.org/</loc></url></urlset>';

  it.each([
    ['/sitemap.xml.gz', 'application/octet-stream', gzipSync(sitemap)],
    ['/sitemap', 'application/xml', gzipSync(sitemap)],
    ['/a.csv.zst', 'application/octet-stream', zstdCompressSync(sitemap)],
  ])('unpacks a text file: %s', async (path, type, bytes) => {
    stub.handle((_, response) => void response.writeHead(200, { 'content-type': type }).end(bytes));
    expect(await fetched(stub.url + path)).toEqual({
      body: base64(sitemap),
      url_status_code: 200,
      url_size: sitemap.length,
    });
    expect(await fetched(stub.url + path, { maxSize: 200 })).toMatchObject({ url_size: sitemap.length });
  });

  it('keeps other files, and texts that are not compressed', async () => {
    const bytes = gzipSync(sitemap);
    stub.handle((_, response) => void response.end(bytes));
    expect(await fetched(`${stub.url}/data.tar.gz`)).toMatchObject({ body: bytes.toString('base64') });
    stub.handle((_, response) => void response.end(sitemap));
    expect(await fetched(`${stub.url}/sitemap.xml.gz`)).toMatchObject({ body: base64(sitemap) });
  });

  it('cuts the unpacked text at maxSize, and reports a damaged file', async () => {
    const long = 'ab'.repeat(5000);
    stub.handle((_, response) => void response.end(gzipSync(long)));
    expect(await fetched(`${stub.url}/a.txt.gz`, { maxSize: 1000 })).toMatchObject({
      body: base64(long.slice(0, 1000)),
      url_size: 1000,
    });
    stub.handle((_, response) => void response.end(gzipSync(sitemap).subarray(0, 30)));
    expect(await fetched(`${stub.url}/a.txt.gz`)).toEqual({
      url_error: 'java.io.IOException Cannot unpack the content: it is truncated: unexpected end of file',
    });
  });
});
