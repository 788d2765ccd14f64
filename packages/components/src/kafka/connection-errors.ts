import type { EventEmitter } from 'node:events';

/** What every client of the library is, as far as it matters here. */
interface Client {
  on(
    event: 'client:broker:connect' | 'client:broker:failed',
    listener: (about: { readonly connection: EventEmitter }) => void,
  ): unknown;
}

/**
 * Hears all errors of a client's connections, and gives the client back. The library hears the first of each, and tells
 * of it in the call that wanted the connection. A broker that hangs up while a client authenticates gives a second one,
 * and an error that nobody hears ends the thread.
 */
export function hearErrors<T extends Client>(client: T): T {
  for (const event of ['client:broker:connect', 'client:broker:failed'] as const) {
    client.on(event, ({ connection }) => {
      // What a connection has failed of has been told by its first error.
      if (!connection.listeners('error').includes(heard)) connection.on('error', heard);
    });
  }
  return client;
}

function heard(): void {}
