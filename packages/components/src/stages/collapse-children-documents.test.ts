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
  it('keeps the contract of a stage', async () => {
    await assertStageContract(CollapseChildrenDocuments, {
      params: { fieldsToCopy: ['a', 'b'], dropChildren: false },
      document: { id: 'p', ___children: [{ id: 'c', a: { x: [1] }, b: [[1]] }] },
    });
  });

  it.each([
    ['one value as it is', [{ a: 1 }, {}], undefined, 1],
    ['one list as it is', [{}, { a: ['x'] }], undefined, ['x']],
    ['an empty list as it is', [{ a: [] }], undefined, []],
    ['values in the order of the children', [{ a: 'y' }, { a: 'x' }], undefined, ['y', 'x']],
    ['lists joined', [{ a: [1, 2] }, { a: 3 }, { a: [4] }], undefined, [1, 2, 3, 4]],
    ['values after those of the document', [{ a: 2 }, { a: [3, 4] }], 1, [1, 2, 3, 4]],
    ['null', [{ a: null }, { a: 'x' }], undefined, [null, 'x']],
    ['objects whole', [{ a: { k: 1 } }, { a: [[1]] }], undefined, [{ k: 1 }, [1]]],
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

  it('passes over children without an id, with an error in the log', async () => {
    const context = stageContext();
    const ___children = [{ a: 1 }, { id: 7, a: 2 }, 'text', { id: 'c', a: 4 }];
    expect(await collapse(['a'], { ___children }, context)).toEqual({ id: 'p', a: 4 });
    expect(context.logged).toHaveLength(3);
  });

  it('leaves documents without children alone', async () => {
    expect(await collapse(['a'], { a: 1 })).toEqual({ id: 'p', a: 1 });
  });

  it.each(['id', 'run_id', '___children', ''])('refuses to copy %j', (name) => {
    const params = { fieldsToCopy: ['a', name], dropChildren: true };
    expect(() => makeStage(CollapseChildrenDocuments, params)).toThrow('fieldsToCopy[1]');
  });
});
