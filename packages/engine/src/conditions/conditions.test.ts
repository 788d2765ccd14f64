import { describe, expect, it } from 'vitest';
import { readDocument } from '../document/read-document.ts';
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
  ])('requires one of the fields %j to have one of the values %j: %s', (fields, values, expected) => {
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
  ])('checks whether the fields %j are all present: %s, or all absent: %s', (fields, present, absent) => {
    expect(holds(fields, 'must')).toBe(present);
    expect(holds(fields, 'must_not')).toBe(absent);
  });
});

describe('a comparison', () => {
  const compared = readDocument(
    '{"id":"1","n":10,"d":10.5,"whole":10.0,"big":9007199254740993,"text":"10","padded":" 7 ","word":"pear","list":[1,20],' +
      '"none":null,"object":{"a":1},"yes":true,"empty":[],"day":"2024-05-06","at":"2024-05-06T07:08:09.000000001Z",' +
      '"paris":"2024-05-06T08:29:00+02:00[Europe/Paris]","seconds":"2024-05-06T07:29:00+01:00:00"}',
  );
  const holdsFor = (fields: string[], operator: '<' | '<=' | '>' | '>=', value: Value) =>
    compileConditions([{ fields, operator, values: conditionTexts([value]) }], 'all')?.(compared);

  it.each<[string, '<' | '<=' | '>' | '>=', Value, boolean]>([
    ['n', '<', 10, false],
    ['n', '<=', 10, true],
    ['n', '>', 9.99, true],
    ['n', '>=', '10', true],
    ['n', '<', 10.5, true],
    ['d', '>', 10, true],
    ['whole', '>=', 10, true],
    ['whole', '>', 10, false],
    ['big', '>', 9007199254740992, true],
    ['big', '>=', 9007199254740993n, true],
    ['big', '<', 9007199254740994n, true],
    ['text', '<', 9, false],
    ['text', '>', 9, true],
    ['padded', '<', 8, true],
    ['list', '>', 19, true],
    ['list', '<', 2, true],
    ['list', '>', 20, false],
    ['word', '>', 9, false],
    ['word', '<', 9, false],
    ['word', '>', 'peach', true],
    ['word', '<', 'peas', true],
    ['day', '>=', '2024-05-06', true],
    ['day', '<', '2024-05-06T00:00:00+01:00', false],
    ['paris', '<', '2024-05-06T06:30:00Z', true],
    ['seconds', '<', '2024-05-06T06:30:00Z', true],
    ['day', '<', '2024-05-06T00:00:00-01:00', true],
    ['at', '>', '2024-05-06T07:08:09Z', true],
    ['at', '<=', '2024-05-06T07:08:09Z', false],
    ['at', '<', '2024-05-06T09:08:10+02:00', true],
    ['word', '>', '2024-05-06', false],
    ['none', '<', 1, false],
    ['none', '<', 'x', false],
    ['object', '<', 'x', false],
    ['yes', '<', 2, false],
    ['empty', '<', 2, false],
    ['missing', '<', 2, false],
  ])('compares the field %s %s %s: %s', (field, operator, value, expected) => {
    expect(holdsFor([field], operator, value)).toBe(expected);
  });

  it('is true if at least one field matches, and if there are no fields', () => {
    expect(holdsFor(['missing', 'word', 'n'], '<', 11)).toBe(true);
    expect(holdsFor([], '<', 1)).toBe(true);
  });
});

describe('a condition with regular expressions', () => {
  it.each<[string, Value[], boolean]>([
    ['a', ['^x$'], true],
    ['a', ['^y', 'X'], false],
    ['a', ['(?i)X'], true],
    ['list', ['^y$'], true],
    ['list', ['^5$'], true],
    ['ten', ['^1\\d$'], true],
    ['double', ['\\.0$'], true],
    ['none', [''], false],
    ['object', [''], false],
    ['missing', [''], false],
  ])('requires the field %s to match one of %j: %s', (field, values, expected) => {
    const condition: ConditionConfig = { fields: [field], operator: 'matches', values: conditionTexts(values) };
    expect(compileConditions([condition], 'all')?.(document)).toBe(expected);
  });
});

describe('a group of conditions', () => {
  const yes: ConditionConfig = { fields: ['a'], operator: 'must', values: undefined };
  const no: ConditionConfig = { fields: ['a'], operator: 'must_not', values: undefined };

  it.each<[ConditionConfig, boolean]>([
    [{ group: 'and', conditions: [yes, yes] }, true],
    [{ group: 'and', conditions: [yes, no] }, false],
    [{ group: 'and', conditions: [] }, true],
    [{ group: 'or', conditions: [no, yes] }, true],
    [{ group: 'or', conditions: [no, no] }, false],
    [{ group: 'or', conditions: [] }, false],
    [{ group: 'not', conditions: [yes] }, false],
    [{ group: 'not', conditions: [no] }, true],
    [{ group: 'not', conditions: [{ group: 'or', conditions: [no, { group: 'and', conditions: [yes, no] }] }] }, true],
  ])('evaluates the group %j to %s', (condition, expected) => {
    expect(compileConditions([condition], 'all')?.(document)).toBe(expected);
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
  ])('case %#: all conditions are true: %s, at least one is true: %s', (conditions, all, any) => {
    expect(compileConditions(conditions, 'all')?.(document)).toBe(all);
    expect(compileConditions(conditions, 'any')?.(document)).toBe(any);
  });

  it('are undefined if the config has no conditions', () => {
    expect(compileConditions([], 'any')).toBeUndefined();
  });
});

describe('conditionTexts', () => {
  it('writes numbers in the normalized form of HOCON', () => {
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
