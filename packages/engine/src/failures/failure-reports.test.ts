import { describe, expect, it } from 'vitest';
import { MessageGate } from '../transport/message-gate.ts';
import { FailureReports, type PostFailures } from './failure-reports.ts';
import type { KeptFailure } from './kept-failure.ts';

const failure: KeptFailure = { id: 'a', connector: 'c', at: 's', failure: { code: 'HR_STAGE_FAILED', message: 'm' } };

/** Adds failures until no more are reported. Returns how many were added and posted. */
function reported(stored: boolean): { added: number; posted: number; reports: FailureReports } {
  let posted = 0;
  const gate = new MessageGate();
  const post = async (failures: KeptFailure[], weight: number) => {
    posted += failures.length;
    gate.leave(weight);
    return true;
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

describe('what a run does not keep', () => {
  const input: KeptFailure = { ...failure, document: { kind: 'input', json: '{"id":"a"}', binaryFields: [] } };
  const unreadable: KeptFailure = {
    ...failure,
    at: 'connector',
    failure: { code: 'HR_RECORD_UNREADABLE', message: 'a.csv:7: m' },
  };

  /** Reports failures. Returns how many are not kept, after the store has answered. */
  async function unkept(store: PostFailures | undefined, failures: readonly KeptFailure[], unreported = 0) {
    const reports = new FailureReports(store, new MessageGate(), false);
    for (const each of failures) reports.add(each);
    reports.leaveOut(unreported);
    await reports.stored();
    return reports.unkept;
  }

  it('is nothing if the store has the documents, or the places of unreadable records', async () => {
    expect(await unkept(async () => true, [input, unreadable])).toBe(0);
  });

  it('is a document without its content, and one that is not reported', async () => {
    expect(await unkept(async () => true, [input, failure], 2)).toBe(3);
  });

  it('is every document if there is no store, or the store cannot be written', async () => {
    expect(await unkept(undefined, [input, failure, unreadable])).toBe(3);
    expect(await unkept(async () => false, [input, failure, unreadable])).toBe(3);
  });

  it('is known only when the store has answered', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const reports = new FailureReports(() => promise, new MessageGate(), false);
    reports.add(input);
    const stored = reports.stored();
    expect(reports.unkept).toBe(0);
    resolve(false);
    await stored;
    expect(reports.unkept).toBe(1);
  });
});
