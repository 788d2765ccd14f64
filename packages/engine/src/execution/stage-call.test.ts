import { describe, expect, it } from 'vitest';
import { Type } from '../component/schema.ts';
import { Stage, type StageResult } from '../component/stage.ts';
import type { Predicate } from '../conditions/conditions.ts';
import { Document } from '../document/document.ts';
import { DocumentTable } from '../document/document-table.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { stageContext } from '../testing/stage-harness.ts';
import { type CallEnd, StageCall, type StageObserver } from './stage-call.ts';
import { newStatistics } from './stage-statistics.ts';

interface Behaviour {
  readonly process?: (document: Document) => StageResult | Promise<StageResult>;
  readonly processTable?: (table: DocumentTable) => unknown;
  readonly condition?: Predicate;
}

/** Returns a call of a stage with this behaviour. */
function callOf({ process, processTable, condition }: Behaviour): StageCall {
  class Given extends Stage {
    static override readonly parameters = Type.Object({});
    override process(document: Document): StageResult | Promise<StageResult> {
      return process?.(document);
    }
  }
  const stage = new Given({} as never, stageContext());
  if (processTable !== undefined) Object.assign(stage, { processTable });
  return new StageCall(stage, newStatistics('given'), new NoticeCollector(), condition);
}

const documents = (...ids: string[]) => ids.map((id) => Document.create(id));
const tableOf = (...ids: string[]) => new DocumentTable(['id'], [ids], ids.length);
const isNot1: Predicate = (document) => document.get('id') !== '1';

describe('the call of a stage for documents', () => {
  const [dropped, skipped, other, wanted] = documents('a', 'b', '1', '2') as [Document, Document, Document, Document];
  dropped.drop();
  skipped.skip();

  it('is made and counted only for documents that meet the condition and are neither dropped nor skipped', () => {
    const seen: string[] = [];
    const call = callOf({ process: ({ id }) => void seen.push(id), condition: isNot1 });
    for (const document of [dropped, skipped, other, wanted]) expect(call.call(document)).toBe(undefined);
    const ended: CallEnd = { result: undefined, error: undefined };
    expect(call.callEach([dropped, undefined, skipped, other, wanted], 0, 5, ended)).toBe(5);
    expect(seen).toEqual(['2', '2']);
    expect(call.statistics).toMatchObject({ processed: 2, skipped: 2, failed: 0 });
  });

  it.each<[string, Behaviour]>([
    [
      'the stage',
      {
        process: () => {
          throw new Error('no');
        },
      },
    ],
    [
      'the condition',
      {
        condition: () => {
          throw new Error('no');
        },
      },
    ],
  ])('adds the name of the stage to an error of %s', (_, behaviour) => {
    const call = callOf(behaviour);
    expect(() => call.call(wanted)).toThrow(expect.objectContaining({ stage: 'given', message: 'no' }));
    const ended: CallEnd = { result: undefined, error: undefined };
    expect(call.callEach([wanted], 0, 1, ended)).toBe(0);
    expect(ended.error).toMatchObject({ stage: 'given', message: 'no' });
    expect(call.statistics.failed).toBe(2);
  });

  it('ends at a document with children or a promise, and remembers that the stage emits or waits', () => {
    const child = Document.create('child');
    const results = new Map<string, StageResult | Promise<StageResult>>([
      ['2', [child]],
      ['4', Promise.resolve()],
    ]);
    const call = callOf({ process: ({ id }) => results.get(id) as StageResult });
    const ended: CallEnd = { result: undefined, error: undefined };
    const four = documents('1', '2', '3', '4');
    expect([call.callEach(four, 0, 4, ended), ended.result, call.emits, call.waits]).toEqual([1, [child], true, false]);
    expect([call.callEach(four, 2, 4, ended), ended.result, call.waits]).toEqual([3, results.get('4'), true]);
    expect(call.statistics.processed).toBe(4);
  });

  it('is reported to an observer, in order', () => {
    const events: string[] = [];
    const observer: StageObserver = {
      reached: ({ name }, { id }) => events.push(`${id} reached ${name}`),
      skipped: () => events.push('skipped'),
      emitted: ({ id }) => events.push(`emitted ${id}`),
      failed: ({ message }) => events.push(`failed: ${message}`),
    };
    const call = callOf({
      process: ({ id }) => {
        if (id === '3') throw new Error('no');
      },
      condition: isNot1,
    });
    call.observer = observer;
    for (const document of [dropped, ...documents('1', '2')]) call.call(document);
    expect(() => call.call(Document.create('3'))).toThrow('no');
    expect(events).toEqual(['1 reached given', 'skipped', '2 reached given', '3 reached given', 'failed: no']);
  });
});

describe('the call of a stage for tables', () => {
  const fill = (table: DocumentTable) => {
    table.fill('x', 1);
    return true;
  };

  it('changes and counts only the rows that meet the condition', () => {
    const call = callOf({ processTable: fill, condition: isNot1 });
    const table = tableOf('1', '2', '3');
    expect(call.callTable(table)).toBe(true);
    expect(table.column('x')).toEqual([undefined, 1, 1]);
    expect(call.statistics.processed).toBe(2);
  });

  it.each<[string, (table: DocumentTable) => unknown]>([
    ['refuses the table', (table) => fill(table) && false],
    [
      'throws',
      (table) => {
        fill(table);
        throw new Error('no');
      },
    ],
  ])('leaves a table unchanged if the stage %s', (_, processTable) => {
    const call = callOf({ processTable });
    const table = tableOf('1', '2');
    expect(call.callTable(table)).toBe(false);
    expect(table.has('x')).toBe(false);
    expect(call.statistics.processed).toBe(0);
  });

  it('leaves all tables of a group unchanged if the stage refuses one of them', () => {
    const call = callOf({ processTable: (table) => fill(table) && table.count < 3 });
    const tables = [tableOf('1'), tableOf('2'), tableOf('3', '4', '5')];
    expect(call.callTables(tables)).toBe(false);
    expect(tables.map((table) => table.has('x'))).toEqual([false, false, false]);
    expect(call.statistics.processed).toBe(0);
  });

  it('ends after 16 refused tables', () => {
    let calls = 0;
    const call = callOf({ processTable: () => ++calls < 0 });
    for (let i = 0; i < 20; i++) call.callTable(tableOf('1'));
    expect([calls, call.takesTables]).toEqual([16, false]);
  });

  it('throws if the stage changes the table later', () => {
    const call = callOf({ processTable: async () => true });
    expect(() => call.callTable(tableOf('1'))).toThrow(expect.objectContaining({ code: 'HR_COMPONENT_CONTRACT' }));
  });
});
