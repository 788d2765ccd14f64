import type { EventEmitter } from 'node:events';

/** The part of the library's clients that this file uses. */
interface Client {
  on(
    event: 'client:broker:connect' | 'client:broker:failed',
    listener: (about: { readonly connection: EventEmitter }) => void,
  ): unknown;
}

/**
 * Handles all errors of a client's connections, and returns the client. The library handles only the first error of
 * each connection, and reports it in the call that opened the connection. A broker that closes the connection during
 * authentication causes a second error. Without a listener, that error would end the thread.
 */
export function hearErrors<T extends Client>(client: T): T {
  for (const event of ['client:broker:connect', 'client:broker:failed'] as const) {
    client.on(event, ({ connection }) => {
      // The library has already reported the first error, so later errors are ignored.
      if (!connection.listeners('error').includes(heard)) connection.on('error', heard);
    });
  }
  return client;
}

function heard(): void {}
