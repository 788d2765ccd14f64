import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/service-settings.ts';
import { sharedService, testService } from '../testing/test-service.test.support.ts';

describe('the refusal of a body', () => {
  const shared = sharedService();

  it.each([
    ['/v1/config', 'text/plain', 'The body must be application/json or application/hocon, not text/plain'],
    ['/v1/config/validate', 'a/b; charset=x', 'The body must be application/json or application/hocon, not a/b'],
    ['/v1/run', 'application/hocon', 'The body must be application/json, not application/hocon'],
    ['/v1/preview', 'application/hocon', 'The body must be application/json, not application/hocon'],
    ['/v1/run', '', 'The body must be application/json; the request does not say what it is'],
  ])('contains the accepted content types for a wrong one at %s (%s)', async (path, type, message) => {
    const service = shared();
    const body = Buffer.from('a: 1');
    expect((await service.ask(path, { body, type })).json).toMatchObject({
      status: 415,
      code: 'HR_REQUEST_MEDIA_TYPE',
      message,
      hint: expect.stringContaining('Content-Type: application/json'),
    });
  });

  it.each(['/v1/config', '/v1/run', '/v1/preview', '/v1/run/a/retry'])(
    'reports at %s that the body is compressed',
    async (path) => {
      const service = shared();
      const packed = { body: gzipSync('{"configId": "a"}'), type: 'application/json' };
      const answer = await service.ask(path, { ...packed, headers: { 'content-encoding': 'gzip' } });
      expect(answer.json).toMatchObject({
        status: 415,
        code: 'HR_REQUEST_MEDIA_TYPE',
        message: 'The body must not be compressed (Content-Encoding: gzip)',
        hint: 'Send it uncompressed, without the header Content-Encoding.',
      });
      const plain = { body: '{}', type: 'application/json', headers: { 'content-encoding': 'identity' } };
      expect((await service.ask(path, plain)).status).not.toBe(415);
    },
  );

  it.each([
    ['/v1/run', { config: 5 }, 'The body: config must be an object or a string'],
    ['/v1/preview', { configId: 'a', documents: [{}, 1] }, 'The body: documents[1] must be an object'],
    ['/v1/run', { configId: 'a', labels: { 'a/b~c': 1 } }, 'The body: labels.a/b~c must be a string'],
    ['/v1/run/a/retry', 5, 'The body must be an object'],
  ])('contains the position of an invalid value at %s: %j', async (path, body, message) => {
    const service = shared();
    const answer = await service.ask(path, { body: JSON.stringify(body), type: 'application/json' });
    expect(answer.json).toMatchObject({ status: 400, message });
  });

  it.each([
    ['/v1/preview', { configId: 'a', docments: [{}] }, 'docments', 'Did you mean documents?'],
    [
      '/v1/preview',
      { configId: 'a', x: 1, limit: 0 },
      'x',
      /^Possible: config, configId, secretsOf, pipeline, documents, limit/,
    ],
    ['/v1/run/a/retry', { configID: 'a' }, 'configID', 'Did you mean configId?'],
  ])(
    'contains a suggestion or the possible names for an unknown property at %s: %j',
    async (path, body, name, hint) => {
      const service = shared();
      expect((await service.ask(path, { body })).json).toMatchObject({
        status: 400,
        message: `The body: there is no property ${name}`,
        hint: typeof hint === 'string' ? hint : expect.stringMatching(hint),
      });
    },
  );

  it('contains the size limit and the name of its setting', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxConfigBytes: 2000 } });
    for (const path of ['/v1/config', '/v1/config/validate', '/v1/preview', '/v1/run']) {
      expect((await service.ask(path, { body: 'a'.repeat(2001), type: 'application/json' })).json).toMatchObject({
        status: 413,
        code: 'HR_REQUEST_TOO_LARGE',
        message: 'The body is larger than 2000 bytes',
        hint: 'limits.maxConfigBytes in the service file sets this limit.',
      });
    }
    const retry = await service.ask('/v1/run/a/retry', { body: { configId: 'a'.repeat(1024 * 1024) } });
    expect(retry.json).toMatchObject({ status: 413, message: 'The body is larger than 1048576 bytes' });
    expect(retry.text).not.toContain('maxConfigBytes');
  });

  it.each(['/v1/run', '/v1/preview'])('contains the position of a JSON error once at %s', async (path) => {
    const service = shared();
    const refusal = async (body: string) =>
      ((await service.ask(path, { body, type: 'application/json' })).json as { message: string }).message;
    expect(await refusal('{"configId":')).toBe(
      'The body is not valid JSON: line 1, column 13: Expected a JSON value, found the end of the text',
    );
    expect(await refusal('{"configId": "a",\n  "labels" ]}')).toMatch(
      /^The body is not valid JSON: line 2, column 12: Expected ":"/,
    );
    expect(await refusal('{"configId": "a"} x')).toMatch(/^The body is not valid JSON: Unexpected .* column 19/);
  });

  it('names the property __proto__ if the body contains it', async () => {
    const service = shared();
    const body = '{"configId":"a","__proto__":{}}';
    const answer = await service.ask('/v1/run/a/retry', { body, type: 'application/json' });
    expect(answer.json).toMatchObject({ status: 400, message: expect.stringContaining('__proto__') });
  });

  it('does not affect configs and labels with keys such as __proto__', async () => {
    const service = shared();
    const names = '{"__proto__": "x", "constructor": "y"}';
    const config = '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}';
    const body = `{"config": ${config}, "labels": ${names}, "overrides": {"__proto__.more": 1}, "__proto__": {"polluted": 1}}`;
    const answer = await service.ask('/v1/run', { body, type: 'application/json' });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('"labels":{"__proto__":"x","constructor":"y"}');
    expect(answer.text).toContain('"overrides":{"__proto__":{"more":1}}');
    expect([...service.threads.last.request.root.entries.keys()]).toEqual(['__proto__', 'constructor']);
    expect({}).not.toHaveProperty('polluted');
    expect((await service.ask('/v1/run?label=__proto__:x')).text).toContain('"labels":{"__proto__":"x"');
  });
});
