import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HostileGuest, modest } from './hostile.ts';

const guest = new HostileGuest();

/** Returns a config of nested substitutions: each level is ten times the level before. */
function laughs(levels: number, open: string, close: string): string {
  const level = (i: number) =>
    `a${i} = ${open}${Array.from({ length: 10 }, () => `\${a${i - 1}}`).join(open === '' ? '' : ',')}${close}`;
  return [`a0 = "ha"`, ...Array.from({ length: levels }, (_, i) => level(i + 1))].join('\n');
}

describe('a config that grows when it is resolved', () => {
  it.each([
    ['lists of substitutions', laughs(9, '[', ']')],
    ['texts of substitutions', laughs(9, '', '')],
    ['a substitution of itself', 'a = ${b}\nb = ${a}'],
    ['a list that adds itself', `a = [1]\n${'a = ${a}${a}\n'.repeat(40)}`],
  ])('is refused: %s', async (_, text) => {
    for (const path of ['/v1/config/validate', '/v1/config']) {
      const { status, text: answer } = await guest.post(path, modest({ top: text }));
      expect(answer).toMatch(/HR_CONFIG_(SYNTAX|UNRESOLVED|REFUSED)|too (many|much|large|long|deep)/i);
      expect([200, 400]).toContain(status);
      expect(answer.length).toBeLessThan(100_000);
    }
  });

  it.each([
    ['brackets', '['.repeat(200_000), 'application/hocon'],
    ['braces', '{a:'.repeat(200_000), 'application/hocon'],
    ['brackets of JSON', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'application/json'],
    ['a path', `${'a.'.repeat(100_000)}a = 1`, 'application/hocon'],
    ['substitutions', `${'${'.repeat(100_000)}`, 'application/hocon'],
  ])('is rejected if it is nested too deeply: %s', async (_, text, type) => {
    const { status, text: answer } = await guest.post('/v1/config', text, type);
    expect(status).toBe(400);
    expect(answer.length).toBeLessThan(100_000);
  });

  it('reports its mistakes if it has almost 100,000 values, and is rejected above that', async () => {
    const { status, text } = await guest.post('/v1/config/validate', modest({ top: `x = [${'1,'.repeat(99_900)}1]` }));
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ valid: true });
    const more = modest({ top: `x = [${'{},'.repeat(100_000)}{}]` });
    for (const path of ['/v1/config', '/v1/config/validate']) {
      const answer = await guest.post(path, more);
      expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('more than 100000 values') });
    }
  });
});

describe('a config that reads beyond its text', () => {
  it.each([
    'include "/etc/passwd"',
    'include file("/etc/passwd")',
    'include required(file("secret.conf"))',
    'include url("http://127.0.0.1:1/secret.conf")',
    'include url("file:///etc/passwd")',
    'include classpath("reference.conf")',
    'a { include "secret.conf" }',
  ])('includes nothing: %s', async (include) => {
    writeFileSync(join(guest.open, 'secret.conf'), 'secret = the-secret');
    const { status, text } = await guest.post('/v1/config', modest({ top: include }));
    expect(status).toBe(400);
    expect(text).toContain('HR_CONFIG_INCLUDE');
    expect(text).not.toContain('root:');
    expect(text).not.toContain('the-secret');
  });

  it('reads no environment variable', async () => {
    const { status, text } = await guest.post('/v1/config', modest({ top: 'x = ${PATH}' }));
    expect(status).toBe(400);
    expect(text).toContain('${PATH} is not defined');
    const { text: optional } = await guest.post('/v1/config/validate', modest({ top: 'x = a${?PATH}${?HOME}b' }));
    expect(JSON.parse(optional)).toMatchObject({ valid: true });
    expect(optional).not.toContain(process.env.PATH as string);
  });

  it('loads no modules', async () => {
    for (const name of ['./x.js#X', '/etc/passwd#X', 'node:fs#default', 'fs#X', 'data:text/javascript,1#X']) {
      const { text } = await guest.post('/v1/config/validate', modest({ stages: `{class: "${name}"}` }));
      expect(JSON.parse(text), name).toMatchObject({ valid: false });
    }
  });
});

describe('names of the JavaScript language', () => {
  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__'])(
    'are ordinary names in a config: %s',
    async (name) => {
      const hocon = modest({ top: `${name} { polluted: true, admin: true }\nx { ${name}.polluted = true }` });
      expect(JSON.parse((await guest.post('/v1/config/validate', hocon)).text)).toHaveProperty('valid');
      const json = `{"connectors": [], "pipelines": [], "indexer": {"class": "NopIndexer"}, "${name}": {"polluted": true}}`;
      expect((await guest.post('/v1/config/validate', json, 'application/json')).status).toBe(200);
      const wrong = modest({ stages: `{class: NopStage, ${name}: 1}`, connector: `class: "${name}"` });
      expect((await guest.post('/v1/config/validate', wrong)).text).toContain('HR_CONFIG_UNKNOWN_CLASS');
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    },
  );

  it('are rejected in the body of a request', async () => {
    const { status } = await guest.post('/v1/run', '{"configId": "x", "__proto__": {"a": 1}}', 'application/json');
    expect(status).toBe(400);
  });
});

describe('the policy of the service', () => {
  it('is enforced by the config check, with the position and a hint', async () => {
    const config = modest({
      connector: 'class: CSVConnector, path: "/etc/passwd"',
      stages: '{class: Print, outputFile: "/etc/x.txt"}',
      indexer: 'type: OpenSearch',
      top: 'opensearch { url: "http://169.254.169.254/latest", index: i }',
    });
    const { text } = await guest.post('/v1/config/validate', config);
    const { problems } = JSON.parse(text) as { problems: { code: string; path: string; line: number; hint: string }[] };
    const refused = problems.filter(({ code }) => code === 'HR_POLICY_REFUSED');
    expect(refused.map(({ path, line }) => `${line} ${path}`)).toEqual([
      '1 connectors[0].path',
      '2 pipelines[0].stages[0].outputFile',
      '4 opensearch.url',
    ]);
    for (const { hint } of refused) expect(hint).toContain('`policy` in the service file');
    expect((await guest.run(config)).reported).toContain('HR_POLICY_REFUSED');
  });

  it('protects the store, the service file and the process', async () => {
    for (const path of [join(guest.directory, 'store'), join(guest.directory, 'service.yml'), '/proc/self/environ']) {
      const { status, reported } = await guest.run(modest({ connector: `class: FileConnector, paths: ["${path}"]` }));
      expect(status, path).toBe('FAILED');
      expect(reported).toContain('HR_POLICY_REFUSED');
    }
  });
});
