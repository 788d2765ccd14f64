import { describe, expect, it } from 'vitest';
import type { Stage, StageResult } from '../component/stage.ts';
import type { Predicate } from '../conditions/conditions.ts';
import { Document } from '../document/document.ts';
import { DocumentList } from '../document/document-list.ts';
import { DocumentTable } from '../document/document-table.ts';
import type { TableGroup } from '../document/table-group.ts';
import { NoticeCollector } from '../notices/notice-collector.ts';
import { RowSchedule } from './rows.ts';
import { StageCall } from './stage-call.ts';
import { newStatistics } from './stage-statistics.ts';
import { TableSchedule } from './tables.ts';

const unguarded = (work: () => void) => {
  work();
  return true;
};

/** A stage that processes tables: it adds a column. */
function tableStage(name: string): StageCall {
  const stage: Partial<Stage> = {
    maxInFlight: 1,
    process: (document) => void document.set(name, 1),
    processTable: (table) => {
      table.set(name, new Array(table.count).fill(1), false);
      return true;
    },
  };
  return new StageCall(stage as Stage, newStatistics(name), new NoticeCollector());
}

/** A stage that only processes single documents. */
function documentStage(process: (document: Document) => StageResult | undefined, condition?: Predicate): StageCall {
  const stage: Partial<Stage> = { maxInFlight: 1, process: (document) => process(document) as StageResult };
  return new StageCall(stage as Stage, newStatistics('single'), new NoticeCollector(), condition);
}

/** Sends documents with these ids through stages. Returns what left the pass, in order, with fields and positions. */
function passThrough(
  steps: readonly StageCall[],
  documents: readonly string[] | DocumentList,
  isWaiting = false,
  needsFamilies = false,
  times = 1,
) {
  const events: string[] = [];
  const fields = (names: readonly string[]) =>
    names.filter((name) => name !== 'id' && !name.startsWith('___')).join('');
  const sink = {
    position: 0,
    needsFamilies,
    prefersTables: false,
    group: (group: TableGroup) => {
      const left: string[] = [];
      group.each((table, row) => {
        const place = table.position(row);
        const kind = group.isChild(place) ? 'child of' : 'at';
        const { id, fieldNames } = table.document(row);
        left.push(`${id} ${fields(fieldNames)} ${kind} ${group.position(place)}`);
      });
      events.push(`${group.tables.length} tables: ${left.join(', ')}`);
    },
    dropped: (inputs: number, children: number) => events.push(`dropped ${inputs} and ${children} children`),
    emit: ({ id, fieldNames }: Document) => events.push(`out ${id} ${fields(fieldNames)} at ${sink.position}`),
    finished: () => undefined,
    failedDocument: ({ id }: Document, { message }: Error) =>
      events.push(`failed ${id} at ${sink.position}: ${message}`),
  };
  const feeder = {
    isWaiting,
    feed: ({ id }: Document, from: number, position: number, result?: unknown) => {
      feeder.isWaiting ||= result instanceof Promise;
      events.push(`feed ${id} from stage ${from} at ${position}${result === undefined ? '' : ' with a result'}`);
    },
  };
  const rows = () =>
    documents instanceof DocumentList ? documents : new DocumentTable(['id'], [documents], documents.length);
  const schedule = new TableSchedule(steps, new RowSchedule(steps, unguarded), sink, feeder);
  for (let i = 0; i < times; i++) if (!schedule.process(rows())) events.push('must be repeated');
  return events;
}

