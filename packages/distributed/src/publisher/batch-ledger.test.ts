import type { Confirmation } from '@headrace/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BatchReport } from '../queue/reports.ts';
import { BatchLedger } from './batch-ledger.ts';

const NO_RESULTS = { created: 0, succeeded: 0, failed: 0, dropped: 0, failures: [] };

function report(batch: number, attempt: string, more: Partial<BatchReport> = {}): BatchReport {
  return { batch, attempt, parts: 0, ...NO_RESULTS, ...more };
}

/** The reports of one complete attempt at a batch: that of the worker, and those of the indexers. */
function attemptOf(batch: number, attempt: string, parts: number, counts: readonly number[]): BatchReport[] {
  const [dropped = 0, failed = 0, ...indexed] = counts;
  return [
    report(batch, attempt, { parts, dropped, failed }),
    ...Array.from({ length: parts }, (_, part) =>
      report(batch, attempt, { part, parts: 0, succeeded: indexed[part] ?? 1 }),
    ),
  ];
}

function sum(reports: readonly BatchReport[]): Omit<Confirmation, 'failures'> {
  const total = (field: 'created' | 'succeeded' | 'failed' | 'dropped') =>
    reports.reduce((so, one) => so + one[field], 0);
  return {
    created: total('created'),
    succeeded: total('succeeded'),
    failed: total('failed'),
    dropped: total('dropped'),
  };
}

/** The result of each batch so far. Undefined while it is not finished. */
class Confirmations {
  readonly found: (Confirmation | Error | undefined)[] = [];

  watch(batch: number, confirmed: Promise<Confirmation>): void {
    confirmed.then(
      (confirmation) => {
        this.found[batch] = confirmation;
      },
      (error: Error) => {
        this.found[batch] = error;
      },
    );
  }
}

/** Lets the listeners of resolved promises run. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the accounts of batches', () => {
  it('are finished by a worker that has indexed the documents itself', async () => {
    const ledger = new BatchLedger();
    const { batch, confirmed } = ledger.add();
    expect(ledger.report(report(batch, 'a', { succeeded: 3, created: 1, failed: 1 }))).toBe(true);
    expect(await confirmed).toEqual({ ...NO_RESULTS, succeeded: 3, created: 1, failed: 1 });
    expect(ledger.size).toBe(0);
  });

  it('are finished by the last of the worker and its indexers, in any order', async () => {
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
    ]) {
      const ledger = new BatchLedger();
      const { batch, confirmed } = ledger.add();
      const reports = attemptOf(batch, 'a', 2, [1, 1, 5, 6]);
      const answers = order.map((i) => ledger.report(reports[i] as BatchReport));
      expect(answers).toEqual([false, false, true]);
      expect(await confirmed).toEqual({ ...NO_RESULTS, dropped: 1, failed: 1, succeeded: 11 });
    }
  });

  it('never mix two attempts at a batch', () => {
    const ledger = new BatchLedger();
    const { batch } = ledger.add();
    expect(ledger.report(report(batch, 'first', { parts: 2 }))).toBe(false);
    expect(ledger.report(report(batch, 'first', { part: 0 }))).toBe(false);
    expect(ledger.report(report(batch, 'second', { part: 1 }))).toBe(false);
    expect(ledger.report(report(batch, 'second', { parts: 2 }))).toBe(false);
    expect(ledger.size).toBe(1);
    expect(ledger.report(report(batch, 'second', { part: 0 }))).toBe(true);
  });

  it('have the failures of the worker and of the indexers', async () => {
    const ledger = new BatchLedger();
    const { batch, confirmed } = ledger.add();
    const failure = (id: string) => ({ id, at: 'x', code: 'HR_STAGE_FAILED', message: 'm' }) as const;
    ledger.report(report(batch, 'a', { part: 0, failed: 1, failures: [failure('indexer')] }));
    ledger.report(report(batch, 'a', { parts: 1, failed: 1, failures: [failure('worker')] }));
    expect((await confirmed).failures.map(({ id }) => id)).toEqual(['worker', 'indexer']);
  });

  it('ignore reports about batches that are finished, not written, or unknown', () => {
    const ledger = new BatchLedger();
    const [finished, removed] = [ledger.add().batch, ledger.add().batch];
    ledger.report(report(finished, 'a'));
    ledger.remove(removed);
    for (const batch of [finished, removed, 99, -1]) expect(ledger.report(report(batch, 'b'))).toBe(false);
    expect(ledger.size).toBe(0);
  });

  it('reject all open batches with the error', async () => {
    const ledger = new BatchLedger();
    const { confirmed } = ledger.add();
    const error = new Error('no worker');
    ledger.rejectAll(error);
    await expect(confirmed).rejects.toBe(error);
    expect(ledger.size).toBe(0);
  });

  it('are those of one complete attempt if any reports are lost, repeated or late', async () => {
    const attempt = fc.record({
      parts: fc.integer({ min: 0, max: 3 }),
      counts: fc.array(fc.nat(50), { minLength: 5, maxLength: 5 }),
      /** The reports that arrive. A killed process sends no more reports. */
      arriving: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      repeated: fc.boolean(),
    });
    const batches = fc.array(fc.array(attempt, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(batches, fc.infiniteStream(fc.nat(1000)), async (plan, random) => {
        const ledger = new BatchLedger();
        const confirmations = new Confirmations();
        const sent: BatchReport[] = [];
        const complete = new Map<number, ReturnType<typeof sum>[]>();
        for (const attempts of plan) {
          const { batch, confirmed } = ledger.add();
          confirmations.watch(batch, confirmed);
          const possible: ReturnType<typeof sum>[] = [];
          for (const [i, { parts, counts, arriving, repeated }] of attempts.entries()) {
            const all = attemptOf(batch, `attempt-${i}`, parts, counts);
            const arrived = all.filter((_, at) => arriving[at]);
            if (arrived.length === all.length) possible.push(sum(all));
            sent.push(...arrived, ...(repeated ? arrived : []));
          }
          complete.set(batch, possible);
        }
        const shuffled = sent
          .map((one) => ({ one, at: random.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => one);
        const finished = shuffled.filter((one) => ledger.report(one)).length;
        await settled();
        const known = confirmations.found.filter((one) => one !== undefined);
        expect(known).toHaveLength(finished);
        expect(ledger.size).toBe(plan.length - finished);
        for (const [batch, possible] of complete) {
          const { failures: _, ...counted } = (confirmations.found[batch] ?? { failures: [] }) as Confirmation;
          if (possible.length === 0) expect(confirmations.found[batch]).toBeUndefined();
          else expect(possible).toContainEqual(counted);
        }
      }),
    );
  });
});
