import { constants } from 'node:os';

/** Ctrl-C, the signal of service managers, and a closed terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export type StopSignal = (typeof SIGNALS)[number];

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
 * Calls `onStop` at the first SIGINT, SIGTERM or SIGHUP. A second SIGINT or SIGTERM ends the process immediately. A
 * second SIGHUP does not: the kernel and the shell may both send one when a terminal closes. Returns a function that
 * removes the handlers.
 * @param onHangUp called at SIGHUP before a stop. If it returns true, the signal has another meaning and stops nothing
 */
export function onStopSignal(onStop: (signal: StopSignal) => void, onHangUp: () => boolean = () => false): () => void {
  let stoppedAt: number | undefined;
  const handle = (signal: StopSignal) => {
    const now = performance.now();
    if (stoppedAt === undefined) {
      if (signal === 'SIGHUP' && onHangUp()) return;
      stoppedAt = now;
      onStop(signal);
    } else if (signal !== 'SIGHUP' && now - stoppedAt > SAME_SIGNAL_MILLIS) {
      remove();
      // Send the signal without a handler. `process.exit` would wait for threads, and one may hang in a library.
      process.kill(process.pid, signal);
    }
  };
  const remove = () => {
    for (const signal of SIGNALS) process.off(signal, handle);
  };
  for (const signal of SIGNALS) process.on(signal, handle);
  return remove;
}
