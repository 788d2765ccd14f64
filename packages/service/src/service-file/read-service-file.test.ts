import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatProblem } from '@headrace/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { hashPassword } from '../auth/password-hash.ts';
import { defaultSettings } from '../settings/service-settings.ts';
import { readServiceFile } from './read-service-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'headrace-service-file-'));
const file = join(directory, 'service.yml');

afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function read(text: string) {
  writeFileSync(file, text);
  const { settings, problems } = await readServiceFile(file);
  return { settings, problems: problems.map((problem) => formatProblem(problem).replace(file, 'service.yml')) };
}

describe('the service file', () => {
  it('may be empty, because all settings have defaults', async () => {
    const { settings, problems } = await read('');
    expect(problems).toEqual([]);
    expect({ ...settings, base: '', file: undefined }).toEqual({ ...defaultSettings(), base: '' });
  });

  it('sets all settings', async () => {
    const hash = await hashPassword('secret');
    const { settings, problems } = await read(`
presetConfig:
  configDirectoryPath: ${directory}
preventConcurrentRuns: true
auth:
  type: basicAuth
  password: 12345
  users:
    - { name: ann, passwordHash: '${hash}', role: operator }
    - { name: bob, password: pw, role: reader }
server:
  host: 127.0.0.1
  applicationConnectors:
    - { type: http, port: 0 }
    - type: https
      port: 8443
      bindHost: '::1'
      keyStorePath: store.p12
      keyStorePassword: changeit
storage: { path: /var/lib/headrace }
limits: { maxConfigs: 5, runHeapMb: 512 }
components: [./my-stage.js]
`);
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      presets: directory,
      preventConcurrentRuns: true,
      auth: {
        password: '12345',
        users: [
          { name: 'ann', passwordHash: hash, role: 'operator' },
          { name: 'bob', password: 'pw', role: 'reader' },
        ],
      },
      listeners: [
        { host: '127.0.0.1', port: 0 },
        { host: '::1', port: 8443, tls: { keyStore: 'store.p12', password: 'changeit' } },
      ],
      storage: { type: 'sqlite', path: '/var/lib/headrace' },
      limits: { ...defaultSettings().limits, maxConfigs: 5, runHeapMb: 512 },
      components: ['./my-stage.js'],
    });
    expect(settings?.base).toMatch(/^file:.*\/$/);
  });

  it('accepts a port and PEM files', async () => {
    const { settings } = await read('server: { host: "::1", port: 8443, tls: { cert: c.pem, key: k.pem } }');
    expect(settings?.listeners).toEqual([{ host: '::1', port: 8443, tls: { cert: 'c.pem', key: 'k.pem' } }]);
  });

  it('sets how runs of one config overlap', async () => {
    expect((await read('runs: { overlap: queue }\npreventConcurrentRuns: true')).settings).toMatchObject({
      overlap: 'queue',
      preventConcurrentRuns: true,
    });
    expect((await read('runs: {}')).settings?.overlap).toBe('allow');
    expect((await read('runs: { overlap: allow }\npreventConcurrentRuns: true')).problems).toEqual([
      'service.yml:1:9: error: preventConcurrentRuns does not allow what runs.overlap does. Remove one of them. [runs.overlap]',
    ]);
    expect((await read('runs: { overlap: wait }')).problems).toEqual([
      'service.yml:1:18: error: runs.overlap is not allow, refuse or queue. [runs.overlap]',
    ]);
  });

  it('reports all problems with their positions', async () => {
    const { settings, problems } = await read(`presetConfg: {}
preventConcurrentRuns: maybe
server:
  port: 70000
storage:
  type: postgres
limits: { maxRun: 3, maxConfigs: 1.5 }
components: x.js
`);
    expect(settings).toBeUndefined();
    expect(problems).toEqual([
      'service.yml:1:1: error: Unknown key presetConfg. Did you mean presetConfig? [presetConfg]',
      'service.yml:2:24: error: preventConcurrentRuns is not true or false. [preventConcurrentRuns]',
      'service.yml:4:9: error: server.port is not a whole number from 0 to 65535. [server.port]',
      'service.yml:6:9: error: storage.type is not sqlite or memory. [storage.type]',
      'service.yml:7:11: error: Unknown key maxRun. Did you mean maxRuns? [limits.maxRun]',
      'service.yml:7:34: error: limits.maxConfigs is not a whole number from 1 to 10000000. [limits.maxConfigs]',
      'service.yml:8:13: error: components is not a list. [components]',
    ]);
  });

  it('also reports missing directories and unknown components in the same list', async () => {
    const { settings, problems } = await read(`presetConfig: { configDirectoryPath: ${directory}/none }
server: { port: 70000 }
policy:
  components: { allow: [built-in, Copyfields], deny: [Print, Prnt] }
auth:
  type: basicAuth
  users:
    - { name: ann, password: x, role: admin }
    - { name: ann, password: y, role: king }
    - { name: "b:c", password: y, role: admin }
    - 5
`);
    expect(settings).toBeUndefined();
    expect(problems.sort()).toEqual(
      [
        `service.yml:1:17: error: The preset directory ${directory}/none (presetConfig.configDirectoryPath) is not a directory. [presetConfig.configDirectoryPath]`,
        'service.yml:2:17: error: server.port is not a whole number from 0 to 65535. [server.port]',
        'service.yml:4:35: error: policy.components.allow names Copyfields, which is not a component. Did you mean CopyFields? [policy.components.allow[1]]',
        'service.yml:4:62: error: policy.components.deny names Prnt, which is not a component. Did you mean Print? [policy.components.deny[1]]',
        'service.yml:9:39: error: auth.users[1].role is not reader, operator or admin. [auth.users[1].role]',
        'service.yml:9:9: error: There are two users ann. [auth.users[1].name]',
        'service.yml:10:9: error: auth.users[2].name has a colon: this user could not log in. Basic authentication ends the name there. [auth.users[2].name]',
        'service.yml:11:7: error: auth.users[3] is not a map of keys and values. [auth.users[3]]',
      ].sort(),
    );
  });

  it('reports a module that cannot be loaded', async () => {
    const { problems } = await read('components: [./none.js]\npolicy: { components: { deny: [Print] } }');
    expect(problems).toEqual([expect.stringMatching(/^service\.yml:1:1: error: .*none\.js.* \[components\]$/)]);
  });

  it('ignores keys of the reference that have no meaning here, with one warning each', async () => {
    const { settings, problems } = await read(`
logging: { level: INFO, loggers: { a: b } }
swagger: { resourcePackage: com.kmwllc.lucille }
server:
  rootPath: /
  adminConnectors: [{ type: http, port: 8081 }]
  applicationConnectors: [{ type: http, port: 8080, acceptorThreads: 2 }]
`);
    expect(settings?.listeners).toEqual([{ host: '127.0.0.1', port: 8080 }]);
    expect(problems).toEqual([
      'service.yml:2:1: warning: logging has no meaning in Headrace and is ignored. [logging]',
      'service.yml:3:1: warning: swagger has no meaning in Headrace and is ignored. [swagger]',
      'service.yml:5:3: warning: server.rootPath has no meaning in Headrace and is ignored. [server.rootPath]',
      'service.yml:6:3: warning: server.adminConnectors has no meaning in Headrace and is ignored. [server.adminConnectors]',
      'service.yml:7:53: warning: server.applicationConnectors[0].acceptorThreads has no meaning in Headrace and is ignored. [server.applicationConnectors[0].acceptorThreads]',
    ]);
  });

  it.each([
    ['auth: { password: x }', 'auth is enabled and has no type'],
    ['auth: { type: basicAuth }', 'auth is enabled but has no users'],
    ['auth: { type: token, password: x }', 'auth.type is not basicAuth'],
    [
      'auth: { type: basicAuth, users: [{ name: a, role: admin }] }',
      'auth.users[0] needs either password or passwordHash',
    ],
    ['auth: { type: basicAuth, users: [{ name: a, role: admin, passwordHash: x }] }', 'is not a scrypt hash'],
    ['auth: { type: basicAuth, users: [{ name: a, role: king, password: x }] }', 'is not reader, operator or admin'],
    ['server: { tls: { cert: a } }', 'server.tls has no key'],
    ['server: { applicationConnectors: [{ type: https, port: 1 }] }', 'is https and has no keyStorePath'],
    ['server: { hosts: 127.0.0.1 }', 'Unknown key hosts. Did you mean host? [server.hosts]'],
    ['storage: { path: /proc/headrace }', 'storage.path /proc/headrace is not on a disk'],
    ['a: b: c', 'Nested mappings'],
    ['- 1', 'is not a map of keys and values'],
  ])('refuses %s', async (text, message) => {
    const { settings, problems } = await read(text);
    expect(settings).toBeUndefined();
    expect(problems.join('\n')).toContain(message);
  });

  it.each(['auth: none', 'auth: { enabled: false }', 'auth: { type: basicAuth, enabled: false, password: x }'])(
    'may disable authentication: %s',
    async (text) => {
      const { settings, problems } = await read(text);
      expect(problems).toEqual([]);
      expect(settings?.auth).toBe('none');
      expect(settings?.audit).toBeUndefined();
    },
  );

  const users = 'auth: { type: basicAuth, password: x }';
  const connectors = 'server: { applicationConnectors: [{ type: http, port: 8080 }] }';
  it.each([
    ['', '127.0.0.1'],
    ['server: { port: 8080 }', '127.0.0.1'],
    [connectors, '127.0.0.1'],
    ['server: { applicationConnectors: [{ port: 8080, bindHost: localhost }] }', 'localhost'],
    ['server: { host: "::1" }', '::1'],
    [users, '0.0.0.0'],
    [`${users}\n${connectors}`, '0.0.0.0'],
    [`${users}\nserver: { host: 10.0.0.7 }`, '10.0.0.7'],
    ['auth: none', '0.0.0.0'],
    [`auth: { enabled: false }\n${connectors}`, '0.0.0.0'],
    ['auth: none\nserver: { host: 10.0.0.7 }', '10.0.0.7'],
  ])('selects a safe host by default, or the configured host: %j', async (text, host) => {
    const { settings, problems } = await read(text);
    expect(problems).toEqual([]);
    expect(settings?.listeners).toEqual([{ host, port: 8080 }]);
  });

  it.each([
    ['server: { host: 0.0.0.0 }', '1:11', 'server.host'],
    ['server: { host: ingest.internal }', '1:11', 'server.host'],
    [
      'server: { applicationConnectors: [{ port: 1, bindHost: 127.0.0.1 }, { port: 2, bindHost: "::" }] }',
      '1:80',
      'server.applicationConnectors[1].bindHost',
    ],
  ])('refuses a host that other machines can reach if auth is not set: %s', async (text, at, key) => {
    const { settings, problems } = await read(text);
    expect(settings).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`service.yml:${at}: error: HR_SERVICE_UNPROTECTED: `);
    expect(problems[0]).toContain(`write auth: none. [${key}]`);
  });

  it('must exist', async () => {
    const { settings, problems } = await readServiceFile(join(directory, 'none.yml'));
    expect(settings).toBeUndefined();
    expect(problems[0]?.message).toContain('The service file cannot be read');
  });
});
