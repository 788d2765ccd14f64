import { describe, expect, it } from 'vitest';
import type { Stage, StageResult } from '../component/stage.ts';
import { Document } from '../document/document.ts';
import { DocumentList } from '../document/document-list.ts';
import { DocumentTable } from '../document/document-table.ts';
import { newStatistics, newStep, type Step } from './step.ts';
import { suitTables, TablePass } from './table-pass.ts';

/** A stage that processes tables: it adds a column. */
function tableStage(name: string): Step {
  const stage: Partial<Stage> = {
    maxInFlight: 1,
    process: (document) => void document.set(name, 1),
    processTable: (table) => {
      table.set(name, new Array(table.count).fill(1), false);
      return true;
    },
  };
  return newStep(stage as Stage, newStatistics(name), undefined);
}

/** A stage that only processes single documents. */
function documentStage(process: (document: Document) => StageResult | undefined, condition?: Step['condition']): Step {
  const stage: Partial<Stage> = { maxInFlight: 1, process: (document) => process(document) as StageResult };
  return newStep(stage as Stage, newStatistics('single'), condition);
}

/** Sends documents with these ids through stages. Returns what left the pass, in order, with fields and positions. */
function passThrough(steps: readonly Step[], documents: readonly string[] | DocumentList, isWaiting = false) {
  const events: string[] = [];
  const fields = (names: readonly string[]) =>
    names.filter((name) => name !== 'id' && !name.startsWith('___')).join('');
  const sink = {
    position: 0,
    table: (table: DocumentTable) =>
      events.push(
        `table ${table.ids.join()} ${fields(table.names)} at ${table.ids.map((_, i) => table.position(i)).join()}`,
      ),
    dropped: (count: number) => events.push(`dropped ${count}`),
    emit: ({ id, fieldNames }: Document) => events.push(`out ${id} ${fields(fieldNames)} at ${sink.position}`),
    finished: () => undefined,
    failedDocument: ({ id }: Document, { message }: Error) =>
      events.push(`failed ${id} at ${sink.position}: ${message}`),
  };
  const feeder = {
    isWaiting,
    feed: ({ id }: Document, from: number, position: number, result?: unknown) =>
      events.push(`feed ${id} from stage ${from} at ${position}${result === undefined ? '' : ' with a result'}`),
  };
  const rows = documents instanceof DocumentList ? documents : new DocumentTable(['id'], [documents], documents.length);
  new TablePass(steps, sink, feeder).run(rows);
  return events;
}

describe('a table in a pipeline', () => {
  it('passes through stages that support tables as a whole', () => {
    expect(passThrough([tableStage('a'), tableStage('b')], ['1', '2'])).toEqual(['table 1,2 ab at 0,1']);
  });

  it('forms a table again after a stage that only processes documents', () => {
    const steps = [tableStage('a'), documentStage((document) => void document.set('x', 1)), tableStage('b')];
    expect(passThrough(steps, ['1', '2', '3'])).toEqual(['table 1,2,3 axb at 0,1,2']);
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
      'dropped 1',
      'table 1,4 ab at 0,3',
    ]);
  });

  it('skips a stage for documents that do not meet its condition', () => {
    const single = documentStage(
      (document) => void document.set('x', 1),
      (reader) => reader.get('id') === '2',
    );
    expect(passThrough([single], ['1', '2'])).toEqual(['out 1  at 0', 'out 2 x at 1']);
  });

  it('leaves in order if a document skips the later stages', () => {
    const single = documentStage((document) => void (document.id === '2' && document.skip()));
    expect(passThrough([tableStage('a'), single, tableStage('b')], ['1', '2', '3'])).toEqual([
      'table 1 ab at 0',
      'feed 2 from stage 3 at 1',
      'table 3 ab at 2',
    ]);
  });

  it('leaves in order if a document has children, which continue alone', () => {
    const single = documentStage(({ id }) => (id === '2' ? [Document.create('2.x')] : undefined));
    const steps = [tableStage('a'), single, tableStage('b')];
    expect(passThrough(steps, ['1', '2', '3'])).toEqual([
      'table 1 ab at 0',
      'feed 2 from stage 2 at 1 with a result',
      'table 3 ab at 2',
    ]);
    expect(suitTables(steps)).toBe(false);
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
    expect(passThrough([tableStage('a')], listOf({ id: '1' }, { id: '2' }))).toEqual(['table 1,2 a at 10,11']);
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
    expect(passThrough([tableStage('a')], list)).toEqual(['table 1 bca at 10', 'table 2 cba at 11']);
  });
});
