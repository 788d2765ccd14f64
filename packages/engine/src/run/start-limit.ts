import { availableParallelism, loadavg } from 'node:os';
import type { Worker } from 'node:worker_threads';

const MILLIS_BETWEEN_LOOKS = 250;
/** The maximum time on the clock, as a multiple of the limit, if many threads compete for the processors. */
const MAX_STRETCH = 4;
/** The time in which a thread loads its modules, which counts too. */
const LOADING_MILLIS = 2000;

/**
 * Watches a thread that starts stages. Calls `onOverdue` once if the thread computes longer than a limit. The time in which
 * it waits, for a server or a child process, does not count.
 * @returns a function that ends the watch
 */
export function watchStart(
  { performance }: Pick<Worker, 'performance'>,
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
