import { type Cache, type CacheLimits, ENTRY_BYTES, KEPT_SHARE, USE_MILLIS } from './cache.ts';

/** A session with Postgres, which runs one statement at a time. */
export interface PostgresSession {
  execute(sql: string): Promise<void>;
  /** Runs a statement that returns rows, with `?` for values. */
  query(sql: string, values: readonly (string | bigint)[]): Promise<readonly (readonly unknown[])[]>;
  close(): Promise<void>;
}

/** After this many stored bytes, the cache checks its size. */
const CHECK_SHARE = 0.02;
/** The number of the lock that is held while entries are removed: one process is enough. */
const LOCK = 7_203_551;

/** A cache in a table of Postgres, which several processes and machines can use at the same time. */
export class PostgresCache implements Cache {
  readonly #session: PostgresSession;
  readonly #limits: CacheLimits;
  readonly #table: string;
  #unchecked = 0;

  private constructor(session: PostgresSession, table: string, limits: CacheLimits) {
    this.#session = session;
    this.#table = table;
    this.#limits = limits;
  }

  /** Creates the table if it does not exist. */
  static async open(given: PostgresSession, table: string, limits: CacheLimits): Promise<PostgresCache> {
    const session = inTurn(given);
    const name = `"${table.replaceAll('"', '""')}"`;
    // Two sessions that create a table at the same time get an error, so the second one waits.
    await session.execute(`BEGIN; SELECT pg_advisory_xact_lock(${LOCK});
      CREATE TABLE IF NOT EXISTS ${name} (key text PRIMARY KEY, value bytea NOT NULL, size bigint NOT NULL,
        stored bigint NOT NULL, used bigint NOT NULL); COMMIT`);
    return new PostgresCache(session, name, limits);
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const now = Date.now();
    const sql = `SELECT encode(value, 'base64'), used FROM ${this.#table} WHERE key = ? AND stored >= ?`;
    const [row] = await this.#session.query(sql, [key, BigInt(now - this.#limits.maxAgeMillis)]);
    if (row === undefined) return undefined;
    if (now - Number(row[1]) > USE_MILLIS) {
      await this.#session.query(`UPDATE ${this.#table} SET used = ? WHERE key = ? RETURNING 1`, [BigInt(now), key]);
    }
    return Buffer.from(row[0] as string, 'base64');
  }

  async put(key: string, value: Uint8Array): Promise<void> {
    const size = ENTRY_BYTES + key.length + value.length;
    const { maxBytes } = this.#limits;
    if (size > maxBytes * KEPT_SHARE) return;
    const now = Date.now();
    const base64 = Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64');
    await this.#session.query(
      `INSERT INTO ${this.#table} (key, value, size, stored, used) VALUES (?, decode(?, 'base64'), ?, ?, ?)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, size = excluded.size, stored = excluded.stored,
        used = excluded.used RETURNING 1`,
      [key, base64, BigInt(size), BigInt(now), BigInt(now)],
    );
    this.#unchecked += size;
    if (this.#unchecked < maxBytes * CHECK_SHARE) return;
    this.#unchecked = 0;
    await this.#makeSpace(now);
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  /** Removes entries that are too old, and those that were not used for the longest time if the cache is full. */
  async #makeSpace(now: number): Promise<void> {
    const { maxBytes, maxAgeMillis } = this.#limits;
    const [row] = await this.#session.query(`SELECT pg_try_advisory_lock(${LOCK})`, []);
    if (row?.[0] !== true) return;
    try {
      await this.#session.query(`DELETE FROM ${this.#table} WHERE stored < ? RETURNING 1`, [
        BigInt(now - maxAgeMillis),
      ]);
      const [total] = await this.#session.query(`SELECT coalesce(sum(size), 0)::bigint FROM ${this.#table}`, []);
      if (Number(total?.[0]) <= maxBytes) return;
      const newest = `SELECT key, sum(size) OVER (ORDER BY used DESC, key) AS sum FROM ${this.#table}`;
      await this.#session.query(
        `DELETE FROM ${this.#table} WHERE key IN (SELECT key FROM (${newest}) AS newest WHERE sum > ?) RETURNING 1`,
        [BigInt(Math.floor(maxBytes * KEPT_SHARE))],
      );
    } finally {
      await this.#session.query(`SELECT pg_advisory_unlock(${LOCK})`, []);
    }
  }
}

/** Returns a session whose statements wait for each other. */
function inTurn(session: PostgresSession): PostgresSession {
  let turn: Promise<unknown> = Promise.resolve();
  const wait = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };
  return {
    execute: (sql) => wait(() => session.execute(sql)),
    query: (sql, values) => wait(() => session.query(sql, values)),
    close: () => wait(() => session.close()),
  };
}
