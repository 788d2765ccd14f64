import { assertStageContract, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { CreateChildrenStage } from './create-children-stage.ts';

describe('CreateChildrenStage', () => {
  it('keeps the contract of a stage', async () => {
    await assertStageContract(CreateChildrenStage, { params: {}, document: { id: 'p' } });
  });

  it('drops the child and the parent that the config names', async () => {
    const [outcome] = await runStage(CreateChildrenStage, { dropChild: 2, dropParent: true }, [{ id: 'p' }]);
    expect(outcome?.documents).toEqual([
      '{"id":"p_child1"}',
      '{"id":"p_child2","___dropped":true}',
      '{"id":"p_child3"}',
      '{"id":"p","___dropped":true}',
    ]);
  });

  it('emits the children before the failure if failAfter is set', async () => {
    const [outcome] = await runStage(CreateChildrenStage, { failAfter: 1 }, [{ id: 'p' }]);
    expect(outcome).toEqual({ documents: ['{"id":"p_child1"}'], error: expect.stringContaining('after 1 children') });
  });

  it.each([3, 4, -1])('does not fail when no child is left to fail at (failAfter: %i)', async (failAfter) => {
    const [outcome] = await runStage(CreateChildrenStage, { failAfter }, [{ id: 'p' }]);
    expect(outcome).toMatchObject({ documents: { length: 4 }, error: undefined });
  });

  it.each([0, -1])('makes no children for %i', async (numChildren) => {
    const [outcome] = await runStage(CreateChildrenStage, { numChildren }, [{ id: 'p' }]);
    expect(outcome?.documents).toEqual(['{"id":"p"}']);
  });
});
