import type { Cache, CacheLimits } from './cache.ts';

/** A connection to Redis. */
export interface RedisSession {
  get(key: string): Promise<Uint8Array | undefined>;
  /** Stores a value that Redis removes after some milliseconds. */
  put(key: string, value: Uint8Array, millis: number): Promise<void>;
  close(): Promise<void>;
}

/** The number of bytes of the time before each value: when it was stored. */
const TIME_BYTES = 8;

/**
 * A cache in Redis, which several processes and machines can use at the same time. The size is a setting of the server,
 * which then removes entries itself: `maxmemory` and `maxmemory-policy`.
 */
export class RedisCache implements Cache {
  readonly #session: RedisSession;
  readonly #prefix: string;
  readonly #maxAgeMillis: number;

  /** @param name the start of the keys */
  constructor(session: RedisSession, name: string, { maxAgeMillis }: Pick<CacheLimits, 'maxAgeMillis'>) {
    this.#session = session;
    this.#prefix = `${name}:`;
    this.#maxAgeMillis = maxAgeMillis;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const entry = await this.#session.get(this.#prefix + key);
    if (entry === undefined || entry.length < TIME_BYTES) return undefined;
    // Another config may have stored the entry for a longer time.
    const stored = new DataView(entry.buffer, entry.byteOffset).getFloat64(0);
    return Date.now() - stored > this.#maxAgeMillis ? undefined : entry.subarray(TIME_BYTES);
  }

  async put(key: string, value: Uint8Array): Promise<void> {
    const entry = new Uint8Array(TIME_BYTES + value.length);
    new DataView(entry.buffer).setFloat64(0, Date.now());
    entry.set(value, TIME_BYTES);
    await this.#session.put(this.#prefix + key, entry, Math.max(1, Math.ceil(this.#maxAgeMillis)));
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
