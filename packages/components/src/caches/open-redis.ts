import { loadLibrary } from '../libraries/optional-library.ts';
import type { RedisSession } from './redis-cache.ts';

/** How long a connection and an answer may take. */
const CONNECT_MILLIS = 5000;
const ANSWER_MILLIS = 10_000;

/**
 * Opens a connection to Redis or Valkey. A lost connection fails all further requests: a cache must not stop a run.
 * @param url redis://user:password@host:6379/0, or rediss:// for TLS
 */
export async function openRedis(url: string): Promise<RedisSession> {
  const { createClient, RESP_TYPES } = await loadLibrary('@redis/client');
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: CONNECT_MILLIS, socketTimeout: ANSWER_MILLIS, reconnectStrategy: false },
    commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
  });
  // Each failed request reports the reason. Without a listener, the event would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    if (client.isOpen) client.destroy();
    throw error;
  }
  return {
    get: async (key) => (await client.get(key)) ?? undefined,
    put: async (key, value, millis) => {
      const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
      await client.set(key, bytes, { expiration: { type: 'PX', value: millis } });
    },
    close: async () => client.destroy(),
  };
}
