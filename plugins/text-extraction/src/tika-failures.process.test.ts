import { makeStage, toDocument } from '@headrace/engine/testing';
import { StubServer } from '@headrace/testing/stub-server';
import { describe, expect, it } from 'vitest';
import { TextExtractor } from './text-extractor.ts';

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
