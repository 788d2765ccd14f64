import type { Failure } from '../errors/headrace-error.ts';

/** Why a run is stopped, and its final state: the reason of the signal that stops it. */
export type StopReason =
  | { readonly status: 'CANCELLED' | 'INTERRUPTED' }
  | { readonly status: 'FAILED'; readonly failure: Failure };

/** The reason of a signal that stops a run. The signal must be aborted. */
export function stopReason(signal: AbortSignal): StopReason {
  return signal.reason as StopReason;
}

/** The failure that ended the run, if it ended with a failure. */
export function stopFailure(reason: StopReason): Failure | undefined {
  return reason.status === 'FAILED' ? reason.failure : undefined;
}
