import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultSettings } from '../settings/service-settings.ts';
import { type TestService, testService } from '../testing/test-service.test.support.ts';

const MOST = 256 * 1024 * 1024;

/** A request for `/v1/run` of which not more than a part of the body has come. */
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

/** What is said to a request that announces as much as all may have together, and then sends nothing. */
function largest(service: TestService): Promise<string> {
  const { socket, answer } = unfinished(service, `Content-Length: ${MOST}`);
  setTimeout(() => socket.end(), 100);
  return answer;
}

describe('the bodies of all requests together', () => {
  it('are limited: a request that would be too much is asked to come again', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxConfigBytes: MOST } });
    const going = unfinished(service, 'Transfer-Encoding: chunked', '5\r\n{"a":\r\n');
    await expect
      .poll(() => largest(service))
      .toMatch(/^HTTP\/1\.1 503 .*connection: close.*retry-after: 5.*HR_SERVER_BUSY/is);
    // Smaller requests continue.
    expect((await service.ask('/v1/run', { body: { configId: 'none' } })).status).toBe(400);
    going.socket.destroy();
    // Nothing is left of those that have been answered or have gone.
    await expect.poll(() => largest(service)).not.toContain('HR_SERVER_BUSY');
  });

  it('are refused in the middle when nothing was announced', async () => {
    const service = await testService({ limits: { ...defaultSettings().limits, maxConfigBytes: MOST } });
    unfinished(service, 'Transfer-Encoding: chunked', '5\r\n{"a":\r\n');
    const { socket, answer } = unfinished(service, 'Transfer-Encoding: chunked');
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(1024 * 1024, ' '), Buffer.from('\r\n')]);
    // Not more than it takes: a connection that is closed while bytes still come may lose its answer.
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
