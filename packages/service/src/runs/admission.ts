import { Refusal } from '../errors/refusal.ts';
import type { ActiveRun, RunOrder } from './active-run.ts';

interface Places {
  maxConcurrentRuns: number;
  maxQueuedRuns: number;
}

/** Refuses a run that may not be taken now, beside those that are there. */
export function admit(order: RunOrder, runs: Iterable<ActiveRun>, { maxConcurrentRuns, maxQueuedRuns }: Places): void {
  const configId = order.config?.id;
  let waitingOrGoing = 0;
  for (const run of runs) {
    if (run.done) continue;
    waitingOrGoing++;
    if (order.overlap === 'refuse' && configId !== undefined && run.configId === configId) {
      throw new Refusal('HR_CONFIG_LOCKED', `The config ${configId} is in use by the run ${run.id}`, {
        hint: 'Wait for that run, or cancel it; or ask with "overlap": "queue", and the run begins after that one.',
      });
    }
  }
  if (waitingOrGoing < maxConcurrentRuns + maxQueuedRuns) return;
  const message = `${maxConcurrentRuns} runs are going on and ${maxQueuedRuns} wait already, which is the limit`;
  throw new Refusal('HR_RUN_QUEUE_FULL', message, {
    hint: 'Try again later, or raise limits.maxQueuedRuns or limits.maxConcurrentRuns in the service file.',
    headers: { 'retry-after': '5' },
  });
}
