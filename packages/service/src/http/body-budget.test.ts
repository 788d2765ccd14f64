import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultSettings } from '../settings/service-settings.ts';
import { type TestService, testService } from '../testing/test-service.test.support.ts';

const MOST = 256 * 1024 * 1024;

/** Sends a request to `/v1/run` with only a part of its body. */
function unfinished(service: TestService, length: string, part = ''): { socket: Socket; answer: Promise<string> } {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write(
    `POST /v1/run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${length}\r\n\r\n${part}`,
  );
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('close', () => resolve(text));
  });
  return { socket, answer };
}

/**
 * Returns the answer to a request that announces a body as large as the limit of all bodies, and then sends nothing.
 */
function largest(service: TestService): Promise<string> {
  const { socket, answer } = unfinished(service, `Content-Length: ${MOST}`);
  setTimeout(() => socket.end(), 100);
  return answer;
}

describe('the bodies of all requests together', () => {
  it('are limited: a request beyond the limit gets 503 with Retry-After', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxConfigBytes: MOST } });
    const going = unfinished(service, 'Transfer-Encoding: chunked', '5\r\n{"a":\r\n');
    await expect
      .poll(() => largest(service))
      .toMatch(/^HTTP\/1\.1 503 .*connection: close.*retry-after: 5.*HR_SERVER_BUSY/is);
    // Smaller requests are still answered.
    expect((await service.ask('/v1/run', { body: { configId: 'none' } })).status).toBe(400);
    going.socket.destroy();
    // Answered and closed requests no longer count.
    await expect.poll(() => largest(service)).not.toContain('HR_SERVER_BUSY');
  });

  it('are limited while a body of unknown length arrives', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxConfigBytes: MOST } });
    unfinished(service, 'Transfer-Encoding: chunked', '5\r\n{"a":\r\n');
    const { socket, answer } = unfinished(service, 'Transfer-Encoding: chunked');
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(1024 * 1024, ' '), Buffer.from('\r\n')]);
    // Send no more bytes than needed: if a connection is closed while bytes still arrive, its answer may be lost.
    let left = MOST / (1024 * 1024);
    const write = () => {
      while (left-- > 0 && socket.write(chunk));
    };
    socket.on('drain', write);
    write();
    expect(await answer).toMatch(/^HTTP\/1\.1 503 .*HR_SERVER_BUSY/is);
    expect((await service.ask('/v1/livez')).status).toBe(200);
  });
});
