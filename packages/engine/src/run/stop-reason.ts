import type { Failure } from '../errors/headrace-error.ts';

/** The reason of the signal that stops a run: the final state of the run, and the failure if there is one. */
export type StopReason =
  | { readonly status: 'CANCELLED' | 'INTERRUPTED' }
  | { readonly status: 'FAILED'; readonly failure: Failure };

/** Returns the reason of a signal that stops a run. The signal must be aborted. */
export function stopReason(signal: AbortSignal): StopReason {
  return signal.reason as StopReason;
}

/** Returns the failure that stopped the run. Returns undefined if it was not stopped by a failure. */
export function stopFailure(reason: StopReason): Failure | undefined {
  return reason.status === 'FAILED' ? reason.failure : undefined;
}
