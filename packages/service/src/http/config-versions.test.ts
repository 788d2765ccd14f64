import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/service-settings.ts';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { sharedService, type TestService, testService, VALID } from '../testing/test-service.test.support.ts';

const put = (body: string, headers: Record<string, string> = {}) => ({
  method: 'PUT',
  body,
  type: 'application/hocon',
  headers,
});
const post = (body: string) => ({ body, type: 'application/hocon' });
const tagOf = async (service: TestService, id: string) =>
  (await service.ask(`/v1/config/${id}`)).headers.get('etag') as string;

const shared = sharedService();

describe('a config that is stored with PUT', () => {
  const empty = sharedService();

  it('is deleted only if its tag matches If-Match', async () => {
    const service = shared();
    const configId = await service.store();
    const url = `/v1/config/${configId}`;
    const remove = (tag: string) => service.ask(url, { method: 'DELETE', headers: { 'if-match': tag } });
    const old = (await service.ask(url)).headers.get('etag') as string;
    const put = { method: 'PUT', body: 'a: 2', type: 'application/hocon' };
    const now = (await service.ask(url, put)).headers.get('etag') as string;
    expect((await remove(old)).json).toMatchObject({ status: 412, code: 'HR_CONFIG_CHANGED' });
    expect((await service.ask(url)).status).toBe(200);
    expect((await remove(now)).status).toBe(200);
    expect((await remove('*')).status).toBe(404);
  });

  it('gets a new version only if the text has changed', async () => {
    const service = shared();
    const configId = await service.store('a: 1');
    const replaced = await service.ask(`/v1/config/${configId}`, put('a: 2'));
    expect(replaced).toMatchObject({ status: 200, json: { configId, version: 2 } });
    expect((await service.ask(`/v1/config/${configId}`)).json).toEqual({ a: 2 });
    const again = await service.ask(`/v1/config/${configId}`, put('a: 2'));
    expect(again.json).toEqual({ configId, version: 2, problems: expect.any(Array) });
    expect(again.headers.get('etag')).toBe(replaced.headers.get('etag'));
    expect((await service.ask(`/v1/config/${configId}?validate=true`, put('b: 2'))).status).toBe(400);
    expect(await service.ask(`/v1/config/${configId}`, put('b: [')).then(({ status }) => status)).toBe(400);
    expect((await service.ask(`/v1/config/${configId}`)).json).toEqual({ a: 2 });
  });

  it('is created under an unused name, and replaced afterwards', async () => {
    const service = shared();
    const made = await service.ask('/v1/config/films?label=team:search', put(VALID));
    expect(made).toMatchObject({ status: 201, json: { configId: expect.any(String), version: 1 } });
    const { configId } = made.json as { configId: string };
    expect(await service.ask('/v1/config/films', put(`${VALID} # more`))).toMatchObject({
      status: 200,
      json: { configId, version: 2 },
    });
    expect((await service.ask('/v1/config/films')).text).toBe((await service.ask(`/v1/config/${configId}`)).text);
    expect(await service.run('films')).toMatchObject({ configId, configName: 'films', configVersion: 2 });
    expect((await service.ask('/v1/config/films', { method: 'DELETE' })).status).toBe(200);
    expect((await service.ask(`/v1/config/${configId}`)).status).toBe(404);
    // Two concurrent requests create one config with two versions.
    const both = await Promise.all(['a: 1', 'a: 2'].map((text) => service.ask('/v1/config/films', put(text))));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(new Set(both.map(({ json }) => (json as { configId: string }).configId)).size).toBe(1);
  });

  it.each([
    ['7f0c2c1e-5d2b-4c3a-9a53-0c1d2e3f4a5b', 404],
    ['films.conf', 400],
    ['validate', 400],
    ['Inline', 400],
    ['new', 400],
    ['-x', 400],
    ['%20', 400],
    ['x'.repeat(101), 400],
  ])('is refused under a name that looks like an id, a preset or a reserved word: %s', async (name, status) => {
    const service = empty();
    const answer = await service.ask(`/v1/config/${name}`, put('a: 1'));
    expect(answer.json).toMatchObject({ status, hint: expect.any(String) });
    if (status === 400) expect((await service.ask(`/v1/config?name=${name}`, post('a: 1'))).status).toBe(400);
    expect((await service.ask('/v1/config')).text).toBe('{}');
  });

  it('is not changed if If-Match or If-None-Match does not match', async () => {
    const service = await testService();
    const configId = await service.store('a: 1');
    const url = `/v1/config/${configId}`;
    const tag = await tagOf(service, configId);
    const writes = ['a: 2', 'a: 3'].map((text) => service.ask(url, put(text, { 'if-match': tag })));
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 412]);
    const refused = await service.ask(url, put('a: 4', { 'if-match': tag }));
    const now = await tagOf(service, configId);
    expect(refused.json).toMatchObject({ code: 'HR_CONFIG_CHANGED', message: expect.stringContaining(now) });
    expect((await service.ask(url, put('a: 4', { 'if-none-match': '*' }))).status).toBe(412);
    expect((await service.ask(url, put('a: 4', { 'if-match': `"x", W/${now}` }))).status).toBe(200);
    expect((await service.ask(url, put('a: 5', { 'if-match': '*' }))).status).toBe(200);
    expect((await service.ask('/v1/config/films', put('a: 1', { 'if-match': '*' }))).status).toBe(412);
    expect((await service.ask('/v1/config/films', put('a: 1', { 'if-none-match': '*' }))).status).toBe(201);
    expect((await service.ask('/v1/config/films', put('a: 2', { 'if-none-match': '*' }))).status).toBe(412);
  });

  it('gets another tag if only a secret has changed', async () => {
    const service = shared();
    const configId = await service.store('password: hunter2');
    const before = await service.ask(`/v1/config/${configId}`);
    await service.ask(`/v1/config/${configId}`, put('password: hunter3'));
    const after = await service.ask(`/v1/config/${configId}`);
    expect(after.text).toBe(before.text);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  it('keeps the stored secrets of components that are sent back with masks and without other changes', async () => {
    const service = shared();
    const configId = await service.store(
      'list: [1], opensearch { url: "http://h", index: a, password: hunter2 } # mine',
    );
    const url = `/v1/config/${configId}`;
    const shown = (await service.ask(`${url}/text`)).text;
    expect(shown).toContain('password: "******"');
    expect((await service.ask(url, put(shown))).json).toMatchObject({ version: 1 });
    const changed = await service.ask(url, put(shown.replace('[1]', '[2]').replace('index: a', 'index: b')));
    expect(changed.json).toMatchObject({ version: 2 });
    const changes = (await service.ask(`${url}/diff?from=1&to=2`)).json as { changes: { path: string }[] };
    expect(changes.changes.map(({ path }) => path)).toEqual(['list[0]', 'opensearch.index']);
    expect((await service.ask(`${url}/text`)).text).toContain('index: b, password: "******" } # mine');
  });

  it('is refused if a masked secret would be used elsewhere, or was never stored', async () => {
    const service = shared();
    const configId = await service.store('opensearch { url: "http://h", index: a, password: hunter2 }');
    const url = `/v1/config/${configId}`;
    const shown = (await service.ask(`${url}/text`)).text;
    const moved = await service.ask(url, put(shown.replace('http://h', 'http://evil')));
    expect(moved.json).toMatchObject({
      status: 400,
      code: 'HR_CONFIG_INVALID_VALUE',
      hint: expect.stringContaining('Write the secret again'),
      problems: [{ path: 'opensearch.password', line: 1 }],
    });
    const inside = put('url: "x://u:******@h", a: ["?token=******"], fine: "***********"');
    expect((await service.ask(url, inside)).json).toMatchObject({ problems: [{ path: 'url' }, { path: 'a[0]' }] });
    expect((await service.ask('/v1/config/unused', put('password: "******"'))).json).toMatchObject({ status: 400 });
    const old = put(shown, { 'if-match': '"0-none"' });
    expect((await service.ask(url, old)).json).toMatchObject({ status: 412 });
  });
});

