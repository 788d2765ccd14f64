import { once } from 'node:events';
import { createServer } from 'node:net';

/** The ports are below those that systems choose for connections and for port 0, and below those of real servers. */
const FIRST_PORT = 10_000;
const PORTS = 10_000;

/**
 * Returns a random port that nothing listens on. Nothing else gets this port by chance before the test uses it, unlike a
 * port that the system has chosen.
 */
export async function closedPort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port from ${FIRST_PORT} to ${FIRST_PORT + PORTS}`);
}

/** Returns whether a process can listen on a port of this machine. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}
