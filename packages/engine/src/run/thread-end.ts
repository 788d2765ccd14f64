import { type Failure, messageOf } from '../errors/headrace-error.ts';
import type { RunThread } from './run-thread.ts';
import type { FromRun, ToRun } from './thread-messages.ts';

/** The time that a thread gets to end its child threads. */
const END_MILLIS = 2000;

/**
 * Ends a thread that has finished its work, after it has ended its child threads. If a parent thread ends before its
 * children, the main thread of Node never frees the memory for them.
 */
export function endThread(worker: RunThread): void {
  const end = () => void worker.terminate();
  const timer = setTimeout(end, END_MILLIS);
  timer.unref();
  worker.once('exit', () => clearTimeout(timer));
  worker.on('message', (message: FromRun) => message.type === 'ended' && end());
  worker.postMessage({ type: 'end' } satisfies ToRun);
}

/** The error for a thread that ended early without an error. */
export const ENDED_BY_ITSELF = new Error('it exited early, as by process.exit()');

/** Returns the failure for a thread that ended with unfinished work. */
export function lostThread(error: unknown, heapMb: number): Failure {
  if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return {
      code: 'HR_RUN_OUT_OF_MEMORY',
      message: `The run used more than its ${heapMb} MiB of memory`,
      hint: 'Make the documents smaller. In a service, limits.runHeapMb sets the limit.',
    };
  }
  return { code: 'HR_RUN_THREAD_LOST', message: `The thread of the run ended unexpectedly: ${messageOf(error)}` };
}
