import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeStage, toDocument } from '@headrace/engine/testing';
import { StubServer } from '@headrace/testing/stub-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { extract, extractAll } from './testing/extract.ts';
import { TextExtractor } from './text-extractor.ts';

const home = mkdtempSync(join(tmpdir(), 'headrace-extracted-'));
afterAll(() => rmSync(home, { recursive: true }));

describe('TextExtractor with a Tika server', () => {
  let stub: StubServer;
  let version = 'Apache Tika 3.3.1';

  beforeAll(async () => {
    stub = await StubServer.start(({ body, path }, response) => {
      if (path === '/version') response.end(version);
      else if (path === '/other/version') response.writeHead(404).end();
      else if (body === 'damaged') response.writeHead(422).end('TIKA-198: Illegal IOException\nat Parser');
      else if (body === 'refused') response.writeHead(400).end();
      else {
        const content = path.endsWith('html') ? '<html><body><h1>Title</h1><p>A text</p></body></html>' : 'A text\n';
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ 'X-TIKA:content': content, 'dc:title': 'T', 'dc:subject': ['a', 'b'] }));
      }
    });
  });

  afterAll(() => stub.close());

  it('sends files to it, and adds its text and metadata', async () => {
    const params = { tika: { url: `${stub.url}/` }, errorField: 'problem' };
    const [read, damaged, refused] = await extractAll(['a file', 'damaged', 'refused'], params);
    expect(read).toMatchObject({ text: 'A text\n', tika_dc_title: 'T', tika_dc_subject: ['a', 'b'] });
    expect(damaged?.['problem']).toBe('The file cannot be read: TIKA-198: Illegal IOException');
    expect(refused?.['error']).toBe(`The file cannot be parsed: ${stub.url}/tika/text answered with status 400`);
    const headers = { accept: 'application/json' };
    expect(stub.requests[1]).toMatchObject({ method: 'PUT', path: '/tika/text', headers });
  });

  it('does not start if the server does not answer, and says what to do', async () => {
    const stage = makeStage(TextExtractor, { filePathField: 'path', tika: { url: `${stub.url}/other` } });
    const message = `The Tika server does not answer: GET ${stub.url}/other/version answered 404 Not Found`;
    const hint = expect.stringContaining('check the path');
    await expect(stage.start?.()).rejects.toMatchObject({ code: 'HR_STAGE_START', message, hint });
    const signal = new AbortController().signal;
    await expect(stage.reach?.(() => {}, signal)).rejects.toThrow('answered 404');
    await stage.stop?.();
  });

  it('makes Markdown of its HTML, and sends the name of the file', async () => {
    expect(await extract('utf8.txt', { tika: { url: stub.url }, format: 'markdown' })).toMatchObject({
      text: '# Title\n\nA text\n',
    });
    expect(stub.requests.at(-1)?.headers['content-disposition']).toBe("attachment; filename*=UTF-8''utf8.txt");
  });

  it('sends a file once with a cache, until the server has another version', async () => {
    const cache = { path: join(home, 'tika.cache') };
    const sent = () => stub.requests.filter(({ method }) => method === 'PUT').length;
    const before = sent();
    for (let i = 0; i < 2; i++) await extract('utf8.txt', { tika: { url: stub.url }, cache });
    expect(sent()).toBe(before + 1);
    version = 'Apache Tika 4.0.0';
    await extract('utf8.txt', { tika: { url: stub.url }, cache });
    expect(sent()).toBe(before + 2);
  });
});

describe('TextExtractor with a Tika server that fails during a run', () => {
  it.each(['unavailable', 'cut', 'hangs'])('names its URL and says what to check if it fails: %s', async (body) => {
    const stub = await StubServer.start(({ path }, response) => {
      if (path === '/version') response.end('Apache Tika 3.3.1');
      else if (body === 'unavailable') response.writeHead(503, { 'retry-after': '0' }).end();
      else if (body === 'cut') response.destroy();
      else response.writeHead(200).write('{');
    });
    const params = { byteArrayField: 'bytes', tika: { url: stub.url }, parseTimeout: 500 };
    const stage = makeStage(TextExtractor, params);
    await stage.start?.();
    const document = toDocument({ id: '1', bytes: Buffer.from(body).toString('base64') });
    const message = expect.stringContaining(`${stub.url}/tika/text`);
    const hint = expect.stringMatching(/^Check tika\.url/);
    await expect(stage.process(document)).rejects.toMatchObject({ code: 'HR_STAGE_FAILED', message, hint });
    await stage.stop?.();
    await stub.close();
  });
});
