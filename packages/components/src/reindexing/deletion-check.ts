import { type CheckResult, counted } from '@headrace/engine';
import { lossText, notAllowed } from './lost-data.ts';
import type { FinishedRun } from './types.ts';

/** What the source no longer has. */
export interface Missing {
  /** How many documents of the source there are. */
  readonly all: number;
  /** How many of them the source no longer has. */
  readonly old: number;
  /** Deletes them. Returns how many were deleted. */
  deleteAll(): Promise<number>;
}

interface LimitedDeletion {
  /** Defaults to 20. */
  readonly maxDeletePercent: number | undefined;
  readonly run: FinishedRun;
  /** The codes of notices of the class loss that the run may have. */
  readonly allowNotices: readonly string[] | undefined;
  /** What is deleted, such as `document`. */
  readonly noun: string;
  find(): Promise<Missing>;
}

/**
 * Deletes what a source no longer has. If a document failed, deletes nothing, because its older version would be lost.
 * If the run lost data of the source, deletes nothing, because the source may still have it.
 * If too much would go, deletes nothing, and the check fails.
 */
export async function deleteWithinLimit({
  maxDeletePercent = 20,
  run,
  allowNotices,
  noun,
  find,
}: LimitedDeletion): Promise<CheckResult> {
  const result = (outcome: CheckResult['outcome'], found: string): CheckResult => ({
    name: 'deleteMissing',
    outcome,
    found,
    expected: `at most ${maxDeletePercent} % to delete`,
  });
  const { failed } = run;
  if (failed > 0) return result('not run', `nothing was deleted, because ${counted(failed, 'document')} failed`);
  const losses = notAllowed(run, allowNotices);
  if (losses.length > 0) {
    return result('not run', `nothing was deleted, because the run lost data: ${lossText(losses)}`);
  }
  const { all, old, deleteAll } = await find();
  if (old === 0) return result('passed', `the source still has all ${noun}s`);
  const percent = (old * 100) / all;
  const share = `${counted(old, noun)} of ${all} (${Math.ceil(percent * 100) / 100} %)`;
  if (percent > maxDeletePercent) return result('failed', `the source no longer has ${share}: nothing was deleted`);
  return result('passed', `the source no longer had ${share}: ${await deleteAll()} deleted`);
}
