import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/service-settings.ts';
import { temporaryDirectory } from '../testing/temporary-directory.test.support.ts';
import { sharedService, testService, VALID } from '../testing/test-service.test.support.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const hocon = (body: string | Uint8Array) => ({ body, type: 'application/hocon' });
const json = (body: string) => ({ body, type: 'application/json' });

interface Page {
  items: { configId: string; preset: boolean; config: unknown }[];
  next: string | null;
}

const shared = sharedService();

describe('configs over HTTP', () => {
  const empty = sharedService();

  it('are stored as HOCON or JSON, and returned as resolved JSON with secrets masked', async () => {
    const service = shared();
    const stored = await service.ask('/v1/config', hocon(VALID));
    expect(stored.json).toEqual({ configId: expect.stringMatching(UUID_V4) });
    const { configId } = stored.json as { configId: string };
    const answer = await service.ask(`/v1/config/${configId}`);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.json).toEqual({
      connectors: [{ name: 'files', class: 'Files', pipeline: 'main', password: '******' }],
      pipelines: [{ name: 'main', stages: [{ class: 'Upper', source: 'title' }] }],
      indexer: { type: 'Nowhere' },
    });
    const other = await service.ask('/v1/config', json('{"b": 9007199254740993, "a": 1.0, "7": null}'));
    const { configId: otherId } = other.json as { configId: string };
    expect((await service.ask(`/v1/config/${otherId}`)).text).toContain('9007199254740993');
    expect(Object.keys((await service.ask('/v1/config')).json)).toEqual([otherId, configId]);
  });

  it('accept a charset in the content type', async () => {
    const service = shared();
    expect((await service.ask('/v1/config', { body: '{}', type: 'application/json; charset=utf-8' })).status).toBe(200);
    expect((await service.ask('/v1/config', { body: 'a=1', type: 'Application/HOCON' })).status).toBe(200);
  });

  it('are stored with a list of their problems, or refused with ?validate=true', async () => {
    const service = await testService();
    const misspelt = VALID.replace('source', 'sorce');
    const stored = (await service.ask('/v1/config', hocon(misspelt))).json as { problems: object[] };
    expect(stored.problems).toContainEqual(
      expect.objectContaining({ severity: 'error', path: 'pipelines[0].stages[0].sorce', line: 3 }),
    );
    const refused = await service.ask('/v1/config?validate=true', hocon(misspelt));
    expect(refused.json).toMatchObject({ status: 400, problems: stored.problems });
    expect((await service.ask('/v1/config?validate=true', hocon(VALID))).status).toBe(200);
    expect((await service.ask('/v1/config?validate=perhaps', hocon(VALID))).status).toBe(400);
    expect(Object.keys((await service.ask('/v1/config')).json)).toHaveLength(2);
  });

  it('are checked without being stored', async () => {
    const service = await testService();
    const check = async (text: string) => (await service.ask('/v1/config/validate', hocon(text))).json;
    expect(await check(VALID)).toEqual({ valid: true, problems: [] });
    expect(await check(VALID.replace('Upper', 'Uper'))).toMatchObject({
      valid: false,
      problems: [{ code: 'HR_CONFIG_UNKNOWN_CLASS', message: expect.stringContaining('Uper') }],
    });
    expect(await check('a: ${b}')).toMatchObject({ valid: false, problems: [{ line: 1, column: 4 }] });
    expect((await service.ask('/v1/config')).text).toBe('{}');
  });

  it.each([
    ['HOCON with a syntax error', hocon('a: {\n  b: 1,\n  c: "open\n}'), 'line 3'],
    ['JSON with a syntax error', json('{"a": 1,,}'), 'line 1, column 9'],
    ['a text sent as JSON that is neither JSON nor HOCON', json('a: 1\nb: [1}'), 'line 2, column 6'],
    ['a list', hocon('[1, 2]'), 'list'],
    ['a list in JSON', json('[]'), 'list'],
    ['a number', json('7'), ''],
    ['bytes that are not UTF-8', hocon(new Uint8Array([0x61, 0x3a, 0xff, 0xfe])), 'UTF-8'],
    ['a cycle', hocon('a: ${b}\nb: ${a}'), 'refers to itself'],
    ['an include of a file', hocon('include required("/etc/passwd")'), 'include'],
    ['an optional include', hocon('include "common.conf"'), 'only config files may include other files'],
    ['much nesting', hocon(`a: ${'['.repeat(10_000)}`), 'nested'],
    ['substitutions that double the text with each line', hocon(bomb()), 'substitutions'],
  ])('refuse %s', async (_name, request, message) => {
    const service = empty();
    const answer = await service.ask('/v1/config', request);
    expect(answer.json).toMatchObject({ status: 400, error: 'Bad Request', message: expect.stringContaining(message) });
    expect((await service.ask('/v1/config')).text).toBe('{}');
  });

  it('have no access to the environment, files or modules', async () => {
    const service = await testService({}, { env: { SECRET_ENV: 'x' } });
    expect((await service.ask('/v1/config', hocon('a: ${SECRET_ENV}'))).status).toBe(400);
    const id = await service.store('a: ${?PATH}, b: 1');
    expect((await service.ask(`/v1/config/${id}`)).json).toEqual({ b: 1 });
    const module = VALID.replace('Upper', '"/tmp/evil.mjs#Evil"');
    expect((await service.ask('/v1/config/validate', hocon(module))).json).toMatchObject({
      valid: false,
      problems: [{ message: expect.stringContaining('may not load the module') }],
    });
    await service.run(await service.store());
    expect(service.threads.last.request.registry).toMatchObject({ allowModules: false });
  });

  it('are checked without reading the files that they name', async () => {
    const service = shared();
    const withValues = (path: string) =>
      hocon(VALID.replace('class: Upper', `class: Upper, conditions: [{ fields: [a], valuesPath: "${path}" }]`));
    const answers = await Promise.all(
      ['/etc/hostname', '/no/such/file', '/dev/zero'].map((path) =>
        service.ask('/v1/config/validate', withValues(path)),
      ),
    );
    for (const { json } of answers) expect(json).toEqual({ valid: true, problems: [] });
  });

  it('may contain keys such as __proto__ and constructor', async () => {
    const service = shared();
    const id = await service.store('"__proto__": {polluted: 1}, constructor: 2');
    expect((await service.ask(`/v1/config/${id}`)).text).toBe('{"__proto__":{"polluted":1},"constructor":2}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('are read in a separate thread if they are large', async () => {
    const service = shared();
    const fields = Array.from({ length: 2000 }, (_, i) => `"field-${i}": "value ${i}"`).join(',\n');
    const id = await service.store(`${VALID}\nmapping { ${fields} }`);
    const answer = (await service.ask(`/v1/config/${id}`)).json as { mapping: Record<string, string> };
    expect(Object.keys(answer.mapping)).toHaveLength(2000);
    await service.run(id);
    expect(service.threads.last.request.root.entries.get('mapping')).toMatchObject({ kind: 'object' });
    const wrong = `${VALID.replace('Upper', 'Uper')}\nmapping { ${fields}, a: \${none} }`;
    expect((await service.ask('/v1/config', hocon(wrong))).json).toMatchObject({ problems: [{ line: 2005 }] });
  });

  it('are refused when the store contains maxConfigs configs', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxConfigs: 2 } });
    const first = await service.store('a: 1');
    await service.store('a: 2');
    const refused = await service.ask('/v1/config', hocon('a: 3'));
    expect(refused.json).toMatchObject({
      status: 400,
      code: 'HR_CONFIG_STORE_FULL',
      message: expect.stringContaining('2'),
    });
    await service.ask(`/v1/config/${first}`, { method: 'DELETE' });
    await service.store('a: 3');
  });

  it('are listed in pages, presets first, then newest first', async () => {
    const presets = temporaryDirectory();
    for (const name of ['b.conf', 'a.conf']) writeFileSync(join(presets, name), `name: ${name}`);
    const service = await testService({ presets });
    const ids = [];
    for (let i = 0; i < 3; i++) ids.unshift(await service.store(`a: ${i}`));
    const all = ['a.conf', 'b.conf', ...ids];
    for (const limit of [1, 2, 3, 5]) {
      const seen: string[] = [];
      let next: string | null = '';
      while (next !== null) {
        const query: string = next === '' ? '' : `&after=${encodeURIComponent(next)}`;
        const page: Page = (await service.ask(`/v1/config?limit=${limit}${query}`)).json;
        expect(page.items.length).toBeLessThanOrEqual(limit);
        seen.push(...page.items.map((item) => item.configId));
        next = page.next;
      }
      expect(seen).toEqual(all);
    }
    const [preset] = ((await service.ask('/v1/config?limit=1')).json as Page).items;
    expect(preset).toMatchObject({ configId: 'a.conf', preset: true, config: { name: 'a.conf' } });
    expect((await service.ask('/v1/config?limit=0')).status).toBe(400);
    expect((await service.ask('/v1/config?limit=9999')).status).toBe(400);
  });
});

