import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ObjectNode } from '@headrace/hocon';
import { describe, expect, it } from 'vitest';
import { nearest } from '../errors/nearest.ts';
import { formatProblem, hasErrors, inTextOrder, type Problem, withHint } from '../errors/problem.ts';
import { readConfigFile, readConfigText } from './read-config.ts';
import { configToJson, maskSecrets, maskTexts, secretTexts } from './render-config.ts';
import { isSecretKey } from './secret-names.ts';
import { MASK } from './secret-parts.ts';

describe('readConfigText', () => {
  it('returns the tree, after substitutions, environment variables and overrides', () => {
    const { root, problems } = readConfigText('a = 1\nb = ${a}\nc = ${NAME}', {
      env: { NAME: 'n' },
      overrides: { 'd.e': 'x', a: '2' },
    });
    expect(problems).toEqual([]);
    expect(JSON.parse(configToJson(root as ObjectNode))).toEqual({ a: '2', b: '2', c: 'n', d: { e: 'x' } });
  });

  it.each([
    ['a = [1', 'HR_CONFIG_SYNTAX'],
    ['a = ${b}', 'HR_CONFIG_UNRESOLVED'],
    ['a = ${a}', 'HR_CONFIG_UNRESOLVED'],
    ['a = ${HOME}', 'HR_CONFIG_UNRESOLVED'],
    ['include required("x.conf")', 'HR_CONFIG_INCLUDE'],
    ['a = [1] {b: 1}', 'HR_CONFIG_WRONG_TYPE'],
  ])('reports the error code for the text %s: %s', (text, code) => {
    const { problems } = readConfigText(text);
    expect(problems[0]).toMatchObject({ severity: 'error', code, path: '', line: 1 });
    expect(problems[0]?.column).toBeGreaterThan(0);
    expect(problems[0]?.message).not.toBe('');
  });

  it('returns no tree for a text that is not an object', () => {
    expect(readConfigText('[1, 2]')).toMatchObject({
      root: undefined,
      problems: [{ code: 'HR_CONFIG_NOT_AN_OBJECT' }],
    });
    expect(readConfigText('[1]', { format: 'json' })).toMatchObject({ root: undefined });
  });

  it('finds several mistakes in one text, in order', () => {
    expect(readConfigText('a = ${x}\nb = 1\nc = ${y}').problems.map(({ line }) => line)).toEqual([1, 3]);
    const { problems } = readConfigText('a = 1\nb = [1] {c: 2}\nd = ]\ne = ${x}');
    expect(problems.map(({ line }) => line)).toEqual([2, 3, 4]);
  });

  it('returns hints as sentences', () => {
    expect(readConfigText('a = ${b}').problems[0]?.hint).toBe('Define b, or write ${?b} where it may be missing.');
  });
});

