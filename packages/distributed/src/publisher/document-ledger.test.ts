import type { Confirmation } from '@headrace/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DocumentEvent } from '../queue/document-events.ts';
import { DocumentLedger } from './document-ledger.ts';

const event = (type: DocumentEvent['type'], documentId: string, message?: string): DocumentEvent =>
  message === undefined ? { type, documentId } : { type, documentId, message };

/** Lets the listeners of resolved promises run. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("the accounts of documents in Lucille's format", () => {
  it('count the result of each document of a batch', async () => {
    const ledger = new DocumentLedger();
    const confirmed = ledger.add(['a', 'b', 'c']);
    expect(ledger.report(event('FINISH', 'b', 'SUCCEEDED'))).toBe(false);
    expect(ledger.report(event('DROP', 'a'))).toBe(false);
    expect(ledger.report(event('FAIL', 'c', 'FAILED: no index'))).toBe(true);
    const failures = [{ id: 'c', at: 'indexer', code: 'HR_STAGE_FAILED', message: 'no index' }];
    expect(await confirmed).toEqual({ created: 0, succeeded: 1, failed: 1, dropped: 1, failures });
    expect(ledger.size).toBe(0);
  });

  it('wait for the children of a document, also if a child is finished before it is reported as created', async () => {
    const ledger = new DocumentLedger();
    const confirmed = ledger.add(['p']);
    expect(ledger.report(event('FINISH', 'late'))).toBe(false);
    expect(ledger.report(event('CREATE', 'early'))).toBe(false);
    expect(ledger.report(event('CREATE', 'late'))).toBe(false);
    expect(ledger.report(event('FINISH', 'p'))).toBe(false);
    expect(ledger.report(event('FAIL', 'early'))).toBe(true);
    expect(await confirmed).toMatchObject({ created: 2, succeeded: 2, failed: 1, dropped: 0 });
  });

  it('count an id as often as it was published', async () => {
    const ledger = new DocumentLedger();
    const [first, second] = [ledger.add(['a', 'a']), ledger.add(['a'])];
    expect([1, 2, 3].map(() => ledger.report(event('FINISH', 'a')))).toEqual([false, true, true]);
    expect((await first).succeeded).toBe(2);
    expect((await second).succeeded).toBe(1);
  });

  it('list a failure without a reason of the worker, and at most 100 failures', async () => {
    const ledger = new DocumentLedger();
    const ids = Array.from({ length: 150 }, (_, n) => `d${n}`);
    const confirmed = ledger.add(ids);
    for (const id of ids) ledger.report(event('FAIL', id));
    const { failed, failures } = await confirmed;
    expect([failed, failures.length]).toEqual([150, 100]);
    expect(failures[0]).toEqual({ id: 'd0', at: 'worker', code: 'HR_STAGE_FAILED', message: '' });
  });

  it('count a document that could not be written as failed', async () => {
    const ledger = new DocumentLedger();
    const confirmed = ledger.add(['a']);
    ledger.refused('a', 'too large');
    expect(await confirmed).toMatchObject({ failed: 1, failures: [{ id: 'a', message: 'too large' }] });
  });

  it('are finished immediately if a batch has no document', async () => {
    const ledger = new DocumentLedger();
    void ledger.add([]);
    expect(ledger.size).toBe(0);
  });

  it('reject all open batches with the error', async () => {
    const ledger = new DocumentLedger();
    const confirmed = ledger.add(['a', 'b']);
    const error = new Error('no worker');
    ledger.rejectAll(error);
    await expect(confirmed).rejects.toBe(error);
    expect(ledger.size).toBe(0);
    expect(ledger.report(event('FINISH', 'a'))).toBe(false);
  });

  it('are exact for any ids, children and order of events', async () => {
    const end = fc.constantFrom('FINISH', 'FAIL', 'DROP') as fc.Arbitrary<DocumentEvent['type']>;
    const document = fc.record({ id: fc.nat(5).map((n) => `id-${n}`), end, children: fc.array(end, { maxLength: 2 }) });
    const batches = fc.array(fc.array(document, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(batches, fc.infiniteStream(fc.nat(1000)), async (plan, random) => {
        const ledger = new DocumentLedger();
        const confirmations: Confirmation[] = [];
        const events: DocumentEvent[] = [];
        for (const [i, documents] of plan.entries()) {
          void ledger.add(documents.map(({ id }) => id)).then((confirmation) => confirmations.push(confirmation));
          for (const [j, { id, end: type, children }] of documents.entries()) {
            for (const [k, childEnd] of children.entries()) {
              const child = `child-${i}-${j}-${k}`;
              events.push(event('CREATE', child), event(childEnd, child));
            }
            events.push(event(type, id));
          }
        }
        // A worker reports a child before its parent. The event of the child's end may arrive at any time.
        const isParentEnd = ({ type, documentId }: DocumentEvent) => type !== 'CREATE' && documentId.startsWith('id-');
        const rest = events.filter((one) => !isParentEnd(one));
        const shuffled = rest
          .map((one) => ({ one, at: random.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => one);
        for (const one of [...shuffled, ...events.filter(isParentEnd)]) ledger.report(one);
        await settled();
        const count = (wanted: DocumentEvent['type']) => events.filter(({ type }) => type === wanted).length;
        const sum = (field: 'created' | 'succeeded' | 'failed' | 'dropped') =>
          confirmations.reduce((so, one) => so + one[field], 0);
        expect(confirmations).toHaveLength(plan.length);
        expect(ledger.size).toBe(0);
        expect([sum('created'), sum('succeeded'), sum('failed'), sum('dropped')]).toEqual([
          count('CREATE'),
          count('FINISH'),
          count('FAIL'),
          count('DROP'),
        ]);
      }),
    );
  });
});
