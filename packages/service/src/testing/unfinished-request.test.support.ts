import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { TestService } from './test-service.test.support.ts';

/** Sends a request to `/v1/run` with only a part of its body. */
export function unfinishedRequest(
  service: TestService,
  length: string,
  part = '',
): { socket: Socket; answer: Promise<string> } {
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
