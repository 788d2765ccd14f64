import { setTimeout as sleep } from 'node:timers/promises';

/** The maximum time to close a client. A broker that does not answer must not block the end of a run. */
const CLOSE_MS = 3000;

/** Closes a client of the library, with a time limit, because the library may wait forever. Never rejects. */
export async function closeClient(client: { close(force: boolean): Promise<void> }): Promise<void> {
  await withinCloseTime(client.close(true));
}

/** Waits a few seconds at most for the last work of a client. Never rejects. */
export async function withinCloseTime(work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const limit = sleep(CLOSE_MS, undefined, { signal: done.signal });
  await Promise.race([work, limit]).catch(() => undefined);
  done.abort();
  limit.catch(() => undefined);
}
