import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, get } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { get as getSecurely } from 'node:https';
import { type AddressInfo, connect, createServer, type LookupFunction, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { enforcePolicy } from './current-policy.ts';
import { DEFAULT_POLICY, type Policy, STRICT_POLICY } from './policy.ts';

const directory = mkdtempSync(join(tmpdir(), 'headrace-guard-'));
const pipe = join(directory, 'socket');
let reached = 0;
const server = createHttpServer((_, response) => response.end('hello'));
server.on('connection', () => reached++);
const pipeServer = createServer((socket) => {
  reached++;
  socket.end();
});
let port = 0;

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  await new Promise<void>((done) => pipeServer.listen(pipe, done));
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  enforcePolicy(undefined);
  reached = 0;
});
afterAll(() => {
  server.close();
  pipeServer.close();
  rmSync(directory, { recursive: true, force: true });
});

const local: LookupFunction = (_host, options, done) => {
  if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

/** All ways in which a library connects. Each returns the error, or undefined if it is connected. */
const WAYS: Record<string, (host: string) => Promise<Error | undefined>> = {
  'net.connect(options)': (host) => outcome(connect({ host, port, lookup: local })),
  'net.connect(port, host)': (host) => outcome(connect(port, host)),
  'new Socket().connect(port, host)': (host) => outcome(new Socket().connect(port, host)),
  'without happy eyeballs': (host) => outcome(connect({ host, port, lookup: local, autoSelectFamily: false })),
  'tls.connect': (host) => outcome(connectTls({ host, port, lookup: local })),
  'http.get': (host) => outcome(get({ host, port, lookup: local })),
  'https.get': (host) => outcome(getSecurely({ host, port, lookup: local })),
  'http2.connect': (host) => outcome(connectHttp2(`http://${host}:${port}`)),
  fetch: (host) =>
    fetch(`http://${host}:${port}/`).then(
      () => undefined,
      (error: Error) => error.cause as Error,
    ),
};

function outcome(emitter: {
  once(event: string, listener: (value: Error) => void): unknown;
  destroy(): void;
}): Promise<Error | undefined> {
  return new Promise((resolve) => {
    emitter.once('error', resolve);
    for (const event of ['connect', 'secureConnect', 'response']) {
      emitter.once(event, () => {
        emitter.destroy();
        resolve(undefined);
      });
    }
  });
}

describe.each(Object.keys(WAYS))('%s', (way) => {
  const go = WAYS[way] as (host: string) => Promise<Error | undefined>;

  it.each(['127.0.0.1', 'localhost'])('cannot reach %s under the strict policy', async (host) => {
    enforcePolicy(STRICT_POLICY);
    const error = await go(host);
    expect(error).toMatchObject({ code: 'HR_POLICY_REFUSED' });
    expect(error?.message).toContain('127.0.0.1');
    expect(reached).toBe(0);
  });

  it('reaches hosts that the policy allows', async () => {
    enforcePolicy({ ...STRICT_POLICY, hosts: { allow: [`localhost:${port}`], deny: [] } });
    const error = await go('localhost');
    // A server without TLS causes another error after the connection.
    expect((error as { code?: string } | undefined)?.code).not.toBe('HR_POLICY_REFUSED');
    expect(reached).toBeGreaterThan(0);
  });
});

describe('the network guard', () => {
  it('checks the current address of a name, not only the name', async () => {
    const policy: Policy = { ...STRICT_POLICY, hosts: { allow: ['*.example.org'], deny: [] } };
    enforcePolicy(policy);
    const error = await outcome(connect({ host: 'rebound.example.org', port, lookup: local }));
    expect(error?.message).toContain('127.0.0.1, which is rebound.example.org, is a private address');
    expect(reached).toBe(0);
  });

  it('connects to the allowed addresses of a name', async () => {
    enforcePolicy({ ...DEFAULT_POLICY, hosts: { allow: undefined, deny: ['127.0.0.2'] } });
    const lookup: LookupFunction = (_host, _options, done) =>
      done(null, [
        { address: '127.0.0.2', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]);
    const socket = connect({ host: 'two.example.org', port, lookup });
    await new Promise((resolve) => socket.once('connect', resolve));
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  it('refuses connections to a socket in the file system', async () => {
    enforcePolicy(DEFAULT_POLICY);
    for (const way of [() => connect(pipe), () => connect({ path: pipe })]) {
      expect(await outcome(way())).toMatchObject({ code: 'HR_POLICY_REFUSED' });
    }
    expect(reached).toBe(0);
  });

  it('checks the target of a redirect', async () => {
    enforcePolicy({ ...STRICT_POLICY, hosts: { allow: [`127.0.0.1:${port}`], deny: [] } });
    const other = createHttpServer((_, response) => response.end('secret'));
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const target = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    server.removeAllListeners('request');
    server.on('request', (_, response) => response.writeHead(302, { location: target }).end());
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ cause: { code: 'HR_POLICY_REFUSED' } });
    server.removeAllListeners('request');
    server.on('request', (_, response) => response.end('hello'));
    other.close();
  });

  it('checks datagrams', () => {
    enforcePolicy(STRICT_POLICY);
    const socket = createSocket('udp4');
    expect(() => socket.send('x', port, '127.0.0.1')).toThrow('private address');
    expect(() => socket.send(Buffer.from('x'), 0, 1, port, '127.0.0.1')).toThrow('private address');
    expect(() => socket.send('x', port, 'example.org')).toThrow('only be sent to addresses');
    expect(() => socket.connect(port, '10.0.0.1')).toThrow('private address');
    socket.close();
  });

  it('does not restrict a trusted config that runs next in the same thread', async () => {
    enforcePolicy(STRICT_POLICY);
    enforcePolicy(undefined);
    expect(await outcome(connect(port, '127.0.0.1'))).toBeUndefined();
    expect(await outcome(connect(pipe))).toBeUndefined();
  });
});
