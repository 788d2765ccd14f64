import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { Database, type DatabaseConnection } from '../database.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

/** Starts a server until the end of the test. Returns its port. */
export async function serverOf(accept: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    // The client ends connections that it refuses.
    socket.on('error', () => undefined);
    accept(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Connects to it as the user me. */
export async function connectTo(port: number, parameters: string): Promise<DatabaseConnection> {
  const connectionString = `jdbc:postgresql://127.0.0.1:${port}/shop?${parameters}`;
  const database = await Database.open({ connectionString, jdbcUser: 'me', jdbcPassword: 'secret' }, QUIET);
  return database.connect();
}

/** The answers to a login without a password: accepted, the number of the session, ready for a query. */
export const ACCEPTED = Buffer.concat([
  Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]),
  Buffer.from([0x4b, 0, 0, 0, 12, 0, 0, 0, 7, 0, 0, 0, 9]),
  Buffer.from([0x5a, 0, 0, 0, 5, 0x49]),
]);

/** Returns the parameters of a startup message. */
export function startupOf(message: Buffer): Record<string, string> {
  const texts = message.toString('utf8', 8).split('\0').slice(0, -2);
  return Object.fromEntries(texts.flatMap((text, i) => (i % 2 === 0 ? [[text, texts[i + 1] ?? '']] : [])));
}
