import type { RunDetails } from '../api/types.ts';

type Stage = RunDetails['progress']['stages'][number];

/** Returns the stages with their shares of the time of all stages, between 0 and 1. */
export function stageShares(stages: readonly Stage[]): { readonly stage: Stage; readonly share: number }[] {
  const times = stages.map(({ processed, meanMillis }) => processed * meanMillis);
  const total = times.reduce((sum, time) => sum + time, 0);
  return stages.map((stage, i) => ({ stage, share: total === 0 ? 0 : (times[i] as number) / total }));
}
