import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DocumentTable } from '../document/document-table.ts';
import { type ConditionConfig, compileConditions, type FieldCondition } from './conditions.ts';
import { compileRowFilter } from './row-filter.ts';

const value = fc.constantFrom('a', 'b', '', '7', 7, 10, null, ['a', 7], [], undefined);
const row = fc.record({ x: value, y: value });
const operator = fc.constantFrom('must', 'must_not', 'matches', '<', '>=' as const);
const values = fc.array(fc.constantFrom('a', '', '7', null), { minLength: 1, maxLength: 3 });
const fields = fc.subarray(['x', 'y', 'missing'], { minLength: 1 });
const condition = fc.record({
  fields,
  operator,
  values: fc.option(values, { nil: undefined }),
}) as fc.Arbitrary<FieldCondition>;
const group = fc.record({ group: fc.constantFrom('and', 'or'), conditions: fc.array(condition, { maxLength: 2 }) });
const conditions = fc.array(fc.oneof({ weight: 4, arbitrary: condition }, group), { minLength: 1, maxLength: 3 });

it('selects the rows whose documents meet the conditions', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), conditions, fc.constantFrom('all', 'any'), (rows, given, policy) => {
      const some = given as ConditionConfig[];
      const ids = rows.map((_, i) => `${i}`);
      const [x, y] = [rows.map((one) => one.x), rows.map((one) => one.y)];
      const table = new DocumentTable(['id', 'x', 'y'], [ids, x, y], rows.length, [false, true, true]);
      const condition = compileConditions(some, policy) as NonNullable<ReturnType<typeof compileConditions>>;
      const expected = rows.flatMap((_, i) => (condition(table.document(i)) ? [i] : []));
      expect(compileRowFilter(some, policy, condition)(table)).toEqual(expected);
    }),
  );
});
