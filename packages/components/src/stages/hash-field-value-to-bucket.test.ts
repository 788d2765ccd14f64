import { assertStageContract, makeStage, runStage } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { HashFieldValueToBucket } from './hash-field-value-to-bucket.ts';

const buckets = ['b0', 'b1', 'b2', 'b3'];

describe('HashFieldValueToBucket', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(HashFieldValueToBucket, {
      params: { fieldName: 'id', dest: 'bucket', buckets },
      document: { id: '1' },
    });
  });

  // The positions follow from hash codes in Java's documentation and in well-known puzzles.
  it.each([
    ['id', 'b3'],
    ['abc', 'b2'],
    ['Aa', 'b0'],
    ['BB', 'b0'],
    ['polygenelubricants', 'b0'], // -2147483648, which has no absolute value in Java
    ['hello', 'b2'],
    ['\u{1f600}', 'b3'],
  ])('writes for the id %j the label %s', async (id, bucket) => {
    const params = { fieldName: 'id', dest: 'bucket', buckets };
    const [outcome] = await runStage(HashFieldValueToBucket, params, [{ id, bucket: ['old'] }]);
    expect(JSON.parse(outcome?.documents[0] ?? '')).toEqual({ id, bucket });
  });

  it('computes the remainder before it removes the sign', async () => {
    // The hash is -2147483648, and its remainder by 3 is -2.
    const params = { fieldName: 'id', dest: 'bucket', buckets: ['b0', 'b1', 'b2'] };
    const [outcome] = await runStage(HashFieldValueToBucket, params, [{ id: 'polygenelubricants' }]);
    expect(outcome?.documents).toEqual(['{"id":"polygenelubricants","bucket":"b2"}']);
  });

  it('warns that fieldName is not read', () => {
    const warnings = [...HashFieldValueToBucket.check({ fieldName: 'a', dest: 'b', buckets })];
    expect(warnings).toMatchObject([{ parameter: 'fieldName', severity: 'warning' }]);
    expect([...HashFieldValueToBucket.check({ fieldName: 'id', dest: 'b', buckets })]).toEqual([]);
  });

  it.each([
    [{ fieldName: '' }, 'fieldName must not be empty'],
    [{ dest: '' }, 'dest must not be empty'],
    [{ dest: 'id' }, 'reserved'],
    [{ buckets: [] }, 'at least one label'],
  ])('refuses the parameters %j', (params, message) => {
    const valid = { fieldName: 'id', dest: 'bucket', buckets };
    expect(() => makeStage(HashFieldValueToBucket, { ...valid, ...params })).toThrow(message);
  });
});
