import { assertStageContract, makeStage, runStage, stageContext } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { CollapseChildrenDocuments } from './collapse-children-documents.ts';

async function collapse(
  fieldsToCopy: string[],
  document: Record<string, unknown>,
  context = stageContext(),
): Promise<Record<string, unknown>> {
  const params = { fieldsToCopy, dropChildren: true };
  const [outcome] = await runStage(CollapseChildrenDocuments, params, [{ id: 'p', ...document }], context);
  return JSON.parse(outcome?.documents[0] ?? '');
}

describe('CollapseChildrenDocuments', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(CollapseChildrenDocuments, {
      params: { fieldsToCopy: ['a', 'b'], dropChildren: false },
      document: { id: 'p', ___children: [{ id: 'c', a: { x: [1] }, b: [[1]] }] },
    });
  });

  it.each([
    ['one value unchanged', [{ a: 1 }, {}], undefined, 1],
    ['one list unchanged', [{}, { a: ['x'] }], undefined, ['x']],
    ['an empty list unchanged', [{ a: [] }], undefined, []],
    ['values in the order of the children', [{ a: 'y' }, { a: 'x' }], undefined, ['y', 'x']],
    ['the values of several lists as one list', [{ a: [1, 2] }, { a: 3 }, { a: [4] }], undefined, [1, 2, 3, 4]],
    ['values after those of the document', [{ a: 2 }, { a: [3, 4] }], 1, [1, 2, 3, 4]],
    ['null', [{ a: null }, { a: 'x' }], undefined, [null, 'x']],
    ['complete objects', [{ a: { k: 1 } }, { a: [[1]] }], undefined, [{ k: 1 }, [1]]],
  ])('gathers %s', async (_, children, own, expected) => {
    const ___children = children.map((child, i) => ({ id: `c${i}`, ...child }));
    const document = await collapse(['a'], { ...(own === undefined ? {} : { a: own }), ___children });
    expect(document).toEqual({ id: 'p', a: expected });
  });

  it('keeps the children unless dropChildren is set', async () => {
    const ___children = [{ id: 'c', a: 1 }];
    const params = { fieldsToCopy: ['a'], dropChildren: false };
    const [outcome] = await runStage(CollapseChildrenDocuments, params, [{ id: 'p', ___children }]);
    expect(JSON.parse(outcome?.documents[0] ?? '')).toEqual({ id: 'p', ___children, a: 1 });
  });

  it('skips children without an id and reports them', async () => {
    const context = stageContext();
    const ___children = [{ a: 1 }, { id: 7, a: 2 }, 'text', { id: 'c', a: 4 }];
    expect(await collapse(['a'], { ___children }, context)).toEqual({ id: 'p', a: 4 });
    expect(context.collector.list()).toMatchObject([{ code: 'child.omitted', class: 'loss' }]);
  });

  it('does not change documents without children', async () => {
    expect(await collapse(['a'], { a: 1 })).toEqual({ id: 'p', a: 1 });
  });

  it.each(['id', 'run_id', '___children', ''])('refuses to copy %j', (name) => {
    const params = { fieldsToCopy: ['a', name], dropChildren: true };
    expect(() => makeStage(CollapseChildrenDocuments, params)).toThrow('fieldsToCopy[1]');
  });
});
