import type { StageContext } from '@headrace/engine';

/**
 * Returns tables that all pipeline threads use. The first stage that needs them loads them, on the first thread.
 *
 * @param origin plain data with everything that the tables depend on
 * @param load creates the tables: plain data with arrays over `SharedArrayBuffer`s
 */
export async function sharedTables<T>(origin: unknown, { shared }: StageContext, load: () => Promise<T>): Promise<T> {
  const key = JSON.stringify(origin);
  if (!shared.has(key)) shared.set(key, await load());
  return shared.get(key) as T;
}