describe('a table in a pipeline', () => {
  it('passes through stages that support tables as a whole', () => {
    expect(passThrough([tableStage('a'), tableStage('b')], ['1', '2'])).toEqual(['1 tables: 1 ab at 0, 2 ab at 1']);
  });

  it('forms a table again after a stage that only processes documents', () => {
    const steps = [tableStage('a'), documentStage((document) => void document.set('x', 1)), tableStage('b')];
    expect(passThrough(steps, ['1', '2', '3'])).toEqual(['1 tables: 1 axb at 0, 2 axb at 1, 3 axb at 2']);
  });

  it('forms tables again after a stage that uses all values of its documents', () => {
    const single = documentStage((document) => void document.set('x', document.fieldValues.length));
    const steps = [tableStage('a'), single, tableStage('b')];
    const all = '1 tables: 1 axb at 0, 2 axb at 1';
    expect(passThrough(steps, ['1', '2'], false, false, 2)).toEqual([all, all]);
  });

  it('leaves as single documents if no later stage supports tables', () => {
    const steps = [tableStage('a'), documentStage((document) => void document.set('x', 1))];
    expect(passThrough(steps, ['1', '2'])).toEqual(['out 1 ax at 0', 'out 2 ax at 1']);
  });

  it('loses only the documents that a stage fails or drops', () => {
    const single = documentStage((document) => {
      if (document.id === '2') throw new Error('no');
      if (document.id === '3') document.drop();
      return undefined;
    });
    expect(passThrough([tableStage('a'), single, tableStage('b')], ['1', '2', '3', '4'])).toEqual([
      'failed 2 at 1: no',
      'dropped 1 and 0 children',
      '1 tables: 1 ab at 0, 4 ab at 3',
    ]);
  });

  it('skips a stage for documents that do not meet its condition', () => {
    const single = documentStage(
      (document) => void document.set('x', 1),
      (reader) => reader.get('id') === '2',
    );
    expect(passThrough([single], ['1', '2'])).toEqual(['out 1  at 0', 'out 2 x at 1']);
    expect(single.statistics).toMatchObject({ processed: 1, skipped: 1 });
  });

  it('leaves in order if a document skips the later stages', () => {
    const single = documentStage((document) => void (document.id === '2' && document.skip()));
    expect(passThrough([tableStage('a'), single, tableStage('b')], ['1', '2', '3'])).toEqual([
      '1 tables: 1 ab at 0, 2 a at 1, 3 ab at 2',
    ]);
  });

  it('leaves in order with the children of documents, which are in a table of their fields', () => {
    const single = documentStage(({ id }) =>
      id === '2' ? [Document.create('2.x'), Document.create('2.y')] : undefined,
    );
    const steps = [tableStage('a'), single, tableStage('b')];
    expect(passThrough(steps, ['1', '2', '3'])).toEqual([
      '2 tables: 1 ab at 0, 2.x b child of 1, 2.y b child of 1, 2 ab at 1, 3 ab at 2',
    ]);
  });

  it('leaves in order after a document that is dropped, but whose children are not', () => {
    const single = documentStage((document) => {
      if (document.id !== '2') return undefined;
      document.drop();
      return [Document.create('2.x')];
    });
    const steps = [tableStage('a'), single, tableStage('b')];
    expect(passThrough(steps, ['1', '2', '3', '4'])).toEqual([
      'dropped 1 and 0 children',
      '2 tables: 1 ab at 0, 2.x b child of 1, 3 ab at 2, 4 ab at 3',
    ]);
  });

  it('leaves in order if several stages emit children', () => {
    const emit = (parent: string, child: string) =>
      documentStage(({ id }) => (id === parent ? [Document.create(child)] : undefined));
    const steps = [emit('3', '3.x'), emit('1', '1.y'), emit('3', '3.y'), tableStage('a')];
    expect(passThrough(steps, ['1', '2', '3', '4'])).toEqual([
      '2 tables: 1.y a child of 0, 1 a at 0, 2 a at 1, 3.x a child of 2, 3.y a child of 2, 3 a at 2, 4 a at 3',
    ]);
  });

  it('continues in order if stages wait for some documents and emit children of others', () => {
    const parent = documentStage(({ id }) => (id === '3' ? [Document.create('3.x')] : undefined));
    const waiting = documentStage(({ id }) => (id === '2' ? Promise.resolve() : undefined) as never);
    expect(passThrough([parent, waiting, tableStage('a')], ['1', '2', '3', '4'])).toEqual([
      '1 tables: 1 a at 0',
      'feed 2 from stage 2 at 1 with a result',
      'feed 3 from stage 1 at 2 with a result',
      'feed 4 from stage 0 at 3',
    ]);
  });

  it('calls a stage for all documents before the next stage', () => {
    const calls: string[] = [];
    const note = (name: string) => documentStage(({ id }) => void calls.push(`${name}${id}`));
    passThrough([note('a'), note('b')], ['1', '2']);
    expect(calls).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it('is processed again, document by document, if a later stage fails for a child', () => {
    const parent = documentStage(({ id }) => (id === '2' ? [Document.create('2.x')] : undefined));
    const failing = documentStage(({ id }) => {
      if (id === '2.x') throw new Error('no');
    });
    const steps = [parent, tableStage('a'), failing];
    expect(passThrough(steps, ['1', '2', '3'])).toEqual(['must be repeated']);
  });

  it('is processed again, document by document, if a later stage waits for a child', () => {
    const parent = documentStage(({ id }) => (id === '2' ? [Document.create('2.x')] : undefined));
    const waiting = documentStage(({ id }) => (id === '2.x' ? Promise.resolve() : undefined) as never);
    expect(passThrough([parent, tableStage('a'), waiting], ['1', '2'])).toEqual(['out 1 a at 0', 'must be repeated']);
  });

  it('is processed again, document by document, if children must leave directly before their parents', () => {
    const single = documentStage(({ id }) => (id === '2' ? [Document.create('2.x')] : undefined));
    const steps = [single, tableStage('a')];
    expect(passThrough(steps, ['1', '2', '3'], false, true)).toEqual(['must be repeated']);
  });

  it('lets a document with very many children continue alone', () => {
    const many = function* () {
      for (let i = 0; i < 100_000; i++) yield Document.create(`2.${i}`);
    };
    const parent = documentStage(({ id }) => (id === '2' ? many() : undefined));
    const events = passThrough([parent, tableStage('a')], ['1', '2', '3']);
    expect(events.map((event) => event.slice(0, 60))).toEqual([
      expect.stringMatching(/^2 tables: 1 a at 0, 2\.0 a child of 1, 2\.1 a child of 1/),
      'feed 2 from stage 1 at 1 with a result',
      '1 tables: 3 a at 2',
    ]);
  });

  it('waits if earlier documents are waiting', () => {
    expect(passThrough([tableStage('a')], ['1', '2'], true)).toEqual([
      'feed 1 from stage 0 at 0',
      'feed 2 from stage 0 at 1',
    ]);
  });
});

describe('single documents in a pipeline', () => {
  function listOf(...contents: { readonly id: string; readonly names?: readonly string[] }[]): DocumentList {
    const list = new DocumentList(10);
    for (const { id, names = [] } of contents) {
      const document = Document.create(id);
      for (const name of names) document.set(name, 1);
      list.add(document);
    }
    return list;
  }

  it('form a table for stages that support tables', () => {
    expect(passThrough([tableStage('a')], listOf({ id: '1' }, { id: '2' }))).toEqual([
      '1 tables: 1 a at 10, 2 a at 11',
    ]);
  });

  it('stay single if they have too many fields for the number of stages', () => {
    const names = [...'bcdefgh'];
    expect(passThrough([tableStage('a')], listOf({ id: '1', names }, { id: '2', names }))).toEqual([
      'out 1 bcdefgha at 10',
      'out 2 bcdefgha at 11',
    ]);
  });

  it('form several tables if the order of their fields differs', () => {
    const list = listOf({ id: '1', names: ['b', 'c'] }, { id: '2', names: ['c', 'b'] });
    expect(passThrough([tableStage('a')], list)).toEqual(['2 tables: 1 bca at 10, 2 cba at 11']);
  });
});
