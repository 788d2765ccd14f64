import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { HostileGuest } from './hostile.ts';

const guest = new HostileGuest({ headersTimeoutSeconds: 1, requestTimeoutSeconds: 2, maxConnections: 60 });

/** Sends bytes to the server. Returns its response up to the end of the connection. */
function answerTo(bytes: string, keepOn?: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve) => {
    const socket = open();
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('close', () => resolve(text));
    socket.write(bytes);
    keepOn?.(socket);
  });
}

function open(): Socket {
  const { hostname, port } = new URL(guest.url);
  return connect(Number(port), hostname).on('error', () => undefined);
}

describe('slow clients', () => {
  it('are disconnected in the middle of their headers', async () => {
    expect(await answerTo('GET /v1/config HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')).toMatch(
      /^HTTP\/1\.1 408 .*HR_REQUEST_TIMEOUT/s,
    );
  });

  it('are disconnected in the middle of a body that arrives byte by byte', async () => {
    const head =
      'POST /v1/config HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/hocon\r\nContent-Length: 100000\r\n\r\n';
    const answer = await answerTo(head, (socket) => {
      const drip = setInterval(() => socket.write('a'), 100);
      socket.once('close', () => clearInterval(drip));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('do not block other clients, in any number', async () => {
    const idle = Array.from({ length: 40 }, open);
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    for (const socket of idle) socket.write('GET / HTTP/1.1\r\nX-A: ');
    expect((await fetch(`${guest.url}/v1/livez`)).status).toBe(200);
    for (const socket of idle) socket.destroy();
  });

  it('are rejected above the connection limit, and accepted again later', async () => {
    const idle = Array.from({ length: 80 }, open);
    const refused = await Promise.race(
      idle.map((socket) => new Promise<string>((resolve) => socket.once('close', () => resolve('closed')))),
    );
    expect(refused).toBe('closed');
    for (const socket of idle) socket.destroy();
    await expect.poll(async () => (await fetch(`${guest.url}/v1/livez`).catch(() => undefined))?.status).toBe(200);
  });
});

describe('floods', () => {
  it('of headers are rejected', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => `X-${i}: 1`).join('\r\n');
    expect(await answerTo(`GET /v1/livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${many}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
    const long = `X-Long: ${'a'.repeat(1_000_000)}`;
    expect(await answerTo(`GET /v1/livez HTTP/1.1\r\nHost: localhost\r\n${long}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 |^$/,
    );
  });

  it('of JSON are rejected', async () => {
    const huge = `{"configId": "${'a'.repeat(11 * 1024 * 1024)}"}`;
    expect(await guest.post('/v1/run', huge, 'application/json')).toMatchObject({ status: 413 });
    const config = `{"a": "${'a'.repeat(11 * 1024 * 1024)}"}`;
    expect(await guest.post('/v1/config', config, 'application/json')).toMatchObject({ status: 413 });
    const deep = `{"configId": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(await guest.post('/v1/run', deep, 'application/json')).toMatchObject({ status: 400 });
    const documents = `{"configId": "x", "documents": [{"id": "1", "a": ${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}]}`;
    expect((await guest.post('/v1/preview', documents, 'application/json')).status).toBe(400);
  });

  it.each([
    'GET / HTTP/9.9\r\n\r\n',
    '\u0000\u0001\u0002\r\n\r\n',
    'POST /v1/config HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n',
    'POST /v1/config HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/config HTTP/1.1\r\n\r\n',
  ])('of invalid HTTP are rejected: %j', async (bytes) => {
    expect(await answerTo(bytes)).toMatch(/^HTTP\/1\.1 (400|505) /);
  });
});
