import type { Problem } from '@headrace/engine';
import type { RunDetails } from '../api/run-details.ts';
import type { Store } from '../store/store.ts';
import { storedRun } from './active-run.ts';
import { forceEnd } from './forced-end.ts';
import { lastSampleTime } from './run-samples.ts';

/**
 * Ends the runs that were running or waiting when the previous process died. Their counts can be about one second old.
 * Returns the number of these runs.
 */
export async function endInterruptedRuns(store: Store): Promise<number> {
  const unfinished = await store.unfinishedRuns();
  await Promise.all(
    unfinished.map(async (text) => {
      const { queuePosition: _, ...details } = JSON.parse(text) as RunDetails;
      const waited = details.status === 'QUEUED';
      const problem: Problem = {
        severity: 'error',
        code: 'HR_RUN_INTERRUPTED',
        path: '',
        message: waited ? 'The service ended before the run began' : 'The service ended while the run was running',
        hint: 'Start the run again.',
      };
      const interrupted: RunDetails = {
        ...details,
        status: 'INTERRUPTED',
        done: true,
        endTime: lastSign(details, await store.runSamples(details.runId)),
        runResult: forceEnd(details, 'INTERRUPTED', problem),
      };
      return store.saveRun(storedRun(interrupted));
    }),
  );
  return unfinished.length;
}

/**
 * Returns the last time, in seconds since the epoch, at which the stored progress and samples show that a run worked.
 * The time of the restart would make a run of a minute last for as long as the service was down.
 */
function lastSign({ startTime, progress }: RunDetails, samples: string | undefined): number {
  const worked = progress.connectors.reduce((sum, { seconds }) => sum + seconds, 0);
  return Math.max(startTime + worked, samples === undefined ? 0 : lastSampleTime(samples));
}
