import { constants } from 'node:os';

export type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * A launcher (npm, npx, ours) passes on what the terminal has sent to every process already: a signal that comes
 * this soon after the first one is the same.
 */
const SAME_SIGNAL_MILLIS = 500;

/** The exit code of a process that a signal has ended, as shells see it. */
export function signalExitCode(signal: StopSignal): number {
  return 128 + constants.signals[signal];
}

/**
 * Calls `onStop` at the first SIGINT or SIGTERM; a second one ends the process at once. Gives what removes the
 * handlers again.
 */
export function onStopSignal(onStop: (signal: StopSignal) => void): () => void {
  let stoppedAt: number | undefined;
  const handle = (signal: StopSignal) => {
    const now = performance.now();
    if (stoppedAt === undefined) {
      stoppedAt = now;
      onStop(signal);
    } else if (now - stoppedAt > SAME_SIGNAL_MILLIS) {
      remove();
      // What the signal does by itself. To exit would be to wait for threads, of which one may hang in a library.
      process.kill(process.pid, signal);
    }
  };
  const remove = () => {
    process.off('SIGINT', handle);
    process.off('SIGTERM', handle);
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
  return remove;
}
