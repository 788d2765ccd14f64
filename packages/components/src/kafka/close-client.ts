import { setTimeout as sleep } from 'node:timers/promises';

/** A broker that does not answer, or a connection that never was, keeps nothing from ending. */
const CLOSE_MS = 3000;

/** Closes a client of the library; the library itself may wait forever. Never rejects. */
export async function closeClient(client: { close(force: boolean): Promise<void> }): Promise<void> {
  await withinCloseTime(client.close(true));
}

/** Waits for work at the end of a client, but only for some seconds. Never rejects. */
export async function withinCloseTime(work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const limit = sleep(CLOSE_MS, undefined, { signal: done.signal });
  await Promise.race([work, limit]).catch(() => undefined);
  done.abort();
  limit.catch(() => undefined);
}