describe('a config that is read with GET', () => {
  it('is not sent to a client that already has it', async () => {
    const service = shared();
    const configId = await service.store('a: 1');
    const tag = await tagOf(service, configId);
    const ask = (known: string) => service.ask(`/v1/config/${configId}`, { headers: { 'if-none-match': known } });
    expect(await ask(tag)).toMatchObject({ status: 304, text: '' });
    expect((await ask(`W/${tag}, "other"`)).status).toBe(304);
    expect((await ask('"other"')).status).toBe(200);
    await service.ask(`/v1/config/${configId}`, put('a: 2'));
    expect((await ask(tag)).status).toBe(200);
  });
});

describe('names, labels and descriptions of configs', () => {
  const notes = 'name=films&description=All+of+them&label=team:search&label=stage:a:b';

  it('are stored with the text, and changed or removed with the next version', async () => {
    const service = await testService();
    await service.ask(`/v1/config?${notes}`, post('a: 1'));
    const items = async () => ((await service.ask('/v1/config?limit=9')).json as { items: object[] }).items;
    const kept = { name: 'films', description: 'All of them', labels: { team: 'search', stage: 'a:b' }, version: 1 };
    expect(await items()).toMatchObject([{ ...kept, createdBy: null, updatedTime: expect.any(Number) }]);
    await service.ask('/v1/config/films', put('a: 2'));
    expect(await items()).toMatchObject([{ ...kept, version: 2 }]);
    await service.ask('/v1/config/films?name=movies&label=team:other&description=', put('a: 2'));
    expect(await items()).toMatchObject([{ name: 'movies', description: null, labels: { team: 'other' }, version: 2 }]);
    expect((await service.ask('/v1/config/films')).status).toBe(404);
    await service.ask('/v1/config/movies?name=&label=', put('a: 2'));
    expect(await items()).toMatchObject([{ name: null, labels: {} }]);
  });

  it('are refused if another config has the same name', async () => {
    const service = shared();
    await service.ask(`/v1/config?${notes}`, post('a: 1'));
    const taken = await service.ask('/v1/config?name=films', post('a: 2'));
    expect(taken.json).toMatchObject({ status: 409, code: 'HR_CONFIG_NAME_TAKEN' });
    const other = await service.store('a: 3');
    expect((await service.ask(`/v1/config/${other}?name=films`, put('a: 4'))).status).toBe(409);
    expect((await service.ask('/v1/config/movies?name=films', put('a: 4'))).status).toBe(400);
    expect((await service.ask(`/v1/config/${other}`)).json).toEqual({ a: 3 });
  });

  it('select the configs of a list', async () => {
    const service = shared();
    for (let i = 0; i < 4; i++) {
      await service.ask(`/v1/config?name=c${i}&label=n:${i % 2}&label=team:search`, post(`a: ${i}`));
    }
    const list = async (query: string) => {
      const page = (await service.ask(`/v1/config?${query}`)).json as {
        items: { name: string }[];
        next: string | null;
      };
      return [...page.items.map(({ name }) => name), page.next];
    };
    expect(await list('label=n:1')).toEqual(['c3', 'c1', null]);
    expect(await list('label=n:1&label=team:other')).toEqual([null]);
    const [first, next] = await list('label=team:search&limit=1');
    expect(first).toBe('c3');
    expect(await list(`label=team:search&limit=1&after=${next}`)).toEqual(['c2', expect.any(String)]);
    expect((await service.ask('/v1/config?label=team')).status).toBe(400);
  });
});

