/** A store of bytes by key. It may forget any entry at any time. */
export interface Cache {
  /** Returns undefined if the key is unknown, or its entry is too old. */
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, value: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** The limits of a cache. */
export interface CacheLimits {
  /** The maximum total size of keys and values. When it is reached, the cache deletes the least recently used entries. */
  readonly maxBytes: number;
  /** The maximum time since an entry was stored. */
  readonly maxAgeMillis: number;
}

/** The bytes that an entry needs beside its key and value. */
export const ENTRY_BYTES = 64;
/** The time of the last use is only written if it differs by this much, because a write takes longer than a read. */
export const USE_MILLIS = 60 * 60 * 1000;
/** When a cache is full, entries are removed until it has this share of its maximum size. */
export const KEPT_SHARE = 0.9;
