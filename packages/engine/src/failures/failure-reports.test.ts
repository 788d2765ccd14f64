import { expect, it } from 'vitest';
import { MessageGate } from '../transport/message-gate.ts';
import { FailureReports } from './failure-reports.ts';
import type { KeptFailure } from './kept-failure.ts';

const failure: KeptFailure = { id: 'a', connector: 'c', at: 's', failure: { code: 'HR_STAGE_FAILED', message: 'm' } };

/** Adds failures until no more are reported. Returns how many were added and posted. */
function reported(stored: boolean): { added: number; posted: number; reports: FailureReports } {
  let posted = 0;
  const gate = new MessageGate();
  const post = (failures: KeptFailure[], weight: number) => {
    posted += failures.length;
    gate.leave(weight);
  };
  const reports = new FailureReports(stored ? post : undefined, gate, false);
  let added = 0;
  for (; !reports.full; added++) reports.add(failure);
  return { added, posted, reports };
}

it('a run reports its first 100,000 failures to the store, and lists a thousand', () => {
  const { added, posted, reports } = reported(true);
  expect([added, posted, reports.listed.length, reports.budget.closed]).toEqual([100_000, 100_000, 1000, true]);
  reports.leaveOut(2);
  expect(reports.notKept).toBe(2);
});

it('a run without a store for failures lists a thousand', () => {
  const { added, reports } = reported(false);
  expect([added, reports.listed.length, reports.notKept]).toEqual([1000, 1000, 0]);
});