describe('readConfigFile', () => {
  it('reports that a file cannot be read, without a line number', () => {
    const path = join(tmpdir(), 'headrace-no-such.conf');
    const { root, problems } = readConfigFile(path);
    expect(root).toBeUndefined();
    expect(problems).toEqual([
      {
        severity: 'error',
        code: 'HR_SOURCE_UNREADABLE',
        path: '',
        file: path,
        message: expect.stringContaining('ENOENT'),
        hint: 'Check the path, and that the process has permission to read the file.',
      },
    ]);
  });

  it('reads includes, and reports the file of a mistake', () => {
    const folder = mkdtempSync(join(tmpdir(), 'headrace-config-'));
    try {
      writeFileSync(join(folder, 'main.conf'), 'include "other"\na = 1');
      writeFileSync(join(folder, 'other.conf'), 'b = 2\nc = [');
      const { problems } = readConfigFile(join(folder, 'main.conf'));
      expect(problems[0]).toMatchObject({ code: 'HR_CONFIG_SYNTAX' });
      expect(problems[0]?.file).toMatch(/other\.conf$/);
      writeFileSync(join(folder, 'other.conf'), 'b = 2');
      const { root } = readConfigFile(join(folder, 'main.conf'), { overrides: { b: '3' } });
      expect(JSON.parse(configToJson(root as ObjectNode))).toEqual({ a: 1, b: '3' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('formatProblem', () => {
  const problem: Problem = { severity: 'error', code: 'HR_CONFIG_SYNTAX', path: 'a.b', message: 'It is wrong' };

  it('formats a problem as compilers do', () => {
    expect(formatProblem({ ...problem, line: 3, column: 7, component: 'c', hint: 'Do so.' }, '../movies.conf')).toBe(
      '../movies.conf:3:7: error: c: It is wrong. Do so. [a.b]',
    );
    expect(formatProblem({ ...problem, path: '', severity: 'warning' })).toBe('warning: It is wrong.');
    expect(formatProblem({ ...problem, message: 'Wrong.', file: 'b.conf', line: 1, column: 1 }, 'a.conf')).toBe(
      'b.conf:1:1: error: Wrong. [a.b]',
    );
  });

  it('formats message and hint as sentences', () => {
    expect(formatProblem({ ...problem, hint: 'Write it in brackets' })).toBe(
      'error: It is wrong. Write it in brackets. [a.b]',
    );
    expect(withHint({ message: 'Is it?', hint: 'No!' })).toBe('Is it? No!');
  });

  it('sorts problems in the order of the text', () => {
    const at = (file: string | undefined, line?: number, column?: number): Problem =>
      ({ ...problem, file, line, column }) as Problem;
    const sorted = [
      at(undefined, 1, 2),
      at(undefined, 1, 9),
      at(undefined, 10, 1),
      at('a', 2, 1),
      at('b', 1, 1),
      at('a'),
    ];
    expect(inTextOrder([...sorted].reverse())).toEqual(sorted);
  });

  it('separates errors from warnings', () => {
    expect(hasErrors([])).toBe(false);
    expect(hasErrors([{ ...problem, severity: 'warning' }])).toBe(false);
    expect(hasErrors([{ ...problem, severity: 'warning' }, problem])).toBe(true);
  });
});

describe('nearest', () => {
  const names = ['inputField', 'outputField', 'delimiter', 'updateMode', 'id'];

  it.each([
    ['inputfield', 'inputField'],
    ['inptuField', 'inputField'],
    ['input_field', 'inputField'],
    ['delimter', 'delimiter'],
    ['delimiters', 'delimiter'],
    ['Updatemode', 'updateMode'],
    ['ID', 'id'],
    ['idd', 'id'],
  ])('suggests for the name %s the name %s', (name, meant) => {
    expect(nearest(name, names)).toBe(meant);
  });

  it.each(['', 'path', 'separator', 'xyz', 'x'.repeat(1_000_000)])(
    'suggests nothing for %s, because no name is similar',
    (name) => {
      expect(nearest(name, names)).toBeUndefined();
    },
  );

  it('suggests the most similar name, and the first of several', () => {
    expect(nearest('fields', ['field', 'fields'])).toBe('fields');
    expect(nearest('fieldx', ['fielda', 'fieldb'])).toBe('fielda');
    expect(nearest('a', [])).toBeUndefined();
  });
});

describe('secrets of a config', () => {
  const read = (text: string) => readConfigText(text, { env: { DIR: '/srv/secret-place' } }).root as ObjectNode;

  it('are masked at every position of the config', () => {
    const root = read('dbPassword = hunter2, url: "jdbc:x?u=me", b = ${dbPassword}, c = "say hunter2!", n: hunt');
    expect(JSON.parse(configToJson(maskSecrets(root)))).toEqual({
      dbPassword: MASK,
      url: 'jdbc:x?u=me',
      b: MASK,
      c: `say ${MASK}!`,
      n: 'hunt',
    });
  });

  it('are masked in messages that show their line breaks escaped', () => {
    const { root } = readConfigText('privateKey: "BEGIN\\nabcd\\nEND"');
    const secrets = secretTexts(root as ObjectNode, false);
    const problem = {
      severity: 'error',
      code: 'HR_CONFIG_SYNTAX',
      path: '',
      message: 'Bad: BEGIN\nabcd\nEND',
    } as const;
    expect(maskTexts(formatProblem(problem), secrets)).toBe(`error: Bad: ${MASK}.`);
  });

  it('are masked in messages that show a part of a URL or header, but common words are not', () => {
    const root = read(`path: "https://a.example/c/k?sv=1&sig=SeCr3t%2Fsas&code=abc&kind=products", headers {
      Authorization: "Bearer abcd-1234", X-Env: production, X-Id: f00-bar-7 }`);
    const secrets = secretTexts(root, false);
    const mask = (text: string) => maskTexts(text, secrets);
    expect(mask('no blob c/k?sv=1&sig=SeCr3t%2Fsas')).toBe(`no blob c/k?sv=1&${MASK}`);
    expect(mask('signature SeCr3t/sas is expired')).toBe(`signature ${MASK} is expired`);
    expect(mask('GET k?code=abc&kind=products')).toBe(`GET k?${MASK}&${MASK}`);
    expect(mask('token abcd-1234 and f00-bar-7')).toBe(`token ${MASK} and ${MASK}`);
    expect(mask('abc products in production')).toBe('abc products in production');
  });

  it('are masked in messages, including values from the environment', () => {
    const root = read('apiKey = k3y-value, path = ${DIR}/in.csv, pin { password: abc }');
    const secrets = secretTexts(root, true);
    expect(maskTexts('Cannot read /srv/secret-place/in.csv with k3y-value', secrets)).toBe(
      `Cannot read ${MASK} with ${MASK}`,
    );
    // Short secrets are not masked, because this would hide too much of every text.
    expect(secrets).not.toContain('abc');
    expect(secretTexts(root, false)).toEqual(['k3y-value']);
  });
});

/** Returns parameters whose values are masked. */
function masks(...names: string[]): string {
  return names.map((name) => `${name}=${MASK}`).join('&');
}

describe('maskSecrets', () => {
  /** Returns the masked config, as the service shows it. */
  function masked(text: string, env: Record<string, string> = {}): unknown {
    const { root, problems } = readConfigText(text, { env });
    expect(problems).toEqual([]);
    return JSON.parse(configToJson(maskSecrets(root as ObjectNode)));
  }

  it.each([
    'password',
    'Password',
    'jdbcPassword',
    'dbpassword',
    'db_password',
    'pass',
    'userPass',
    'passwd',
    'pwd',
    'dbPwd',
    'pw',
    'userPw',
    'smtp_pw',
    'passphrase',
    'secret',
    'clientSecret',
    'secretAccessKey',
    'secrets',
    'apiKey',
    'apikey',
    'api_key',
    'api-key',
    'x-api-key',
    'X-Api-Key',
    'APIKey',
    'accessKey',
    'accessKeyId',
    'aws.accessKey',
    'privateKey',
    'private_key',
    'accountKey',
    'sseCustomerKey',
    'sharedKey',
    'subscriptionKey',
    'token',
    'accessToken',
    'api_token',
    'credential',
    'credentials',
    'connectionString',
    'authorization',
    'Authorization',
    'javax.net.ssl.keyStorePassword',
    'sasl.jaas.config',
    'sasToken',
    'sas',
    'Cookie',
    'signature',
    'X-Functions-Key',
    'functionsKey',
    'PGPASS',
    'bearer',
    'authToken',
    'webhook',
    'webhookUrl',
    'dsn',
    'salt',
    'pin',
    'login',
    'passcode',
  ])('masks the value of the key %s', (key) => {
    expect(isSecretKey(key)).toBe(true);
    expect(masked(`block { ${JSON.stringify(key)}: hidden }`)).toEqual({ block: { [key]: MASK } });
  });

  it.each([
    'name',
    'bypass',
    'pwned',
    'compass',
    'passengers',
    'key',
    'keys',
    'keyField',
    'primaryKey',
    'idField',
    'tokenizer',
    'maxTokens',
    'tokenPattern',
    'secretary',
    'author',
    'url',
    'userName',
    'accountName',
    'authors',
    'signal',
    'passwordField',
    'loginTimeout',
    'signatureVersion',
    'pinned',
    'hostKey',
  ])('does not mask the value of the key %s', (key) => {
    expect(isSecretKey(key)).toBe(false);
    expect(masked(`${key}: shown`)).toEqual({ [key]: 'shown' });
  });

  it('masks every value below a secret key, of any type, except null', () => {
    expect(masked('credentials { user: u, port: 5, on: true, list: [a, {b: c}], none: null }')).toEqual({
      credentials: { user: MASK, port: MASK, on: MASK, list: [MASK, { b: MASK }], none: null },
    });
  });

  it('masks HTTP headers and environment variables, except harmless headers', () => {
    expect(
      masked(
        'headers { X-Foo: QQ, Accept: a, "Content-Type": b, X-Functions-Key: PP }, env { A: x }, environment: test',
      ),
    ).toEqual({
      headers: { 'X-Foo': MASK, Accept: 'a', 'Content-Type': 'b', 'X-Functions-Key': MASK },
      env: { A: MASK },
      environment: 'test',
    });
  });

  it('masks values that come from the environment, completely or in part', () => {
    expect(
      masked('a = ${A}\nb = "x"${A}"y"\nc = [${A}]\nd = ${a}\ne = ${?NONE}\nf = ${g}\ng = shown\nn = ${N}', {
        A: 'v',
        N: '5',
      }),
    ).toEqual({ a: MASK, b: MASK, c: [MASK], d: MASK, f: 'shown', g: 'shown', n: MASK });
  });

  it.each([
    ['https://user:pa55@host:9200/path', `https://${MASK}:${MASK}@host:9200/path`],
    ['https://user:p@ss@host', `https://${MASK}:${MASK}@host`],
    ['https://ghp_token@host/path', `https://${MASK}@host/path`],
    ['sftp://user@host/path', 'sftp://user@host/path'],
    ['sftp://user:pa55@host/path', `sftp://user:${MASK}@host/path`],
    ['redis://:pa55@host', `redis://:${MASK}@host`],
    ['mongodb+srv://u:p@h', `mongodb+srv://u:${MASK}@h`],
    ['jdbc:postgresql://u:p@h/db', `jdbc:postgresql://u:${MASK}@h/db`],
    ['https://a:1@one,https://b:2@two', `https://${MASK}:${MASK}@one,https://${MASK}:${MASK}@two`],
    ['https://host:9200/a@b', 'https://host:9200/a@b'],
    ['https://host?api_key=abc&q=1', `https://host?api_key=${MASK}&q=1`],
    ['https://h/c?sv=1&sig=a%2Fb%3D&se=2', `https://h/c?sv=1&sig=${MASK}&se=2`],
    [
      'http://h/v1?key=A&code=B&auth=C&signature=D&sas=E',
      `http://h/v1?${masks('key', 'code', 'auth', 'signature', 'sas')}`,
    ],
    ['s3://b/k?X-Amz-Signature=K&X-Amz-Date=2', `s3://b/k?X-Amz-Signature=${MASK}&X-Amz-Date=2`],
    [
      'http://h/v1?anything=new&q=a b&page=2#access_token=T',
      `http://h/v1?anything=${MASK}&q=a b&page=2#access_token=${MASK}`,
    ],
    ['http://h/{id}?x={id}&y=${z}', 'http://h/{id}?x={id}&y=${z}'],
    ['http://h/x?0123456789abcdef', `http://h/x?${MASK}`],
    ['http://h/x?wsdl', 'http://h/x?wsdl'],
    ['http://www.w3.org/2001/XMLSchema#string', 'http://www.w3.org/2001/XMLSchema#string'],
    ['https://hooks.chat.example/services/T0/B0/PATH', `https://hooks.chat.example/${MASK}`],
    ['https://chat.example/api/webhooks/1/abc', `https://chat.example/api/webhooks/${MASK}`],
    ['https://bots.example/bot12:abc/send', `https://bots.example/bot${MASK}`],
    ['the page http://h/x?sid=1, then text', `the page http://h/x?sid=${MASK} then text`],
    ['jdbc:sqlserver://h;loginTimeout=5;databaseName=d', 'jdbc:sqlserver://h;loginTimeout=5;databaseName=d'],
    ['jdbc:sqlserver://h;user=sa;password=s3cr', `jdbc:sqlserver://h;user=sa;password=${MASK}`],
    ['jdbc:mysql://h/db?user=a&password=b', `jdbc:mysql://h/db?user=a&password=${MASK}`],
    ['jdbc:mysql://h/db?user=a&pw=b', `jdbc:mysql://h/db?user=a&pw=${MASK}`],
    [
      'DefaultEndpointsProtocol=https;AccountName=n;AccountKey=k==;EndpointSuffix=s',
      `DefaultEndpointsProtocol=https;AccountName=n;AccountKey=${MASK};EndpointSuffix=s`,
    ],
    [
      'PlainLoginModule required username="u" password="a b";',
      `PlainLoginModule required username="u" password=${MASK};`,
    ],
    ['{"password": "x", "user": "u"}', `{"password": ${MASK}, "user": "u"}`],
    ['Authorization: Bearer abc.def', `Authorization: ${MASK}`],
    ['a text without = any', 'a text without = any'],
  ])('masks secrets inside a text: %s', (text, expected) => {
    expect(masked(`value = ${JSON.stringify(text)}`)).toEqual({ value: expected });
  });

  it('finds secrets in long texts quickly', () => {
    for (const text of ['a'.repeat(500_000), 'a='.repeat(200_000), '://'.repeat(150_000), `a${' '.repeat(500_000)}b`]) {
      expect(masked(`value = ${JSON.stringify(text)}`)).toEqual({ value: text });
    }
  });

  it('does not change the original config', () => {
    const { root } = readConfigText('password = x\nlist = [{token: y}]');
    const before = configToJson(root as ObjectNode);
    maskSecrets(root as ObjectNode);
    expect(configToJson(root as ObjectNode)).toBe(before);
  });

  it('formats a config for people, sorted', () => {
    const { root } = readConfigText('b = 1\na = [1.50, x]');
    expect(configToJson(root as ObjectNode, { indent: 2, sorted: true }).indexOf('"a"')).toBeLessThan(
      configToJson(root as ObjectNode, { indent: 2, sorted: true }).indexOf('"b"'),
    );
  });
});
