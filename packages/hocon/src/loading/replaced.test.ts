import { describe, expect, it } from 'vitest';
import { parse } from './parse.ts';

/** Returns the replaced values as `key before>by`, with each position as line:column. */
const replaced = (text: string, included?: string) => {
  const include = included === undefined ? {} : { include: () => ({ file: 'other', text: included }) };
  const { root } = parse(text, { file: 'main', overrides: { set: 'x' }, ...include });
  return (root.replaced ?? []).map(
    ({ key, by, before }) => `${key} ${before.line}:${before.column}>${by.line}:${by.column}`,
  );
};

describe('a value that replaces another one of the file is recorded', () => {
  it.each([
    ['a = 1\na = 2', ['a 1:1>2:1']],
    ['o { a: 1, a: x }', ['a 1:5>1:11']],
    ['o { a: 1 }\no { a: 2, b: 3 }', ['a 1:5>2:5']],
    ['o.p.a = 1\no.p.a = [1]', ['a 1:1>2:1']],
    ['l: [{ a: 1, a: 2 }]', ['a 1:7>1:13']],
    ['a = [1, 2]\na = [1]', ['a 1:1>2:1']],
    ['a { b: 1 }\na = 2', ['a 1:1>2:1']],
    ['a = 2\na { b: 1 }', ['a 1:1>2:1']],
    ['a = ${?A}\na = 1', ['a 1:1>2:1']],
    ['a = 1\na = 2\na = 3', ['a 1:1>2:1', 'a 2:1>3:1']],
  ])('lists the replaced values of %j', (text, expected) => {
    expect(replaced(text)).toEqual(expected);
  });
});

describe('an intended replacement is not recorded', () => {
  it.each([
    ['the same value again', 'a = 1\na = 1\nb = [x, 2]\nb = [x, 2]\nc = "1"\nc = 1'],
    ['a default before the environment', 'a = 1\na = ${?A}'],
    ['a substitution', 'b = 1\na = 1\na = ${b}'],
    ['objects that are merged', 'o { a: 1 }\no { b: 2 }\no.c = 3'],
    ['what is appended', 'a = [1]\na += 2\na = ${a} [3]'],
    ['fields over those of a substituted object', 'base { x: 1, y: 2 }\na = ${base} { x: 3 }\nb = ${base}\nb.x = 4'],
    ['null, which clears what was there', 'a { x: 1 }\na = null\na { y: 2 }'],
    ['an override', 'set = 1'],
    ['the same key in other objects', 'l: [{ a: 1 }, { a: 2 }], o { a: 3 }, a: 4'],
  ])('ignores %s', (_, text) => {
    expect(replaced(text)).toEqual([]);
  });

  it('ignores values that are replaced before or after an include', () => {
    expect(replaced('include "other"\na = 2\no { b: 2 }', 'a = 1, o { b: 1 }')).toEqual([]);
    expect(replaced('a = 2, o { b: 2 }\ninclude "other"', 'a = 1, o { b: 1 }')).toEqual([]);
    expect(replaced('include "other"\ninclude "other"', 'a = 1')).toEqual([]);
  });
});

it('the number of recorded replacements is limited', () => {
  expect(replaced('a = 1\na = 2\n'.repeat(10_000))).toHaveLength(100);
});