it('a config check with connect=true needs the role admin', async () => {
  const service = await testService({ auth: { users: [{ name: 'op', password: 'right', role: 'operator' }] } });
  const check = async (query: string) =>
    (await service.ask(`/v1/config/validate${query}`, { ...hocon(VALID), auth: 'op:right' })).json;
  expect(await check('')).toMatchObject({ valid: true });
  expect(await check('?connect=true')).toMatchObject({
    status: 403,
    message: 'op has the role operator; this needs the role admin',
  });
});

it('a test file in the preset directory is not loaded as a preset', async () => {
  const presets = temporaryDirectory();
  writeFileSync(join(presets, 'a.conf'), 'name: a');
  writeFileSync(join(presets, 'a.test.conf'), 'tests: []');
  const service = await testService({ presets });
  const { items } = (await service.ask('/v1/config?limit=10')).json as Page;
  expect(items.map(({ configId }) => configId)).toEqual(['a.conf']);
});

describe('presets', () => {
  it('are the config files of the preset directory; an unusable file is skipped with a warning', async () => {
    const presets = temporaryDirectory();
    mkdirSync(join(presets, 'sub.conf'));
    writeFileSync(join(presets, 'good.hocon'), 'include "sub.conf/common.conf"\nb: ${a} ${FROM_ENV}');
    writeFileSync(join(presets, 'sub.conf', 'common.conf'), 'a: 1');
    writeFileSync(join(presets, 'plain.json'), '{"x": [1]}');
    writeFileSync(join(presets, 'notes.txt'), 'a: 1');
    writeFileSync(join(presets, 'broken.conf'), 'a: 1\nb: ${nowhere}');
    writeFileSync(join(presets, 'wrong.json'), '{"a": }');
    symlinkSync(join(presets, 'plain.json'), join(presets, 'link.json'));
    const service = await testService({ presets }, { env: { FROM_ENV: 'e' } });
    expect((await service.ask('/v1/config')).json).toEqual({
      'good.hocon': { a: 1, b: '******' },
      'link.json': { x: [1] },
      'plain.json': { x: [1] },
    });
    const warnings = service.log.warnings.join('\n');
    expect(warnings).toContain(`${join(presets, 'broken.conf')}:2:4`);
    expect(warnings).toContain(`${join(presets, 'wrong.json')}:1:`);
    await service.run('good.hocon');
    expect(service.threads.last.request.registry).toMatchObject({
      allowModules: true,
      base: expect.stringContaining(presets),
    });
    expect(service.threads.last.request.trusted).toBe(true);
    await service.run(await service.store());
    expect(service.threads.last.request.trusted).toBe(false);
  });

  it('are loaded even if they are invalid, with a warning that gives the position of each error', async () => {
    const presets = temporaryDirectory();
    const wrong = VALID.replace('source', 'sorce').replace('Nowhere', 'Somewhere');
    writeFileSync(join(presets, 'wrong.conf'), wrong);
    writeFileSync(join(presets, 'right.conf'), VALID);
    const service = await testService({ presets });
    const place = join(presets, 'wrong.conf');
    const warnings = service.log.warnings.filter((warning) => warning.includes('Preset')).join('\n');
    expect(warnings).toMatch(`Preset wrong.conf is not valid: ${place}:3:`);
    expect(warnings).toMatch(`Preset wrong.conf is not valid: ${place}:4:`);
    expect(warnings).toContain('sorce');
    expect(warnings).toContain('Somewhere');
    expect(warnings).not.toContain('right.conf');
    expect((await service.run('wrong.conf')).configId).toBe('wrong.conf');
  });

  it('prevent the start of the service if the preset directory does not exist', async () => {
    await expect(testService({ presets: '/no/such/directory' })).rejects.toThrow('/no/such/directory');
  });
});

/** Returns a config whose text doubles with each line. */
function bomb(): string {
  return ['a0: xxxxxxxxxx', ...Array.from({ length: 60 }, (_, i) => `a${i + 1}: \${a${i}}\${a${i}}`)].join('\n');
}
