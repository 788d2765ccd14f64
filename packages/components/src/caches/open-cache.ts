import { dirname } from 'node:path';
import {
  CONNECTS,
  capped,
  messageOf,
  type ParameterProblem,
  type StageContext,
  type Static,
  Type,
  WRITES,
} from '@headrace/engine';
import { Database } from '../database/database.ts';
import { checkLibrary } from '../libraries/optional-library.ts';
import { openLocalDatabase } from '../local-files/local-database.ts';
import { makeFolders } from '../local-files/local-files.ts';
import type { Cache, CacheLimits } from './cache.ts';
import { GuardedCache } from './guarded-cache.ts';
import { openRedis } from './open-redis.ts';
import { PostgresCache } from './postgres-cache.ts';
import { RedisCache } from './redis-cache.ts';
import { SqliteCache } from './sqlite-cache.ts';

/** How long a thread waits for another one that writes to the file. */
const BUSY_MILLIS = 10_000;
const MIB = 1024 * 1024;
const DAY_MILLIS = 24 * 60 * 60 * 1000;

/** The schema of the block `cache` of stages that remember results. */
export const CacheParameter = Type.Object({
  /** The SQLite file of the cache. Several stages, runs and processes can use the same file. */
  path: Type.Optional(Type.String(WRITES)),
  /**
   * A server instead of a file. Postgres: jdbc:postgresql://host:port/database?user=name&password=word. Redis or Valkey:
   * redis://user:password@host:6379/0, or rediss:// for TLS.
   */
  connectionString: Type.Optional(Type.String(CONNECTS)),
  /** The table in Postgres, which is created if it does not exist, or the start of the keys in Redis. */
  table: Type.String({ default: 'headrace_cache' }),
  /**
   * The maximum size in MiB. When it is reached, the least recently used entries are deleted. In Redis, maxmemory of
   * the server is the maximum size instead.
   */
  maxMegabytes: Type.Integer({ default: 1024, minimum: 1, ...capped('maxDiskMb') }),
  /** After how many days an entry is no longer used. */
  maxAgeDays: Type.Number({ default: 365, minimum: 0 }),
});

type CacheSettings = Static<typeof CacheParameter>;

/** Reports mistakes in the block `cache`. */
export function* checkCache(cache: CacheSettings | undefined): Generator<ParameterProblem> {
  if (cache === undefined) return;
  if ((cache.path === undefined) === (cache.connectionString === undefined)) {
    yield {
      parameter: 'cache',
      message: 'cache needs either path or connectionString',
      hint: 'Set cache.path to a file, or cache.connectionString to a Postgres database or Redis.',
    };
    return;
  }
  const { connectionString = '' } = cache;
  if (isRedis(connectionString)) {
    yield* checkLibrary('@redis/client', 'cache.connectionString');
    if (URL.canParse(connectionString)) return;
    const hint = 'Write redis://user:password@host:6379/0. Special characters in the password need a % and their code.';
    yield { parameter: 'cache.connectionString', message: 'cache.connectionString is not a valid URL', hint };
  } else if (cache.path === undefined && !connectionString.startsWith('jdbc:postgresql:')) {
    const message = 'cache.connectionString must begin with jdbc:postgresql:, redis: or rediss:';
    yield { parameter: 'cache.connectionString', message };
  }
}

function isRedis(connectionString: string): boolean {
  return /^rediss?:/.test(connectionString);
}

/**
 * Opens the cache of a stage. Returns undefined if it has none, in a preview, and if the cache cannot be used, which is
 * reported.
 */
export async function openCache(
  settings: CacheSettings | undefined,
  { log, preview, onCacheLookup = () => {} }: StageContext,
): Promise<GuardedCache | undefined> {
  if (settings === undefined || preview === true) return undefined;
  const { connectionString = '' } = settings;
  const where = settings.path ?? (isRedis(connectionString) ? 'Redis' : 'Postgres');
  const advice =
    settings.path === undefined
      ? 'Check cache.connectionString, and that the server is running.'
      : 'cache.path must name a file that this process may write. If the file is damaged, delete it.';
  const report = (error: unknown) =>
    log.warn(`The cache in ${where} is not used in this run: ${messageOf(error)}. ${advice}`);
  try {
    const { maxMegabytes, maxAgeDays } = settings;
    const limits = { maxBytes: maxMegabytes * MIB, maxAgeMillis: maxAgeDays * DAY_MILLIS };
    const cache = await openAny(settings, limits, log);
    return new GuardedCache(cache, report, onCacheLookup);
  } catch (error) {
    report(error);
    return undefined;
  }
}

async function openAny(settings: CacheSettings, limits: CacheLimits, log: StageContext['log']): Promise<Cache> {
  const { path, connectionString = '', table } = settings;
  if (path !== undefined) return openFile(path, limits);
  if (!isRedis(connectionString)) return openTable(settings, limits, log);
  return new RedisCache(await openRedis(connectionString), table, limits);
}

async function openFile(path: string, limits: CacheLimits): Promise<SqliteCache> {
  await makeFolders(dirname(path));
  const database = await openLocalDatabase(path, { timeout: BUSY_MILLIS });
  try {
    return new SqliteCache(database, limits);
  } catch (error) {
    database.close();
    throw error;
  }
}

async function openTable(
  { connectionString = '', table }: CacheSettings,
  limits: CacheLimits,
  log: StageContext['log'],
): Promise<PostgresCache> {
  const database = await Database.open({ connectionString, jdbcUser: '', jdbcPassword: '' }, log);
  const connection = await database.connect();
  const session = {
    execute: (sql: string) => connection.execute(sql),
    query: async (sql: string, values: readonly (string | bigint)[]) =>
      (await connection.query(database.driver.prepare(sql), values)).rows,
    close: () => connection.close(),
  };
  try {
    return await PostgresCache.open(session, table, limits);
  } catch (error) {
    await connection.close();
    throw error;
  }
}
