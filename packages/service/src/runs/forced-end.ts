import { type ConnectorResult, noDocuments, type Problem, type RunResult, runSummary } from '@headrace/engine';
import type { RunDetails } from '../api/run-details.ts';
import { epochSeconds } from '../time/clock.ts';

/**
 * The end time of a run that ends now. It is not before the start time, even if the system clock was set back
 * meanwhile.
 */
export function endTime({ startTime }: Pick<RunDetails, 'startTime'>): number {
  return Math.max(startTime, epochSeconds());
}

/**
 * Ends a run that gives no result itself. Returns a result made of what is known of the run. Documents in flight count
 * as failed, and its connectors as stopped.
 */
export function forceEnd(
  { runId, progress }: RunDetails,
  status: Exclude<RunResult['status'], 'SUCCEEDED'>,
  problem: Problem,
): NonNullable<RunDetails['runResult']> {
  for (const connector of progress.connectors) {
    if (connector.status === 'waiting') connector.status = 'skipped';
    if (connector.status !== 'running') continue;
    connector.status = 'stopped';
    // Connectors run one after another, so all pending documents belong to this one.
    connector.failed += progress.pending;
  }
  progress.failed += progress.pending;
  progress.pending = 0;
  return {
    status: false,
    message: runSummary(status, progress.connectors.map(resultOf), [problem]),
    runId,
    history: null,
    problems: [problem],
    connectors: progress.connectors.map(({ published: _, ...connector }) => connector),
  };
}

/** A connector in the form that the run summary takes. */
function resultOf({ name, status, seconds, ...counts }: RunDetails['progress']['connectors'][number]): ConnectorResult {
  return {
    name,
    status: status as ConnectorResult['status'],
    hasPipeline: true,
    counts: { ...noDocuments(), ...counts },
    received: counts.published,
    seconds,
    ...(status === 'failed' ? { error: { text: 'Connector exception.', timed: true } } : {}),
  };
}
