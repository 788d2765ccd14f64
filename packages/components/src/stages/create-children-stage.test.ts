import { assertStageContract, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { CreateChildrenStage } from './create-children-stage.ts';

describe('CreateChildrenStage', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(CreateChildrenStage, { params: {}, document: { id: 'p' } });
  });

  it('drops the configured child and the parent', async () => {
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

  it.each([3, 4, -1])('does not fail if failAfter is %i and there are 3 children', async (failAfter) => {
    const [outcome] = await runStage(CreateChildrenStage, { failAfter }, [{ id: 'p' }]);
    expect(outcome).toMatchObject({ documents: { length: 4 }, error: undefined });
  });

  it.each([0, -1])('creates no children for numChildren %i', async (numChildren) => {
    const [outcome] = await runStage(CreateChildrenStage, { numChildren }, [{ id: 'p' }]);
    expect(outcome?.documents).toEqual(['{"id":"p"}']);
  });
});
