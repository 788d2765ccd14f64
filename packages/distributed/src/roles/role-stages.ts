import { namesOf, STAGE_COUNTERS, type StageProgress } from '@headrace/engine';

/** Returns the sums of the stages of two runs of a role. Both have the same config; a run may end before its stages start. */
export function addStages(a: readonly StageProgress[], b: readonly StageProgress[]): readonly StageProgress[] {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
  return a.map((stage, i) => {
    const more = b[i] as StageProgress;
    const sum = { ...stage };
    for (const counter of namesOf(STAGE_COUNTERS)) sum[counter] += more[counter];
    const millis = stage.processed * stage.meanMillis + more.processed * more.meanMillis;
    return { ...sum, meanMillis: sum.processed === 0 ? 0 : millis / sum.processed };
  });
}
