import { describe, expect, it } from 'vitest';
import { readDocument } from '../document/json-reader.ts';
import { Double, type Value } from '../document/value.ts';
import { type ConditionConfig, compileConditions, conditionTexts } from './conditions.ts';

const document = readDocument(
  '{"id":"1","run_id":"r","a":"x","list":["x","y",5,null],"ten":10,"double":1.0,"yes":true,"none":null,"empty":[],' +
    '"object":{"k":1},"nested":[["x"]],"a.b":"dot"}',
);

function holds(fields: string[], operator: 'must' | 'must_not', values?: Value[]): boolean {
  const condition: ConditionConfig = { fields, operator, values: values && conditionTexts(values) };
  return compileConditions([condition], 'all')?.(document) as boolean;
}

describe('a condition with values', () => {
  it.each<[string[], Value[], boolean]>([
    [['a'], ['x'], true],
    [['a'], ['X'], false],
    [['a'], ['z', 'x'], true],
    [['missing', 'a'], ['x'], true],
    [['missing'], ['x'], false],
    [['list'], ['y'], true],
    [['list'], [5], true],
    [['list'], ['5'], true],
    [['list'], [null], true],
    [['none'], [null], true],
    [['none'], ['null'], false],
    [['a'], [null], false],
    [['ten'], ['10'], true],
    [['ten'], [10], true],
    [['yes'], [true], true],
    [['yes'], ['true'], true],
    [['double'], ['1.0'], true],
    [['double'], [1], false],
    [['double'], [new Double(1)], true],
    [['object'], [''], true],
    [['nested'], ['x'], false],
    [['empty'], [''], false],
    [['id', 'missing'], ['1'], true],
    [['run_id'], ['r'], true],
    [['a.b'], ['dot'], true],
    [['object.k'], [1], false],
    [['a'], [], false],
    [[], ['x'], true],
  ])('%j must be one of %j: %s', (fields, values, expected) => {
    expect(holds(fields, 'must', values)).toBe(expected);
    expect(holds(fields, 'must_not', values)).toBe(fields.length === 0 ? true : !expected);
  });
});

describe('a condition without values', () => {
  it.each<[string[], boolean, boolean]>([
    [['a'], true, false],
    [['none'], true, false],
    [['empty'], true, false],
    [['missing'], false, true],
    [['a', 'missing'], false, false],
    [['a', 'ten'], true, false],
    [['missing', 'gone'], false, true],
    [[], true, true],
  ])('%j: all present %s, all absent %s', (fields, present, absent) => {
    expect(holds(fields, 'must')).toBe(present);
    expect(holds(fields, 'must_not')).toBe(absent);
  });
});

describe('several conditions', () => {
  const yes: ConditionConfig = { fields: ['a'], operator: 'must', values: undefined };
  const no: ConditionConfig = { fields: ['a'], operator: 'must_not', values: undefined };

  it.each<[ConditionConfig[], boolean, boolean]>([
    [[yes], true, true],
    [[no], false, false],
    [[yes, yes], true, true],
    [[yes, no], false, true],
    [[no, no], false, false],
  ])('%#: all %s, any %s', (conditions, all, any) => {
    expect(compileConditions(conditions, 'all')?.(document)).toBe(all);
    expect(compileConditions(conditions, 'any')?.(document)).toBe(any);
  });

  it('are none when there are none', () => {
    expect(compileConditions([], 'any')).toBeUndefined();
  });
});

describe('conditionTexts', () => {
  it('takes numbers as the config language normalises them', () => {
    expect(conditionTexts([1, 1.5, 1e21, 9007199254740993n, true, 'x', null])).toEqual([
      '1',
      '1.5',
      '1000000000000000000000',
      '9007199254740993',
      'true',
      'x',
      null,
    ]);
  });
});
