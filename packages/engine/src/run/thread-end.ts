import type { Worker } from 'node:worker_threads';
import { type Failure, messageOf } from '../errors/headrace-error.ts';
import type { FromRun, ToRun } from './thread-messages.ts';

/** How long a thread has to end its own threads. */
const END_MILLIS = 2000;

/**
 * Ends a thread that has done its work, when it has ended its own threads: Node's main thread keeps for ever what it
 * knows of a thread whose parent has gone before it.
 */
export function endThread(worker: Worker): void {
  const end = () => void worker.terminate();
  const timer = setTimeout(end, END_MILLIS);
  timer.unref();
  worker.once('exit', () => clearTimeout(timer));
  worker.on('message', (message: FromRun) => message.type === 'ended' && end());
  worker.postMessage({ type: 'end' } satisfies ToRun);
}

/** What is told of a thread that ended before its work was done, and said nothing. */
export const ENDED_BY_ITSELF = new Error('it ended, as if by process.exit()');

/** What is told of a thread that is gone, and with it what it was doing. */
export function lostThread(error: unknown, heapMb: number): Failure {
  if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return {
      code: 'HR_RUN_OUT_OF_MEMORY',
      message: `The run used more than its ${heapMb} MiB of memory`,
      hint: 'Make the documents smaller; in a service, limits.runHeapMb sets the limit.',
    };
  }
  return { code: 'HR_RUN_THREAD_LOST', message: `The thread of the run ended unexpectedly: ${messageOf(error)}` };
}
