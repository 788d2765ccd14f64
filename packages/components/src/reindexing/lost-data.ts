import type { CheckResult } from '@headrace/engine';
import type { FinishedRun, Loss } from './types.ts';

/** Returns the losses of a run that are not allowed. */
export function notAllowed({ losses }: FinishedRun, allowed: readonly string[] = []): readonly Loss[] {
  return losses.filter(({ code }) => !allowed.includes(code));
}

/** Names losses, such as `3 file.skipped, 1 text.empty`. */
export function lossText(losses: readonly Loss[]): string {
  return losses.map(({ code, count }) => `${count} ${code}`).join(', ');
}

/** Checks that a run has lost no data of its source. Returns no check for a run without losses. */
export function checkLosses(run: FinishedRun, allowed?: readonly string[]): CheckResult[] {
  if (run.losses.length === 0) return [];
  const refused = notAllowed(run, allowed);
  const found = `the run lost data: ${lossText(refused.length > 0 ? refused : run.losses)}`;
  const expected = 'no notices of the class loss, except those in allowNotices';
  return [{ name: 'notices', outcome: refused.length > 0 ? 'failed' : 'passed', found, expected }];
}