describe('the versions of a config', () => {
  it('are listed, shown, compared and restored with their secrets', async () => {
    const service = shared();
    const configId = await service.store('password: hunter2, a: 1 # first');
    const url = `/v1/config/${configId}`;
    await service.ask(url, put('password: hunter3, a: 2'));
    const page = (await service.ask(`${url}/versions?limit=1`)).json as { items: object[]; next: string };
    expect(page.items).toEqual([
      { version: 2, digest: expect.any(String), createdTime: expect.any(Number), createdBy: null },
    ]);
    expect((await service.ask(`${url}/versions?after=${page.next}`)).json).toMatchObject({
      items: [{ version: 1 }],
      next: null,
    });
    const first = await service.ask(`${url}/versions/1`);
    expect(first.json).toEqual({ password: '******', a: 1 });
    expect(first.headers.get('etag')).toMatch(/^"1-/);
    expect((await service.ask(`${url}/diff`)).json).toEqual({
      from: 1,
      to: 2,
      changes: [
        { path: 'password', old: '******', new: '******' },
        { path: 'a', old: 1, new: 2 },
      ],
    });
    expect((await service.ask(`${url}/diff?from=2&to=1`)).json).toMatchObject({ from: 2, to: 1 });
    const text = await service.ask(`${url}/text?version=1`);
    expect(text.headers.get('content-type')).toBe('application/hocon; charset=utf-8');
    expect(text.text).toBe('password: "******", a: 1 # first');
    const tag = await tagOf(service, configId);
    const restore = (headers: Record<string, string>) =>
      service.ask(`${url}/versions/1/restore`, { method: 'POST', headers });
    expect((await restore({ 'if-match': '"1-x"' })).status).toBe(412);
    expect((await restore({ 'if-match': tag })).json).toMatchObject({ configId, version: 3 });
    await service.run(configId);
    const { root } = service.threads.last.request;
    expect(root.entries.get('password')).toMatchObject({ value: 'hunter2' });
    expect((await service.ask(`${url}/versions/9`)).json).toMatchObject({ status: 404, hint: expect.any(String) });
    expect((await service.ask(`${url}/versions/x`)).status).toBe(400);
    expect((await service.ask(`${url}/diff?from=9`)).status).toBe(404);
    const other = await service.store('a: 2, password: hunter4');
    expect((await service.ask(`${url}/diff?from=2&other=${other}`)).json).toMatchObject({
      from: 2,
      to: 1,
      changes: [{ path: 'password', old: '******', new: '******' }],
    });
    for (const path of ['versions', 'versions/1', 'text', 'diff']) {
      expect((await service.ask(`/v1/config/none/${path}`)).status).toBe(404);
    }
  });

  it('are compared, shown and run with overrides, also if they are large', async () => {
    const service = await testService();
    const filler = `# ${'x'.repeat(20_000)}\n`;
    const configId = await service.store(`${filler}password: hunter2, a: 1, b: \${a}`);
    await service.ask(`/v1/config/${configId}`, put(`${filler}password: hunter2, a: 2, b: \${a}`));
    expect((await service.ask(`/v1/config/${configId}/diff`)).json).toMatchObject({
      changes: [{ path: 'a' }, { path: 'b' }],
    });
    const { text } = await service.ask(`/v1/config/${configId}/text`);
    expect(text).toBe(`${filler}password: "******", a: 2, b: \${a}`);
    const details = await service.run(configId, { overrides: { a: { c: 3 } } });
    expect(details.overrides).toEqual({ a: { c: 3 } });
    expect(service.threads.last.request.root.entries.get('b')).toMatchObject({ kind: 'object' });
  });

  it('are limited by maxConfigVersions; the oldest are deleted', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxConfigVersions: 2 } });
    const configId = await service.store('a: 1');
    for (const n of [2, 3, 4]) await service.ask(`/v1/config/${configId}`, put(`a: ${n}`));
    const { items } = (await service.ask(`/v1/config/${configId}/versions`)).json as { items: { version: number }[] };
    expect(items.map(({ version }) => version)).toEqual([4, 3]);
    expect((await service.ask(`/v1/config/${configId}/versions/2`)).status).toBe(404);
  });

  it('are shown in the details of the runs, and a waiting run keeps its version', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxConcurrentRuns: 1 } });
    const configId = await service.store('a: 1');
    const one = await service.run(configId);
    const waiting = await service.run(configId);
    await service.ask(`/v1/config/${configId}`, put('a: 2'));
    const two = await service.run(configId);
    expect([one, waiting, two].map(({ configVersion }) => configVersion)).toEqual([1, 1, 2]);
    expect(two.configDigest).not.toBe(one.configDigest);
    const values: unknown[] = [];
    for (const { runId } of [one, waiting, two]) {
      values.push(service.threads.last.request.root.entries.get('a'));
      service.threads.last.end('SUCCEEDED');
      await service.ended(runId);
    }
    expect(values).toMatchObject([{ value: 1 }, { value: 1 }, { value: 2 }]);
  });
});

describe('a preset', () => {
  it('can be read with its tag, but not changed', async () => {
    const presets = temporaryDirectory();
    writeFileSync(join(presets, 'films.conf'), VALID);
    const service = await testService({ presets });
    const tag = await tagOf(service, 'films.conf');
    const headers = { 'if-none-match': tag };
    expect((await service.ask('/v1/config/films.conf', { headers })).status).toBe(304);
    for (const [path, request] of [
      ['', put('a: 1')],
      ['', { method: 'DELETE' }],
      ['/versions', {}],
      ['/versions/1', {}],
      ['/versions/1/restore', { method: 'POST' }],
      ['/text', {}],
      ['/diff', {}],
    ] as const) {
      const answer = await service.ask(`/v1/config/films.conf${path}`, request);
      expect(answer.json).toMatchObject({ status: 409, code: 'HR_CONFIG_IS_PRESET' });
    }
    const overridden = { configId: 'films.conf', overrides: { a: 1 } };
    expect((await service.ask('/v1/run', { body: overridden })).json).toMatchObject({ code: 'HR_CONFIG_IS_PRESET' });
    expect(await service.run('films.conf')).toMatchObject({ configId: 'films.conf', configVersion: null });
  });
});
