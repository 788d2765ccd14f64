import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../component/logger.ts';
import { accessReason, mayBeThereLater } from '../config/access-error.ts';
import { type Failure, HeadraceError } from '../errors/headrace-error.ts';
import { OverdueError } from './time-limits.ts';

const FIRST_WAIT_MILLIS = 500;
const LONGEST_WAIT_MILLIS = 5000;
/** The minimum time for one attempt: a connection over TLS and a proxy can take seconds. */
const LEAST_ATTEMPT_MILLIS = 10_000;

/**
 * Connects to a destination. If it is down or starting, retries until the timeout. Any other failure, such as a wrong
 * password, is thrown immediately. Rejects with an `OverdueError` if the run is stopped, even during an attempt.
 * @param timeoutMillis the time for retries; 0 means only one attempt
 */
export async function connectWithin(
  timeoutMillis: number,
  connect: () => Promise<void>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const stopped = Promise.withResolvers<never>();
  const onAbort = () => stopped.reject(new OverdueError({ reason: 'stopped', failure: STOPPED }));
  stopped.promise.catch(() => undefined);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  const start = performance.now();
  const elapsed = () => performance.now() - start;
  try {
    for (let wait = FIRST_WAIT_MILLIS, isLogged = false; ; wait = Math.min(wait * 2, LONGEST_WAIT_MILLIS)) {
      try {
        const most = Math.max(timeoutMillis - elapsed(), LEAST_ATTEMPT_MILLIS);
        await Promise.race([answered(connect, most), stopped.promise]);
        if (isLogged) log.info(`The destination is reachable after ${seconds(elapsed())}`);
        return;
      } catch (error) {
        const left = timeoutMillis - elapsed();
        if (!mayBeThereLater(error) || left <= 0) throw explained(error, isLogged ? elapsed() : undefined);
        if (!isLogged) {
          const { message } = accessReason(error);
          log.warn(`${message}. Waiting up to ${seconds(timeoutMillis)} for the destination (indexer.connectTimeout)`);
        }
        isLogged = true;
        await Promise.race([sleep(Math.min(wait, left)), stopped.promise]);
      }
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Connects with a time limit, because a destination may accept the connection and never answer. */
async function answered(connect: () => Promise<void>, millis: number): Promise<void> {
  const silent = Promise.withResolvers<never>();
  const message = `The destination did not answer within ${seconds(millis)}`;
  const timer = setTimeout(() => silent.reject(new HeadraceError('HR_INDEXER_CONNECT', message)), millis);
  try {
    await Promise.race([connect(), silent.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const STOPPED: Failure = {
  code: 'HR_RUN_CANCELLED',
  message: 'The run was stopped before its destination could be reached',
};

/** Adds the hint of `validate --connect` to an error, and the time that the run waited for the destination. */
function explained(error: unknown, waitedMillis: number | undefined): unknown {
  if (error instanceof OverdueError) return error;
  const { message, hint } = accessReason(error);
  const waited =
    waitedMillis === undefined ? '' : `. The run tried for ${seconds(waitedMillis)} (indexer.connectTimeout)`;
  const code = error instanceof HeadraceError ? error.code : 'HR_INDEXER_CONNECT';
  return new HeadraceError(code, `${message}${waited}`, hint === undefined ? {} : { hint });
}

function seconds(millis: number): string {
  return `${Math.round(millis / 100) / 10} s`;
}
