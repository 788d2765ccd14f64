import type { ConnectorClass } from '../component/connector.ts';
import type { Failure } from '../errors/headrace-error.ts';

/** How long a run may take to end after it was told to stop; then its threads are ended by force. */
export const STOP_GRACE_MILLIS = 10_000;
/** From then on no further document is begun. */
const LAST_DOCUMENT_MILLIS = STOP_GRACE_MILLIS - 4000;
/** And from then on what is still going is given up, so that the run can tell of its end itself. */
const GIVE_UP_MILLIS = STOP_GRACE_MILLIS - 2000;

/** setTimeout takes at most 2^31-1 ms, about 24 days: more means no limit to speak of. */
const MAX_TIMER_MILLIS = 2 ** 31 - 1;

/** How long a connector may take when its config does not say: a day, as in the reference. */
const DEFAULT_CONNECTOR_MILLIS = 86_400_000;

/**
 * How many milliseconds a connector may take; 0: no limit.
 * @param configured `runner.connectorTimeout`; undefined: the config does not say
 */
export function connectorMillis(
  configured: number | undefined,
  Class: Pick<ConnectorClass, 'endless'>,
  params: Readonly<Record<string, unknown>>,
): number {
  return configured ?? (Class.endless?.(params as never) === true ? 0 : DEFAULT_CONNECTOR_MILLIS);
}

/** Why work was not waited for any longer. */
export type Overdue = { readonly reason: 'timeout' | 'stopped'; readonly failure: Failure };

/** Thrown by `withinLimits`. */
export class OverdueError extends Error {
  readonly overdue: Overdue;

  constructor(overdue: Overdue) {
    super(overdue.failure.message);
    this.overdue = overdue;
  }
}

/**
 * Waits for work, but not for ever: rejects with an `OverdueError` when it takes longer than `timeoutMillis`
 * (0 or less: no limit), or when it does not end in time after the signal.
 * @param onLastDocument called some time after the signal, when no further document is to be begun
 */
export async function withinLimits(
  work: Promise<void>,
  timeoutMillis: number,
  signal: AbortSignal,
  onLastDocument: () => void,
): Promise<void> {
  const timers: NodeJS.Timeout[] = [];
  let onAbort: () => void = () => undefined;
  const late = new Promise<never>((_, reject) => {
    if (timeoutMillis > 0) {
      const failure: Failure = {
        code: 'HR_CONNECTOR_TIMEOUT',
        message: `The connector did not finish within ${timeoutMillis} ms`,
        hint: 'Raise runner.connectorTimeout (milliseconds; 0 for none).',
      };
      const expire = () => reject(new OverdueError({ reason: 'timeout', failure }));
      timers.push(setTimeout(expire, Math.min(timeoutMillis, MAX_TIMER_MILLIS)));
    }
    onAbort = () => {
      const failure: Failure = {
        code: 'HR_RUN_CANCELLED',
        message: 'The run was stopped, and this was not finished in time',
      };
      timers.push(setTimeout(onLastDocument, LAST_DOCUMENT_MILLIS));
      timers.push(setTimeout(() => reject(new OverdueError({ reason: 'stopped', failure })), GIVE_UP_MILLIS));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    await Promise.race([work, late]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    for (const timer of timers) clearTimeout(timer);
    // Nobody waits for either any more, however it ends.
    work.catch(() => undefined);
    late.catch(() => undefined);
  }
}
