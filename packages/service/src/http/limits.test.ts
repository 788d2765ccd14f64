import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../settings/service-settings.ts';
import { readExposition } from '../testing/exposition.test.support.ts';
import { testService } from '../testing/test-service.test.support.ts';

const { limits } = defaultSettings();

/** Sends bytes. Returns all that the service answers until it closes the connection. */
function exchange(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}

const get = (headers: string) => `GET /v1/livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`;
const bodyOf = (answer: string) => JSON.parse(answer.split('\r\n\r\n')[1] as string) as object;

describe('limits of requests', () => {
  it('answer 431 to headers that are too long', async () => {
    const service = await testService({ limits: { ...limits, maxHeaderBytes: 2048 } });
    const answer = await exchange(service.url, get(`A: ${'a'.repeat(3000)}\r\n`));
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toMatch(/\r\nx-content-type-options: nosniff\r\n/i);
    expect(bodyOf(answer)).toMatchObject({ status: 431, code: 'HR_REQUEST_HEADERS_TOO_LARGE' });
  });

  it('answer 431 to too many headers, before the credentials are checked', async () => {
    const service = await testService({ limits: { ...limits, maxHeaders: 20 }, auth: { password: 'x', users: [] } });
    const many = Array.from({ length: 50 }, (_, i) => `A${i}: b\r\n`).join('');
    expect(bodyOf(await exchange(service.url, get(many)))).toMatchObject({
      status: 431,
      message: 'The request has 52 headers; the limit is 20',
      hint: expect.stringContaining('limits.maxHeaders'),
    });
    expect(await exchange(service.url, get('A: b\r\n'))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('answer 408 if the headers or the body do not arrive in time', async () => {
    const service = await testService({
      limits: { ...limits, headersTimeoutSeconds: 0.05, requestTimeoutSeconds: 0.05 },
    });
    const slow = [
      'GET /v1/livez HT',
      'POST /v1/config HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/hocon\r\nContent-Length: 9\r\n\r\na',
    ];
    const answers = await Promise.all(slow.map((bytes) => exchange(service.url, bytes)));
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(bodyOf(answer)).toMatchObject({ code: 'HR_REQUEST_TIMEOUT', requestId: expect.any(String) });
    }
  });

  it('answer 414 to an id that is too long, without repeating it', async () => {
    const service = await testService();
    const answer = await service.ask(`/v1/config/${'a'.repeat(256)}`);
    expect(answer.json).toMatchObject({ status: 414, message: 'A part of the path has more than 255 characters' });
  });

  it('answer 413 to a body that is too large', async () => {
    const service = await testService({ limits: { ...limits, maxConfigBytes: 1024 } });
    const answer = await service.ask('/v1/config', { body: `a: ${'x'.repeat(2000)}`, type: 'application/hocon' });
    expect(answer.json).toMatchObject({ status: 413, hint: expect.stringContaining('limits.maxConfigBytes') });
  });

  it('answer 400 to JSON that is nested 200,000 levels deep', async () => {
    const service = await testService();
    const deep = `{"configId":"x","labels":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const answer = await service.ask('/v1/run', { body: deep, type: 'application/json' });
    expect(answer.status).toBe(400);
    expect((await service.ask('/v1/livez')).status).toBe(200);
  });

  it('close and count connections beyond maxConnections; other connections continue', async () => {
    const service = await testService({ limits: { ...limits, maxConnections: 3 } });
    const port = Number(new URL(service.url).port);
    const sockets: Socket[] = [];
    const open = () =>
      new Promise<'open' | 'closed'>((resolve) => {
        const socket = connect(port, '127.0.0.1', () =>
          socket.write('GET /v1/livez HTTP/1.1\r\nHost: localhost\r\n\r\n'),
        );
        socket.once('data', () => resolve('open'));
        socket.once('close', () => resolve('closed'));
        socket.once('error', () => resolve('closed'));
        sockets.push(socket);
      });
    for (let i = 0; i < 3; i++) expect(await open()).toBe('open');
    expect(await open()).toBe('closed');
    for (const socket of sockets) socket.destroy();
    await expect
      .poll(async () => {
        const text = await service.ask('/metrics').then(
          (answer) => answer.text,
          () => undefined,
        );
        if (text === undefined) return undefined;
        const family = readExposition(text).get('headrace_http_connections_refused_total');
        return family?.samples.get('headrace_http_connections_refused_total');
      })
      .toBeGreaterThanOrEqual(1);
  });
});
