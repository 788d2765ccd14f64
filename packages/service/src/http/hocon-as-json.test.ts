import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readUpload } from '../configs/check-upload.ts';
import { sharedService, type TestService, testService, VALID } from '../testing/test-service.test.support.ts';

const TYPE = 'application/json';

/** The valid config in the format of upload scripts for Lucille: HOCON with the content type of JSON. */
const SCRIPT = `{
  # comments, unquoted keys, and no comma at the end of a line
  connectors: [{ name: files, class: Files, pipeline: main }]
  "pipelines": [{ name: main, stages: [{ class: Upper, source: title }] }]
  indexer { type: Nowhere }
  indexer { batchSize: 17 } // a repeated key is merged
  "indexer": { "batchTimeout": 250 }
}`;

const merged = { type: 'Nowhere', batchSize: 17, batchTimeout: 250 };

async function details(service: TestService, body: string) {
  const answer = await service.ask('/v1/run', { body, type: TYPE });
  expect(answer.json).toMatchObject({ runId: expect.any(String) });
  return service.threads.last.request.root;
}

describe('HOCON that is sent as application/json', () => {
  const shared = sharedService();

  it('is stored by POST and PUT, and returned as resolved JSON', async () => {
    const service = shared();
    const stored = (await service.ask('/v1/config', { body: SCRIPT, type: TYPE })).json as { configId: string };
    expect(stored).toEqual({ configId: expect.any(String) });
    const answer = await service.ask(`/v1/config/${stored.configId}`);
    expect(answer.json).toMatchObject({ indexer: merged });
    const text = await service.ask(`/v1/config/${stored.configId}/text`);
    expect([text.headers.get('content-type'), text.text]).toEqual(['application/hocon; charset=utf-8', SCRIPT]);

    const put = () => service.ask('/v1/config/scripted', { method: 'PUT', body: SCRIPT, type: TYPE });
    expect((await put()).json).toMatchObject({ version: 1 });
    // Sending the same text again creates no version.
    expect((await put()).json).toMatchObject({ version: 1 });
    const { runId } = await service.run(stored.configId);
    expect(await service.details(runId)).toMatchObject({ configVersion: 1 });
  });

  it('is checked, and problems have their line and column', async () => {
    const service = shared();
    const check = async (body: string) => (await service.ask('/v1/config/validate', { body, type: TYPE })).json;
    expect(await check(SCRIPT)).toEqual({ valid: true, problems: [] });
    expect(await check(SCRIPT.replace('Upper', 'Uper'))).toMatchObject({
      problems: [{ code: 'HR_CONFIG_UNKNOWN_CLASS', line: 4, column: 49 }],
    });
    expect((await service.ask('/v1/config', { body: 'a: 1\nb: ${c}', type: TYPE })).json).toMatchObject({
      status: 400,
      problems: [{ line: 2, column: 4, message: '${c} is not defined' }],
    });
  });

  it('may be JSON with duplicate keys', async () => {
    const service = shared();
    const body = '{"a": {"x": 1}, "a": {"y": 2}, "b": 1, "b": 2}';
    const { configId } = (await service.ask('/v1/config', { body, type: TYPE })).json as { configId: string };
    expect((await service.ask(`/v1/config/${configId}`)).json).toEqual({ a: { x: 1, y: 2 }, b: 2 });
  });

  it('is accepted as the config of a run, and its substitutions refer to the config itself', async () => {
    const service = shared();
    const config = SCRIPT.replace('name: main', 'name: ${x.name}').replace('{\n', '{\n  x { name: main }\n');
    const root = await details(service, `{\n  // this one\n  config: ${config},\n  labels { team: search }\n}`);
    expect(root.entries.get('indexer')).toMatchObject({ kind: 'object' });
    const second = await details(service, `config: """${VALID}"""`);
    expect(second.entries.get('indexer')).toMatchObject({ kind: 'object' });
    const [run] = (await service.ask('/v1/run?label=team:search')).json['items'] as { labels: object }[];
    expect(run).toMatchObject({ configId: 'inline', labels: { team: 'search' } });
  });

  it('is accepted as the config of a preview, and problems have their position in the body', async () => {
    const service = shared();
    const ask = async (body: string) => (await service.ask('/v1/preview', { body, type: TYPE })).json;
    expect(await ask(`documents: [{ id: a }]\nconfig: ${SCRIPT}`)).toMatchObject({ results: expect.any(Array) });
    expect(await ask(`documents: [{ id: a }]\nconfig: {\n  a: 1 # why\n  b: \${c}\n}`)).toMatchObject({
      status: 400,
      problems: [{ line: 4, column: 6, message: '${c} is not defined' }],
    });
    expect(await ask('configId: x\ndocuments: [{ id: 1 }')).toMatchObject({
      status: 400,
      message: expect.stringContaining('not valid JSON: line 1, column 1'),
      hint: expect.stringContaining('HOCON either: line 2, column 22'),
    });
    expect(await ask('config { a: 1 }\nconfig { b: 2 }\ndocuments: []')).toMatchObject({
      status: 400,
      hint: expect.stringContaining('one object'),
    });
  });

  it('has no access to files and the environment in a request body', async () => {
    const service = await testService({}, { env: { SECRET_ENV: 'x' } });
    for (const body of ['configId: ${SECRET_ENV}', 'include required(file("/etc/hostname"))\nconfigId: x']) {
      expect((await service.ask('/v1/run', { body, type: TYPE })).json).toMatchObject({
        status: 400,
        code: 'HR_REQUEST_INVALID',
      });
    }
  });
});

describe('strict JSON that is sent as application/json', () => {
  it('is read and stored as JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (config) => {
        const text = JSON.stringify(config);
        // Skip integers of more than 64 bits: they become texts, as in the reference.
        fc.pre(!/[0-9]{19}/.test(text));
        expect(readUpload(text, 'json').format).toBe('json');
      }),
    );
  });

  it('keeps keys and values that have another meaning in HOCON', async () => {
    const service = await testService();
    const body = '{"a.b": "${x}", "include": "f", "n": 12345678901, "big": 9223372036854775807, "s": " x "}';
    const { configId } = (await service.ask('/v1/config', { body, type: TYPE })).json as { configId: string };
    expect((await service.ask(`/v1/config/${configId}`)).text).toBe(
      '{"a.b":"${x}","include":"f","n":12345678901,"big":9223372036854775807,"s":" x "}',
    );
    expect((await service.ask(`/v1/config/${configId}/text`)).headers.get('content-type')).toBe('application/json');
  });
});
