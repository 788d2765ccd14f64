import { assertStageContract, makeStage, runStage, toDocument } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { ComputeFieldSize } from './compute-field-size.ts';

const params = { source: 'data', dest: 'size' };

describe('ComputeFieldSize', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(ComputeFieldSize, { params, document: { id: '1', data: 'aGk=' } });
  });

  it.each([
    ['aGVsbG8=', 5],
    ['stringab', 6],
    ['', 0],
    ['aGVs\nbG8=', 5],
    [['aGk=', 'aGVsbG8='], 2],
  ])('writes the size of %j as %d', async (data, size) => {
    const [outcome] = await runStage(ComputeFieldSize, params, [{ id: '1', data, size: 'old' }]);
    expect(JSON.parse(outcome?.documents[0] ?? '').size).toBe(size);
  });

  it('writes the size of a bytes field', () => {
    const document = toDocument({ id: '1' });
    document.set('data', new Uint8Array(70_000));
    makeStage(ComputeFieldSize, params).process(document);
    expect(document.get('size')).toBe(70_000);
  });

  it.each(['not base64!', 'aGVsbG8', 5, null, { x: 1 }])('fails on the value %j', async (data) => {
    const [outcome] = await runStage(ComputeFieldSize, params, [{ id: '1', data }]);
    expect(outcome?.error).toContain('Field "data" holds neither bytes nor a text in base64');
  });

  it('does not change documents without a value', async () => {
    const outcomes = await runStage(ComputeFieldSize, params, [{ id: '1' }, { id: '2', data: [] }]);
    expect(outcomes.flatMap(({ documents }) => documents)).toEqual(['{"id":"1"}', '{"id":"2","data":[]}']);
  });

  it('refuses to write the id', () => {
    expect(() => makeStage(ComputeFieldSize, { source: 'a', dest: 'id' })).toThrow('reserved');
  });
});
