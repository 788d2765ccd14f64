import { readJson } from '@headrace/engine';
import { expect, it } from 'vitest';
import { followJsonPointer, parseJsonPointer } from './json-pointer.ts';

// The example in section 5 of RFC 6901.
const example = readJson(
  '{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8,"~1":9,"o":null}',
);

it.each([
  ['/foo', ['bar', 'baz']],
  ['/foo/0', 'bar'],
  ['/foo/00', undefined],
  ['/foo/2', undefined],
  ['/foo/-', undefined],
  ['/foo/length', undefined],
  ['/foo/0/a', undefined],
  ['/', 0],
  ['/a~1b', 1],
  ['/c%d', 2],
  ['/e^f', 3],
  ['/g|h', 4],
  ['/i\\j', 5],
  ['/k"l', 6],
  ['/ ', 7],
  ['/m~0n', 8],
  ['/~01', 9],
  ['/o', null],
  ['/none', undefined],
])('returns the value at %s', (text, expected) => {
  expect(followJsonPointer(example, parseJsonPointer(text) as string[])).toEqual(expected);
});

it('returns the whole value for an empty pointer and refuses a pointer without a slash', () => {
  expect(followJsonPointer(example, parseJsonPointer('') as string[])).toBe(example);
  expect(parseJsonPointer('foo')).toBeUndefined();
});
