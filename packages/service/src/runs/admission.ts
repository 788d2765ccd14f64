import { counted } from '@headrace/engine';
import type { ConfigSource } from '../configs/config-source.ts';
import { ApiError } from '../errors/api-error.ts';
import type { ActiveRun } from './active-run.ts';
import type { RunSpec } from './run-spec.ts';

interface Places {
  maxConcurrentRuns: number;
  maxQueuedRuns: number;
}

/**
 * The maximum total length of the configs of all waiting runs, in characters. Each config is in memory until its run
 * starts, and needs many times its length.
 */
const MAX_WAITING_CONFIGS = 32 * 1024 * 1024;

/** Throws an `ApiError` if the active runs do not allow another run now. */
export function admit(spec: RunSpec, runs: Iterable<ActiveRun>, { maxConcurrentRuns, maxQueuedRuns }: Places): void {
  const configId = spec.config?.id;
  let waitingOrGoing = 0;
  const waiting = new Set<ConfigSource>();
  for (const run of runs) {
    if (run.done) continue;
    waitingOrGoing++;
    if (run.status === 'QUEUED') waiting.add(run.spec.source);
    if (spec.overlap === 'refuse' && configId !== undefined && run.configId === configId) {
      throw new ApiError('HR_CONFIG_LOCKED', `The config ${configId} is in use by the run ${run.id}`, {
        hint: 'Wait for that run, or cancel it; or send "overlap": "queue", so that the run starts after it.',
      });
    }
  }
  if (waitingOrGoing >= maxConcurrentRuns + maxQueuedRuns) {
    throw queueFull(
      `${counted(maxConcurrentRuns, 'run is', 'runs are')} running and ${counted(maxQueuedRuns, 'run is', 'runs are')} waiting, which is the limit`,
      'Try again later, or raise limits.maxQueuedRuns or limits.maxConcurrentRuns in the service file.',
    );
  }
  // A single waiting run may have a config of any size.
  if (waiting.size === 0 || waiting.has(spec.source)) return;
  let characters = spec.source.size;
  for (const { size } of waiting) characters += size;
  if (characters <= MAX_WAITING_CONFIGS) return;
  throw queueFull(
    `With this run, the configs of the waiting runs would have ${characters} characters; the limit is ${MAX_WAITING_CONFIGS}`,
    'Try again later; or store the config and start its runs by its id: waiting runs share a stored config.',
  );
}

function queueFull(message: string, hint: string): ApiError {
  return new ApiError('HR_RUN_QUEUE_FULL', message, { hint, headers: { 'retry-after': '5' } });
}
