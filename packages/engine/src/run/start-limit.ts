import { availableParallelism, loadavg } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { currentRules } from '../policy/current-policy.ts';
import type { LimitedStart } from './thread-messages.ts';

const MILLIS_BETWEEN_LOOKS = 250;
/** The maximum time on the clock, as a multiple of the limit, if many threads compete for the processors. */
const MAX_STRETCH = 4;
/** The time in which a thread loads its modules, which counts too. */
const LOADING_MILLIS = 2000;

/**
 * Watches a thread that starts stages or other components. Calls `onOverdue` once if the thread computes longer than a limit. The time in which
 * it waits, for a server or a child process, does not count.
 * @returns a function that ends the watch
 */
export function watchStart(
  { performance }: { readonly performance: Pick<Worker['performance'], 'eventLoopUtilization'> },
  limitMillis: number,
  onOverdue: () => void,
): () => void {
  const before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const crowd = (loadavg()[0] as number) / availableParallelism();
    const most = LOADING_MILLIS + limitMillis * Math.min(MAX_STRETCH, Math.max(1, crowd));
    if (performance.eventLoopUtilization(before).active <= most) return;
    clearInterval(timer);
    onOverdue();
  }, MILLIS_BETWEEN_LOOKS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Runs a part of the start of a component with the time limit of the policy. */
export type RunStarts = <T>(component: Omit<LimitedStart, 'millis'>, work: () => T | Promise<T>) => Promise<T>;

/**
 * Returns a function that runs a part of the start of a component. If the policy of this thread limits the computing time
 * of a document, it limits the start too: the process watches it, because this thread may compute without an end.
 * @param onStarting informs the process
 */
export function limitedStarts(onStarting: (start: LimitedStart | undefined) => void): RunStarts {
  const seconds = currentRules()?.policy.limits.maxProcessingSecs;
  return async (component, work) => {
    if (seconds === undefined) return work();
    onStarting({ ...component, millis: seconds * 1000 });
    try {
      return await work();
    } finally {
      onStarting(undefined);
    }
  };
}
