import type { ConnectorClass } from '../component/connector.ts';
import type { Failure } from '../errors/headrace-error.ts';

/** The time that a run gets to finish after a stop request. After this time, its threads are terminated. */
export const STOP_GRACE_MILLIS = 10_000;
/** After this time, no new document is started. */
const LAST_DOCUMENT_MILLIS = STOP_GRACE_MILLIS - 4000;
/**
 * After this time, unfinished work is abandoned, so that the run itself can report its end. Active requests get another
 * second, and the source needs time to leave, for example a consumer group.
 */
const ABANDON_MILLIS = STOP_GRACE_MILLIS - 2500;

/** The maximum delay of setTimeout in milliseconds, about 24 days. A longer timeout is treated as no limit. */
const MAX_TIMER_MILLIS = 2 ** 31 - 1;

/** The default time limit of a connector: one day, as in the reference. */
const DEFAULT_CONNECTOR_MILLIS = 86_400_000;

/**
 * Returns the time limit of a connector in milliseconds. 0 means no limit.
 * @param configured the value of `runner.connectorTimeout`; undefined if the config does not set it
 */
export function connectorMillis(
  configured: number | undefined,
  Class: Pick<ConnectorClass, 'endless'>,
  params: Readonly<Record<string, unknown>>,
): number {
  return configured ?? (Class.endless?.(params as never) === true ? 0 : DEFAULT_CONNECTOR_MILLIS);
}

/** The reason why the wait for work ended early. */
export type Overdue = { readonly reason: 'timeout' | 'stopped'; readonly failure: Failure };

/** The error that `withinLimits` throws. */
export class OverdueError extends Error {
  readonly overdue: Overdue;

  constructor(overdue: Overdue) {
    super(overdue.failure.message);
    this.overdue = overdue;
  }
}

/**
 * Waits for work with a time limit. Rejects with an `OverdueError` if the work exceeds `timeoutMillis` (0 or less means
 * no limit), or if it does not finish soon after the signal is aborted.
 * @param onLastDocument called some time after the signal, when no new document may be started
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
        message: 'The run was stopped, and this work did not finish in time',
      };
      timers.push(setTimeout(onLastDocument, LAST_DOCUMENT_MILLIS));
      timers.push(setTimeout(() => reject(new OverdueError({ reason: 'stopped', failure })), ABANDON_MILLIS));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    await Promise.race([work, late]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    for (const timer of timers) clearTimeout(timer);
    // No caller waits for these promises any more, so their results are ignored.
    work.catch(() => undefined);
    late.catch(() => undefined);
  }
}
