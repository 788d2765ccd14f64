import { configToJson, HeadraceError, type PreviewRequest } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { sharedService, testService, VALID } from '../testing/test-service.test.support.ts';

const shared = sharedService();

describe('POST /v1/preview', () => {
  it('returns the resulting documents, with unchanged numbers', async () => {
    const service = shared();
    service.threads.onPreview = async ({ documents = [] }) => ({
      results: [
        { input: documents[0] as string, documents: ['{"id":"1-child"}', documents[0] as string], dropped: ['x"y'] },
        {
          input: documents[1] as string,
          documents: [],
          dropped: [],
          failure: { stage: 'upper', code: 'HR_STAGE_FAILED', message: 'no' },
        },
      ],
      problems: [],
      notices: [],
    });
    const first = '{"id":"1","n":1.0,"big":9007199254740993,"__proto__":1}';
    const body = `{"config": ${JSON.stringify(VALID)}, "pipeline": "main", "documents": [${first}, {"id": "2"}]}`;
    const answer = await service.ask('/v1/preview', { body, type: 'application/json' });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(`"documents":[{"id":"1-child"},${first}],"dropped":["x\\"y"]`);
    expect(answer.json).toMatchObject({
      results: [{ input: { id: '1' } }, { failure: { stage: 'upper', message: 'no' } }],
      problems: [],
    });
    expect(service.threads.previews[0]).toMatchObject({
      pipeline: 'main',
      registry: { allowModules: false },
      trusted: false,
    });
  });

  it('accepts a config object or a stored config, and reads documents from its connectors', async () => {
    const service = await testService();
    const config = { connectors: [], pipelines: [], n: 1.5 };
    expect((await service.ask('/v1/preview', { body: { config, limit: 3 } })).json).toEqual({
      results: [],
      problems: [],
      notices: [],
    });
    expect((await service.ask('/v1/preview', { body: { configId: await service.store() } })).status).toBe(200);
    expect(service.threads.previews.map(({ limit, documents }) => ({ limit, documents }))).toEqual([
      { limit: 3, documents: undefined },
      { limit: 10, documents: undefined },
    ]);
  });

  it('masks the secrets of the config in documents, failures and log lines', async () => {
    const service = shared();
    const failure = { code: 'HR_STAGE_FAILED', message: 'hunter2 is refused', hint: 'Is it hunter2?' } as const;
    const masked = { code: 'HR_STAGE_FAILED', message: '****** is refused', hint: 'Is it ******?' };
    const entry = { stage: 'upper', class: 'Upper', failure };
    const shown = {
      input: '{"id":"1"}',
      documents: [],
      dropped: [],
      failure: { stage: 'upper', ...failure },
      trace: [{ ...entry, children: [{ trace: [entry] }] }],
      log: [{ level: 'warn' as const, stage: 'upper', message: 'hunter2 is short' }],
    };
    service.threads.onPreview = async () => ({ results: [shown], problems: [], notices: [] });
    const ask = () => service.ask('/v1/preview', { body: { config: VALID, documents: [{ id: '1' }], trace: true } });
    expect((await ask()).json).toMatchObject({
      results: [
        {
          failure: masked,
          trace: [{ failure: masked, children: [{ trace: [{ failure: masked }] }] }],
          log: [{ level: 'warn', stage: 'upper', message: '****** is short' }],
        },
      ],
    });
    service.threads.onPreview = async () => ({
      results: [],
      problems: [{ severity: 'error', path: '', ...failure }],
      notices: [],
    });
    expect((await ask()).json).toMatchObject({ status: 400, problems: [masked] });
  });

  it('needs the role admin if the config comes with the request', async () => {
    const users = (['operator', 'admin'] as const).map((role) => ({ name: role, password: 'right', role }));
    const service = await testService({ auth: { users } });
    const stored = await service.ask('/v1/config', { body: VALID, type: 'application/hocon', auth: 'admin:right' });
    const preview = async (body: object, name: string) =>
      (await service.ask('/v1/preview', { body, auth: `${name}:right` })).json;
    expect(await preview({ config: VALID }, 'operator')).toMatchObject({
      status: 403,
      message: 'operator has the role operator; this needs the role admin',
    });
    expect(service.threads.previews).toEqual([]);
    expect(await preview({ config: VALID }, 'admin')).toEqual({ results: [], problems: [], notices: [] });
    expect(await preview(stored.json, 'operator')).toEqual({ results: [], problems: [], notices: [] });
    // Their threads must differ, so the engine must know the users.
    expect(service.threads.previews.map(({ user }) => user)).toEqual(['admin', 'operator']);
  });

  it('keeps the masked secrets of an edited config, unless they could be sent elsewhere', async () => {
    const service = await testService();
    const text = (url: string, password: string, size: number) =>
      `# Edited\nopensearch { url: "${url}", index: a, password: "${password}" }\nindexer { type: OpenSearch, batchSize: ${size} }`;
    const put = { method: 'PUT', body: text('http://a', 'hunter2', 1), type: 'application/hocon' };
    expect((await service.ask('/v1/config/shop', put)).status).toBe(201);
    const passwordFor = async (body: object) => {
      expect((await service.ask('/v1/preview', { body })).json).toEqual({ results: [], problems: [], notices: [] });
      const { root } = service.threads.previews.at(-1) as PreviewRequest;
      return JSON.parse(configToJson(root)).opensearch.password;
    };
    const edited = text('http://a', '******', 2);
    expect(await passwordFor({ config: edited, secretsOf: 'shop' })).toBe('hunter2');
    const json = { opensearch: { url: 'http://a', index: 'b', password: '******' } };
    expect(await passwordFor({ config: json, secretsOf: 'shop' })).toBe('hunter2');
    expect(await passwordFor({ config: text('http://evil', '******', 2), secretsOf: 'shop' })).toBe('******');
    expect(await passwordFor({ config: `${edited}\nnote: \${opensearch.password}`, secretsOf: 'shop' })).toBe('******');
    expect(await passwordFor({ config: edited })).toBe('******');
    expect((await service.ask('/v1/preview', { body: { config: edited, secretsOf: 'none' } })).status).toBe(404);
  });

  it('refuses a config with errors and returns its problems', async () => {
    const service = shared();
    const problem = {
      severity: 'error',
      code: 'HR_CONFIG_UNKNOWN_CLASS',
      path: 'x',
      message: 'No such class',
    } as const;
    service.threads.onPreview = async () => ({ results: [], problems: [problem], notices: [] });
    const answer = await service.ask('/v1/preview', { body: { config: VALID } });
    expect(answer.json).toMatchObject({ status: 400, problems: [problem] });
    expect((await service.ask('/v1/preview', { body: { config: 'a: ${b}' } })).json).toMatchObject({
      status: 400,
      problems: [{ line: 1, column: 4 }],
    });
  });

  it.each([
    [400, {}],
    [400, { config: 'a: 1', configId: 'x' }],
    [404, { configId: 'none' }],
    [400, { configId: 'x', secretsOf: 'x' }],
    [400, { config: 7 }],
    [400, { config: {}, documents: [1] }],
    [400, { config: {}, limit: 0 }],
    [400, { config: {}, pipeline: 1 }],
    [400, { config: {}, documents: [{ id: '1' }], limit: 1 }],
    [400, []],
    [400, '{"config": '],
    [400, ''],
  ])('answers %i to %j', async (status, body) => {
    const service = shared();
    const answer = await service.ask('/v1/preview', { method: 'POST', body, type: 'application/json' });
    expect(answer.json).toMatchObject({ status, message: expect.any(String) });
  });

  it('reports why a preview was not finished, and limits concurrent previews', async () => {
    const service = shared();
    service.threads.onPreview = async () => {
      throw new HeadraceError('HR_RUN_CANCELLED', 'The preview did not end in time', { hint: 'Fewer documents.' });
    };
    expect((await service.ask('/v1/preview', { body: { config: VALID } })).json).toMatchObject({
      status: 422,
      code: 'HR_RUN_CANCELLED',
      message: 'The preview did not end in time',
      hint: 'Fewer documents.',
    });
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.threads.onPreview = async () => {
      await gate;
      return { results: [], problems: [], notices: [] };
    };
    const asked = Array.from({ length: 5 }, () => service.ask('/v1/preview', { body: { config: VALID } }));
    const first = await Promise.race(asked);
    expect(first.status).toBe(429);
    release();
    expect((await Promise.all(asked)).map((answer) => answer.status).sort()).toEqual([200, 200, 200, 200, 429]);
  });

  it('returns each document after each stage if trace is true in the query or in the body', async () => {
    const service = await testService();
    const first = '{"id":"1","n":1.0}';
    service.threads.onPreview = async () => ({
      results: [
        {
          input: first,
          documents: [first],
          dropped: [],
          trace: [
            { stage: 'a', class: 'A', document: first, children: [{ document: '{"id":"c"}', trace: [] }] },
            { stage: 'b', class: 'B', skipped: 'condition' },
          ],
        },
      ],
      problems: [],
      notices: [],
    });
    const body = { config: VALID, documents: [{ id: '1' }] };
    const answer = await service.ask('/v1/preview?trace=true', { body });
    expect(answer.text).toContain(
      `"trace":[{"stage":"a","class":"A","document":${first},"children":[{"document":{"id":"c"},"trace":[]}]},{"stage":"b","class":"B","skipped":"condition"}]`,
    );
    await service.ask('/v1/preview', { body: { ...body, trace: true } });
    await service.ask('/v1/preview', { body });
    expect(service.threads.previews.map(({ trace }) => trace)).toEqual([true, true, false]);
  });

  it('ends when the client disconnects', async () => {
    const service = shared();
    const aborted = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    service.threads.onPreview = (_request, signal) => {
      started.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted.resolve();
          reject(new HeadraceError('HR_RUN_CANCELLED', 'gone'));
        });
      });
    };
    const client = new AbortController();
    const asked = fetch(`${service.url}/v1/preview`, {
      method: 'POST',
      body: JSON.stringify({ config: VALID }),
      headers: { 'content-type': 'application/json' },
      signal: client.signal,
    });
    await started.promise;
    client.abort();
    await expect(asked).rejects.toThrow();
    await aborted.promise;
  });
});
