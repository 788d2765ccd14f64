import { type ConnectorResult, noDocuments, type Problem, type RunResult, runSummary } from '@headrace/engine';
import type { RunDetails } from '../api/run-details.ts';
import { epochSeconds } from '../time/clock.ts';

/** When a run ends that ends now: not before it began, even if the clock was set back meanwhile. */
export function endTime({ startTime }: Pick<RunDetails, 'startTime'>): number {
  return Math.max(startTime, epochSeconds());
}

/**
 * Ends by force a run that gives no result itself, and gives the result that is told instead: what is known of it. What
 * was in flight has failed, and its connectors go on no longer.
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
    // One goes on at a time: what was in flight is of that one.
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

/** As the summary tells of a connector. */
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
