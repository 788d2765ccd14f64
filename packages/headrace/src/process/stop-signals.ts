import { constants } from 'node:os';

export type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * The time after a signal in which another one is ignored. Launchers (npm, npx, scripts/start.mjs) forward a signal
 * that the terminal has already sent to all processes.
 */
const SAME_SIGNAL_MILLIS = 500;

/** Returns the exit code that shells report for a process that a signal has ended. */
export function signalExitCode(signal: StopSignal): number {
  return 128 + constants.signals[signal];
}

/**
 * Calls `onStop` at the first SIGINT or SIGTERM. A second signal ends the process immediately. Returns a function that
 * removes the handlers.
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
      // Send the signal without a handler. `process.exit` would wait for threads, and one may hang in a library.
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
