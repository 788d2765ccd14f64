import { assertStageContract, makeStage, runStage, stageContext } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { EmitNestedChildren } from './emit-nested-children.ts';

async function emit(params: Record<string, unknown>, document: string): Promise<readonly string[]> {
  const [outcome] = await runStage(EmitNestedChildren, params, [document]);
  expect(outcome?.error).toBeUndefined();
  return outcome?.documents ?? [];
}

describe('EmitNestedChildren', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(EmitNestedChildren, {
      params: { fieldsToCopy: { o: 'o', l: 'l' } },
      document: { id: '1', o: { k: ['v'] }, l: [['w'], 'x'], ___children: [{ id: 'c1' }, { id: 'c2', m: { n: 1 } }] },
    });
  });

  it('does not change a document without children', async () => {
    expect(await emit({ dropParent: true }, '{"id":"1","a":1}')).toEqual(['{"id":"1","a":1}']);
  });

  it('keeps the children of children attached', async () => {
    expect(
      await emit({ dropParent: true }, '{"id":"1","___children":[{"id":"c","___children":[{"id":"g"}]}]}'),
    ).toEqual(['{"id":"c","___children":[{"id":"g"}]}', '{"id":"1","___dropped":true}']);
  });

  it('copies fields with their types, a list of one value as that value', async () => {
    const fieldsToCopy = { id: 'parent', f: 'f', n: 'n', one: 'one', empty: 'empty', none: 'none' };
    expect(
      await emit({ fieldsToCopy }, '{"id":"1","f":1.0,"n":null,"one":[2],"empty":[],"___children":[{"id":"c"}]}'),
    ).toEqual(['{"id":"c","parent":"1","f":1.0,"n":null,"one":2}', '{"id":"1","f":1.0,"n":null,"one":[2],"empty":[]}']);
  });

  it.each([
    ['overwrite', '"new"'],
    ['append', '["own","new"]'],
    ['skip', '"own"'],
  ])('applies updateMode %s to a field that the child already has', async (updateMode, expected) => {
    const params = { fieldsToCopy: { a: 'a' }, updateMode };
    expect(await emit(params, '{"id":"1","a":"new","___children":[{"id":"c","a":"own"}]}')).toEqual([
      `{"id":"c","a":${expected}}`,
      '{"id":"1","a":"new"}',
    ]);
  });

  it('reports the children that cannot become documents', async () => {
    const context = stageContext();
    const document = '{"id":"p","___children":["text",{"id":""},{"id":"c"}]}';
    const [outcome] = await runStage(EmitNestedChildren, {}, [document], context);
    expect(outcome?.documents).toEqual(['{"id":"c"}', '{"id":"p"}']);
    expect(context.collector.list()).toMatchObject([
      {
        code: 'child.omitted',
        class: 'loss',
        count: 2,
        examples: [{ document: 'p', value: 'text' }, { value: '{"id":""}' }],
      },
    ]);
  });

  it('refuses copies to reserved fields', () => {
    expect(() => makeStage(EmitNestedChildren, { fieldsToCopy: { a: 'id' } })).toThrow('fieldsToCopy.a');
  });
});
