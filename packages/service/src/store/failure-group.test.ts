import { expect, it } from 'vitest';
import { failureGroup } from './failure-group.ts';

const base = { at: 'parse', code: 'HR_STAGE_FAILED' };
const group = (message: string, over: object = {}) => failureGroup({ ...base, message, ...over });

it('failures whose messages differ only in values have one group', () => {
  for (const [one, other] of [
    ['The value "a" at line 3 is not a date', 'The value "b c" at line 17 is not a date'],
    ['document d1 is too large', 'document d-2_x is too large'],
    ["no field 'a' in [1, 2]", "no field '' in []"],
    ['id 0b6f7f4e-4d8e-4a53 is in use', 'id 11111111-2222-abcd is in use'],
  ] as const) {
    expect(group(one)).toBe(group(other));
  }
});

it('failures of different places, codes, statuses or reasons have different groups', () => {
  const groups = [
    group('too large'),
    group('too small'),
    group('too large', { at: 'split' }),
    group('too large', { code: 'HR_INDEXER_FAILED' }),
    group('too large', { status: 400 }),
    group('too large', { status: 404 }),
  ];
  expect(new Set(groups).size).toBe(groups.length);
});
