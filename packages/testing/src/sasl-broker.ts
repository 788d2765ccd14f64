import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';

const SASL_HANDSHAKE = 17;
const API_VERSIONS = 18;
const SASL_AUTHENTICATE = 36;
const UNSUPPORTED_SASL_MECHANISM = 33;

/**
 * Starts a Kafka broker with a single SASL mechanism. Like real brokers, it rejects others and closes the connection.
 */
export async function startSaslBroker(mechanism: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (request) => answer(socket, request as Buffer, mechanism));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

export function addressOf(server: Server): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answer(socket: Socket, request: Buffer, mechanism: string): void {
  const [key, correlation] = [request.readInt16BE(4), request.readInt32BE(8)];
  if (key === API_VERSIONS) {
    const apis = [
      [SASL_HANDSHAKE, 0, 1],
      [SASL_AUTHENTICATE, 0, 2],
    ];
    const body = Buffer.alloc(6 + apis.length * 6 + 4);
    body.writeInt32BE(apis.length, 2);
    for (const [i, number] of apis.flat().entries()) body.writeInt16BE(number, 6 + i * 2);
    socket.write(framed(correlation, body));
    return;
  }
  const body = Buffer.alloc(8 + mechanism.length);
  body.writeInt16BE(UNSUPPORTED_SASL_MECHANISM, 0);
  body.writeInt32BE(1, 2);
  body.writeInt16BE(mechanism.length, 6);
  body.write(mechanism, 8);
  socket.end(framed(correlation, body));
}

function framed(correlation: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeInt32BE(4 + body.length, 0);
  head.writeInt32BE(correlation, 4);
  return Buffer.concat([head, body]);
}
