import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatProblem } from '@headrace/engine';
import { afterAll, describe, expect, it } from 'vitest';
import { newToken, tokenDigest } from '../auth/token.ts';
import { readServiceFile } from './read-service-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'headrace-service-file-'));
const file = join(directory, 'service.yml');

afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function read(text: string) {
  writeFileSync(file, text);
  const { settings, problems } = await readServiceFile(file);
  return { settings, problems: problems.map((problem) => formatProblem(problem).replace(file, 'service.yml')) };
}

const SECRET = 'a secret that is long enough to be one';

describe('tokens in the service file', () => {
  it('are stored as digests, with or without basic authentication', async () => {
    const { tokenHash, token } = newToken();
    const { settings, problems } = await read(`
auth:
  tokens:
    - { name: ci, tokenHash: "${tokenHash}", role: operator, expires: 2027-06-30 }
    - { name: grafana, token: "${SECRET}", role: reader }
`);
    expect(problems).toEqual([]);
    expect(settings?.auth).toEqual({
      users: [],
      tokens: [
        { name: 'ci', role: 'operator', sha256: tokenDigest(token), expires: Date.UTC(2027, 5, 30) },
        { name: 'grafana', role: 'reader', sha256: tokenDigest(SECRET) },
      ],
    });
    expect(JSON.stringify(settings)).not.toContain(SECRET);
  });

  it.each([
    ['{ name: a, role: reader }', 'auth.tokens[0] needs either token or tokenHash'],
    ['{ name: a, role: reader, token: short }', 'auth.tokens[0].token is shorter than 32 characters'],
    ['{ name: a, role: reader, tokenHash: abc }', 'auth.tokens[0].tokenHash is not the hash of a token'],
    [`{ name: a, role: king, token: ${SECRET} }`, 'auth.tokens[0].role is not reader, operator or admin'],
    [`{ role: reader, token: ${SECRET} }`, 'auth.tokens[0] has no name'],
    [`{ name: a, role: reader, token: ${SECRET}, expires: soon }`, 'auth.tokens[0].expires is not a date'],
    [`{ name: a, role: reader, token: ${SECRET}, expires: 2027-06-31 }`, 'auth.tokens[0].expires is not a date'],
    [`{ name: a, role: reader, token: ${SECRET} }, { name: a, role: reader, token: ${SECRET} }`, 'two tokens a'],
  ])('are refused: %s', async (token, message) => {
    const { settings, problems } = await read(`auth: { tokens: [${token}] }`);
    expect(settings).toBeUndefined();
    expect(problems.join('\n')).toContain(message);
  });
});

describe('operation settings in the service file', () => {
  it('set log, audit, shutdown, trusted proxies and limits', async () => {
    const { settings, problems } = await read(`
log: { level: debug, format: json, requests: true }
audit: { path: /var/log/headrace/audit.jsonl }
shutdown: { graceSeconds: 300 }
server: { trustedProxies: [10.0.0.7, 192.168.0.0/16, "fd00::/8"] }
limits: { maxConnections: 50, maxHeaders: 20, headersTimeoutSeconds: 5, minFreeDiskMb: 0 }
`);
    expect(problems).toEqual([]);
    expect(settings).toMatchObject({
      log: { level: 'debug', format: 'json', requests: true },
      audit: { path: '/var/log/headrace/audit.jsonl' },
      shutdownGraceSeconds: 300,
      trustedProxies: ['10.0.0.7', '192.168.0.0/16', 'fd00::/8'],
      limits: { maxConnections: 50, maxHeaders: 20, headersTimeoutSeconds: 5, minFreeDiskMb: 0 },
    });
  });

  it.each([
    ['', undefined],
    ['auth: { type: basicAuth, password: x }', {}],
    ['auth: { type: basicAuth, password: x }\naudit: { enabled: false }', undefined],
    ['audit: {}', {}],
  ])('enable the audit log if there are users: %s', async (text, audit) => {
    expect((await read(text)).settings?.audit).toEqual(audit);
  });

  it('convert allowedHosts to lower case, with or without a port', async () => {
    const { settings } = await read('server: { allowedHosts: [Ingest.example, "x:8443", 10.0.0.7, "[fd00::1]:80"] }');
    expect(settings?.allowedHosts).toEqual(['ingest.example', 'x:8443', '10.0.0.7', '[fd00::1]:80']);
  });

  it('report all their problems', async () => {
    const { settings, problems } = await read(`log: { level: loud }
audit: { file: x }
shutdown: { graceSeconds: -1 }
server: { trustedProxies: [proxy, 10.0.0.0/33], allowedHosts: [http://x, '*'] }
limits: { headersTimeoutSeconds: 0 }
`);
    expect(settings).toBeUndefined();
    const wanted = [
      expect.stringContaining('log.level is not error, warn, info or debug'),
      expect.stringContaining('Unknown key file'),
      expect.stringContaining('shutdown.graceSeconds is not a whole number'),
      expect.stringContaining('server.trustedProxies[0] is not an address or a network'),
      expect.stringContaining('server.trustedProxies[1] is not an address or a network'),
      expect.stringContaining('server.allowedHosts[0] is not a host'),
      expect.stringContaining('server.allowedHosts[1] is not a host'),
      expect.stringContaining('limits.headersTimeoutSeconds is not a whole number from 1'),
    ];
    expect(problems).toHaveLength(wanted.length);
    expect(problems).toEqual(expect.arrayContaining(wanted));
  });

  it('must not have a log level that drops audit records', async () => {
    const { problems } = await read('log: { level: warn }\nauth: { type: basicAuth, password: x }');
    expect(problems.join()).toContain('log.level warn drops them. Set audit.path');
  });
});
