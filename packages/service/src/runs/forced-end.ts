import { type ConnectorResult, noDocuments, type Problem, type RunResult, runSummary } from '@headrace/engine';
import type { RunDetails } from '../api/run-details.ts';
import { epochSeconds } from '../time/clock.ts';

/**
 * Returns the end time of a run that ends now. It is never before the start time, even if the system clock was set back
 * in the meantime.
 */
export function endTime({ startTime }: Pick<RunDetails, 'startTime'>): number {
  return Math.max(startTime, epochSeconds());
}

/**
 * Ends a run that does not report a result. Returns a result from the last known progress of the run. Documents in
 * flight count as failed, and the running connectors as stopped.
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
  delete progress.waiting;
  return {
    status: false,
    message: runSummary(status, progress.connectors.map(resultOf), [problem]),
    runId,
    history: null,
    problems: [problem],
    connectors: progress.connectors.map(({ published: _, ...connector }) => connector),
  };
}

/** Converts a connector of the details to the format of the run summary. */
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
