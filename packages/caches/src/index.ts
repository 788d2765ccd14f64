export type { Cache, CacheLimits } from './cache.ts';
export { cachedVector } from './cached-vector.ts';
export { type CachedRequest, type FetchedResponse, fetchCached } from './fetch-cached.ts';
export { GuardedCache } from './guarded-cache.ts';
export { PostgresCache, type PostgresSession } from './postgres-cache.ts';
export { RedisCache, type RedisSession } from './redis-cache.ts';
export { SqliteCache } from './sqlite-cache.ts';
