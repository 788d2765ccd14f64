import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { accessHint, DEFAULT_POLICY, enforcePolicy } from '@headrace/engine';
import { hasOpenssl, makeCertificates } from '@headrace/testing/certificates';
import { describeWithServer, type RealServer } from '@headrace/testing/real-server';
import { StubServer } from '@headrace/testing/stub-server';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Trust } from '../http/tls/tls-parameter.ts';
import { azure, gcs, type Provider, s3 } from './cloud-providers.test.lib.ts';
import { parseFileUri } from './file-uri.ts';
import { Storages } from './storages.ts';

const folder = mkdtempSync(join(tmpdir(), 'headrace-cloud-tls-'));
const file = (name: string) => join(folder, name);
const closing: (() => unknown)[] = [];

/**
 * The TLS settings of a storage, whether the server requires a client certificate, and whether reading then succeeds.
 */
const CASES: readonly [what: string, trust: Trust, demands: boolean, reads: boolean][] = [
  ['rejects an unknown certificate authority', {}, false, false],
  ['reads with the named certificate authority', { tls: { caFile: file('ca.pem') } }, false, true],
  ['reads if any certificate is accepted', { acceptInvalidCert: true }, false, true],
  ['fails without a required client certificate', { tls: { caFile: file('ca.pem') } }, true, false],
  [
    'reads with a client certificate',
    { tls: { caFile: file('ca.pem'), certificateFile: file('client.pem'), keyFile: file('client.key') } },
    true,
    true,
  ],
];

afterEach(async () => {
  vi.unstubAllEnvs();
  enforcePolicy(undefined);
  for (const close of closing.splice(0)) await close();
});

describe.skipIf(!hasOpenssl())('TLS (needs the command openssl)', async () => {
  beforeAll(() => makeCertificates(folder));
  afterAll(() => rmSync(folder, { recursive: true }));

  await describeWithServer('s3', (server) => suite(server, s3));
  await describeWithServer('azurite', (server) => suite(server, azure));
  await describeWithServer('gcs', (server) => suite(server, gcs));
});

function suite(server: RealServer, provider: Provider): void {
  const path = `${provider.base}tls/a.txt`;

  beforeAll(() => provider.fill(server.url, new Map([['tls/a.txt', 'safe']])), 120_000);

  /** Lists and reads with these TLS settings. */
  async function read(port: number, trust: Trust): Promise<string> {
    const [[block, settings] = ['', {}]] = Object.entries(provider.settings(`https://127.0.0.1:${port}`));
    const storages = new Storages({ [block]: { ...settings, ...trust } }, { once: true });
    try {
      const uri = parseFileUri(path);
      await (await storages.of(uri)).checkAccess(uri, AbortSignal.timeout(60_000));
      return String(await storages.readContent(path, 100));
    } finally {
      await storages.close();
    }
  }

  it.each(CASES)('%s', async (_, trust, demands, reads) => {
    const port = await terminate(server.url, demands);
    if (reads) return expect(await read(port, trust)).toBe('safe');
    const error: unknown = await read(port, trust).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    if (!demands) expect(accessHint(error)).toContain('Configure the CA of the certificate');
  });

  it('connects through the proxy of the environment to hosts that the policy allows', async () => {
    const port = await terminate(server.url, true);
    const { asked, url } = await proxy();
    vi.stubEnv('https_proxy', url);
    vi.stubEnv('no_proxy', '');
    const trust = CASES.at(-1)?.[1] ?? {};
    expect(await read(port, trust)).toBe('safe');
    expect(new Set(asked)).toEqual(new Set([`127.0.0.1:${port}`]));
    await expect(read(port, {})).rejects.toThrow('certificate');

    asked.length = 0;
    enforcePolicy({ ...DEFAULT_POLICY, hosts: { allow: undefined, deny: ['127.0.0.1'] } });
    await expect(read(port, trust)).rejects.toThrow('127.0.0.1');
    expect(asked).toEqual([]);
  });

  it('names a proxy that does not answer, without its password', async () => {
    vi.stubEnv('https_proxy', 'http://me:secret-word@127.0.0.1:1');
    vi.stubEnv('no_proxy', '');
    const error = (await read(2, {}).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toMatch(/no connection through the proxy 127\.0\.0\.1:1, which https_proxy names/i);
    expect(error.message).not.toContain('secret-word');
  });

  it('names a certificate file that cannot be used', async () => {
    await expect(read(1, { tls: { caFile: file('none.pem') } })).rejects.toThrow(/none\.pem, cannot be read/);
    await expect(read(1, { tls: { caFile: file('ca.key') } })).rejects.toThrow(/ca\.key, contains no certificate/);
    const stolen = { certificateFile: file('client.pem'), keyFile: file('server.key') };
    await expect(read(1, { tls: stolen })).rejects.toThrow(/server\.key, cannot be used/);
  });
}

/** Starts a TLS server with the test certificates in front of another server. Returns its port. */
async function terminate(url: string, demands: boolean): Promise<number> {
  const { hostname, port } = new URL(url);
  const pem = { key: 'server.key', cert: 'server.pem', ca: 'ca.pem' };
  const options = Object.fromEntries(Object.entries(pem).map(([name, from]) => [name, readFileSync(file(from))]));
  const server = createServer({ ...options, requestCert: demands, rejectUnauthorized: demands }, (socket) =>
    joined(socket, connect(Number(port), hostname)),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return (server.address() as { port: number }).port;
}

/** Starts a proxy that opens tunnels, and records the requested hosts. */
async function proxy(): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const stub = await StubServer.start((_, response) => void response.end());
  stub.onConnect(({ url = '' }, socket) => {
    asked.push(url);
    const target = connect(Number(url.split(':')[1]), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    joined(socket, target);
  });
  closing.push(() => stub.close());
  return { url: stub.url, asked };
}

function joined(one: Socket | TLSSocket, other: Socket): void {
  one.pipe(other).pipe(one);
  for (const side of [one, other]) {
    side.on('error', () => undefined).on('close', () => [one, other].map((socket) => socket.destroy()));
  }
}
