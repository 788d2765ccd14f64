import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type Change, ChangeJournal } from './change-journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'headrace-journal-'));
let files = 0;
const newPath = () => join(folder, `${++files}.journal`);

afterAll(() => rmSync(folder, { recursive: true }));

/** A document of an index: its fields, or undefined if it does not exist. */
type Fields = Readonly<Record<string, number>> | undefined;

interface Operation {
  readonly document: string;
  readonly kind: 'index' | 'update' | 'delete';
  readonly field: string;
  readonly value: number;
}

/** Applies an operation as a search engine does. */
function apply(index: Map<string, Fields>, { document, kind, field, value }: Operation): void {
  const before = index.get(document);
  if (kind === 'delete') index.delete(document);
  else if (kind === 'index') index.set(document, { [field]: value });
  else if (before !== undefined) index.set(document, { ...before, [field]: value });
}

function changeOf(operation: Operation, order: number): Change {
  const content = Buffer.from(JSON.stringify(operation));
  return { document: operation.document, order, replaces: operation.kind !== 'update', counts: true, content };
}

const operations = fc.array(
  fc.record({
    document: fc.constantFrom('a', 'b', 'c'),
    kind: fc.constantFrom('index' as const, 'update' as const, 'delete' as const),
    field: fc.constantFrom('x', 'y'),
    value: fc.integer({ min: 0, max: 99 }),
  }),
  { maxLength: 30 },
);

describe('the journal of changes', () => {
  it('makes of the rebuilt documents what the changes in the order of the index make, however they are appended', () => {
    fc.assert(
      fc.property(
        operations,
        operations,
        fc.array(fc.nat({ max: 5 }), { maxLength: 30 }),
        fc.array(fc.boolean(), { maxLength: 30 }),
        (rebuilt, changes, delays, replays) => {
          const path = newPath();
          const [journal, writer] = [ChangeJournal.create(path), ChangeJournal.open(path)];
          const expected = new Map<string, Fields>();
          for (const operation of [...rebuilt, ...changes]) apply(expected, operation);
          const index = new Map<string, Fields>();
          for (const operation of rebuilt) apply(index, operation);
          // The live index refuses an update of a document that it does not have, and then nothing is appended.
          const live = new Map(index);
          const acknowledged = changes.filter((operation) => {
            const isTaken = operation.kind !== 'update' || live.has(operation.document);
            apply(live, operation);
            return isTaken;
          });
          // Answers arrive late, in any order.
          const arrived = acknowledged
            .map((operation, order) => ({ operation, order, time: order + (delays[order] ?? 0) }))
            .toSorted((a, b) => a.time - b.time);
          const replayAll = () => {
            for (let next = journal.next(); next !== undefined; next = journal.next()) {
              for (const content of next.toReplay.contents)
                apply(index, JSON.parse(Buffer.from(content).toString()) as Operation);
              next.done();
            }
          };
          for (const [i, { operation, order }] of arrived.entries()) {
            writer.append([changeOf(operation, order)]);
            if (replays[i] === true) replayAll();
          }
          replayAll();
          expect(journal.writes).toBe(acknowledged.length);
          expect(journal.open).toBe(0);
          writer.close();
          journal.close();
          expect(Object.fromEntries(index)).toEqual(Object.fromEntries(expected));
        },
      ),
    );
  });

  it('repeats changes that were not sent', () => {
    const journal = ChangeJournal.create(newPath());
    const operation: Operation = { document: 'a', kind: 'index', field: 'x', value: 1 };
    journal.append([changeOf(operation, 1), changeOf({ ...operation, document: 'b' }, 1)]);
    expect(journal.next()?.toReplay.contents).toHaveLength(2);
    expect([journal.open, journal.next()?.toReplay.changes]).toEqual([2, 2]);
    journal.close();
  });

  it('appends all changes of a request or none', () => {
    const journal = ChangeJournal.create(newPath());
    const good = changeOf({ document: 'a', kind: 'index', field: 'x', value: 1 }, 1);
    expect(() => journal.append([good, { ...good, document: null as unknown as string }])).toThrow('NOT NULL');
    expect(journal.open).toBe(0);
    journal.close();
  });

  it('is not created again by a writer if its rebuild has removed it', () => {
    expect(() => ChangeJournal.open(newPath())).toThrow('the rebuild has removed it');
  });
});
