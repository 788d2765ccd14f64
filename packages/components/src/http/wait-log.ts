import type { Logger } from '@headrace/engine';
import type { RetryWait } from './retry.ts';

/** The shortest wait that is logged, in milliseconds. A person who looks at the run may then ask why nothing happens. */
const LONG_MS = 10_000;

/** Returns a function that logs the long waits of a client with their reason. */
export function waitLog(log: Logger): (wait: RetryWait) => void {
  return ({ milliseconds, reason }) => {
    if (milliseconds < LONG_MS) return;
    log.warn(`Waits ${Math.round(milliseconds / 1000)} s before the next attempt: ${reason}`);
  };
}
