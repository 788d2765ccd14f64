import { counted } from '@headrace/engine';
import type { CheckResult } from './types.ts';

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
  /** How many documents of the run failed. */
  readonly failed: number;
  /** What is deleted, such as `document`. */
  readonly noun: string;
  find(): Promise<Missing>;
}

/**
 * Deletes what a source no longer has. If a document failed, deletes nothing, because its older version would be lost.
 * If too much would go, deletes nothing, and the check fails.
 */
export async function deleteWithinLimit({
  maxDeletePercent = 20,
  failed,
  noun,
  find,
}: LimitedDeletion): Promise<CheckResult> {
  const result = (outcome: CheckResult['outcome'], found: string): CheckResult => ({
    name: 'deleteMissing',
    outcome,
    found,
    expected: `at most ${maxDeletePercent} % to delete`,
  });
  if (failed > 0) return result('not run', `nothing was deleted, because ${counted(failed, 'document')} failed`);
  const { all, old, deleteAll } = await find();
  if (old === 0) return result('passed', `the source still has all ${noun}s`);
  const percent = (old * 100) / all;
  const share = `${counted(old, noun)} of ${all} (${Math.ceil(percent * 100) / 100} %)`;
  if (percent > maxDeletePercent) return result('failed', `the source no longer has ${share}: nothing was deleted`);
  return result('passed', `the source no longer had ${share}: ${await deleteAll()} deleted`);
}
