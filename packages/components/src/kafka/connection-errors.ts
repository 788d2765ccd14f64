import type { EventEmitter } from 'node:events';

/** What every client of the library is, as far as it matters here. */
interface Client {
  on(
    event: 'client:broker:connect' | 'client:broker:failed',
    listener: (about: { readonly connection: EventEmitter }) => void,
  ): unknown;
}

/**
 * Listens to all errors of a client's connections, and returns the client. The library listens to the first error of
 * each connection and reports it in the call that wanted the connection. A broker that hangs up while a client
 * authenticates causes a second one, and an unhandled error ends the thread.
 */
export function hearErrors<T extends Client>(client: T): T {
  for (const event of ['client:broker:connect', 'client:broker:failed'] as const) {
    client.on(event, ({ connection }) => {
      // The first error of a connection has reported the failure.
      if (!connection.listeners('error').includes(heard)) connection.on('error', heard);
    });
  }
  return client;
}

function heard(): void {}
