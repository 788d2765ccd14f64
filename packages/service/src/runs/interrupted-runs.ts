import type { Problem } from '@headrace/engine';
import type { RunDetails } from '../api/run-details.ts';
import type { Store } from '../store/store.ts';
import { storedRun } from './active-run.ts';
import { endTime, forceEnd } from './forced-end.ts';

/**
 * Ends the runs that were running or waiting when the previous process died. Their counts can be about one second old.
 * Returns the number of these runs.
 */
export async function endInterruptedRuns(store: Store): Promise<number> {
  const unfinished = await store.unfinishedRuns();
  await Promise.all(
    unfinished.map((text) => {
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
        endTime: endTime(details),
        runResult: forceEnd(details, 'INTERRUPTED', problem),
      };
      return store.saveRun(storedRun(interrupted));
    }),
  );
  return unfinished.length;
}
