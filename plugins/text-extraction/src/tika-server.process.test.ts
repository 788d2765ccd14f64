import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeStage, runStage, toDocument } from '@headrace/engine/testing';
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
      else if (path === '/portal/version') response.end('<html><title>Please log in</title></html>');
      else if (body === 'html') response.end('<html>Please log in</html>');
      else if (body.startsWith('org.apache.')) {
        response.end(
          JSON.stringify({ 'X-TIKA:content': 'A part', 'X-TIKA:EXCEPTION:runtime': `${body}\n\tat Parser` }),
        );
      } else if (body === 'lines') {
        const lines = path.endsWith('html') ? '<html><body><p>a &lt;b\n\nc\n</p></body></html>' : '\n\n\n  a <b\n\nc\n';
        response.end(JSON.stringify({ 'X-TIKA:content': lines, 'Content-Type': 'text/plain; charset=UTF-8' }));
      } else {
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

  it('does not send an empty file, which the server would call damaged', async () => {
    const sent = stub.requests.length;
    const empty = join(home, 'empty.txt');
    writeFileSync(empty, '');
    const params = { filePathField: 'path', errorField: 'problem' };
    const [read, own] = await Promise.all(
      [{ tika: { url: stub.url } }, {}].map((tika) =>
        runStage(TextExtractor, { ...params, ...tika }, [{ id: '1', path: empty }]),
      ),
    );
    expect(JSON.parse(read?.[0]?.documents[0] ?? '')).toMatchObject({ text: '' });
    expect(read).toEqual(own);
    expect(stub.requests.slice(sent).map(({ path }) => path)).toEqual(['/version']);
  });

  it('does not start if the server does not answer, and says what to do', async () => {
    const stage = makeStage(TextExtractor, { filePathField: 'path', tika: { url: `${stub.url}/other` } });
    const message = `The Tika server does not answer: GET ${stub.url}/other/version answered 404 Not Found`;
    const hint = expect.stringContaining('check the path');
    await expect(stage.start?.()).rejects.toMatchObject({ code: 'HR_STAGE_START', message, hint });
    const signal = new AbortController().signal;
    await expect(stage.checkAccess?.(() => {}, signal)).rejects.toThrow('answered 404');
    await stage.stop?.();
  });

  it('does not start if another server answers, and says what to check', async () => {
    const stage = makeStage(TextExtractor, { filePathField: 'path', tika: { url: `${stub.url}/portal` } });
    const message = `${stub.url}/portal/version is not a Tika server: it answered Please log in`;
    const hint = expect.stringContaining('login page');
    await expect(stage.start?.()).rejects.toMatchObject({ code: 'HR_STAGE_START', message, hint });
    await stage.stop?.();
  });

  it('says what to check if an answer is not from a Tika server', async () => {
    const stage = makeStage(TextExtractor, { byteArrayField: 'bytes', tika: { url: stub.url } });
    await stage.start?.();
    const document = toDocument({ id: '1', bytes: Buffer.from('html').toString('base64') });
    const hint = expect.stringContaining('proxy');
    await expect(stage.process(document)).rejects.toMatchObject({ code: 'HR_STAGE_FAILED', hint });
    await stage.stop?.();
  });

  it('reports the exception of a file that the server returns with its metadata', async () => {
    const traces = [
      'org.apache.tika.exception.EncryptedDocumentException: Unable to process: document is encrypted',
      'org.apache.tika.exception.TikaException: Error creating OOXML extractor',
    ];
    const read = await extractAll(traces, { tika: { url: stub.url }, errorField: 'problem' });
    expect(read.map(({ text, problem }) => [text, problem])).toEqual([
      ['A part', 'The file cannot be read: it is encrypted'],
      ['A part', 'The file cannot be read: Error creating OOXML extractor'],
    ]);
  });

  it('keeps the lines of text files, without the empty lines that the server writes first', async () => {
    const params = { tika: { url: stub.url } };
    expect(await extractAll(['lines'], params)).toMatchObject([{ text: '  a <b\n\nc\n' }]);
    expect(await extractAll(['lines'], { ...params, textContentLimit: 6 })).toMatchObject([{ text: '  a <b' }]);
    const [markdown] = await extractAll(['lines'], { ...params, format: 'markdown' });
    expect(markdown?.['text']).toBe('a <b\n\nc\n');
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
    // A file that takes too long is sent once. The server may still work on it.
    const sent = stub.requests.filter(({ method }) => method === 'PUT');
    expect(sent.length).toBe(body === 'hangs' ? 1 : 7);
    await stage.stop?.();
    await stub.close();
  });
});
