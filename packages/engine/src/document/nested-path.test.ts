import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson } from './any-value.test.lib.ts';
import { writeValue } from './json-writer.ts';
import { getNested, parseNestedPath, removeNested, setNested } from './nested-path.ts';
import { readDocument } from './read-document.ts';
import type { Value } from './value.ts';

const text = '{"id":"1","a":{"b":[{"c":1},{"c":2}],"10":"ten","n":null},"list":[1,[2,3]],"one":5}';

describe('parseNestedPath', () => {
  it.each<[string, (string | number)[]]>([
    ['a', ['a']],
    ['a.b[2].c', ['a', 'b', 2, 'c']],
    ['..a...b..', ['a', 'b']],
    ['a[0][1]', ['a', 0, 1]],
    ['a[007]', ['a', 7]],
    ['10.9', ['10', '9']],
    ['__proto__.x', ['__proto__', 'x']],
    ['', []],
    ['...', []],
  ])('parses the path %s', (path, segments) => {
    expect(parseNestedPath(path)).toEqual(segments);
  });

  it.each([
    ['a b', 'contains white space'],
    ['a\t', 'contains white space'],
    ['[0]', 'starts with a bracket'],
    ['a[1', 'has an unclosed bracket'],
    ['a]', 'closing bracket'],
    ['a[1]]', 'closing bracket'],
    ['a[[1]]', 'not a number'],
    ['a[1.2]', 'not a number'],
    ['a[x]', 'not a number'],
    ['a[-1]', 'not a number'],
    ['a[]', 'not a number'],
  ])('refuses %j', (path, reason) => {
    expect(() => parseNestedPath(path)).toThrow(reason);
    expect(() => parseNestedPath(path)).toThrow(`The nested path "${path}"`);
  });
});

describe('getNested', () => {
  it.each([
    ['a.b[1].c', '2'],
    ['a.10', '"ten"'],
    ['a.n', 'null'],
    ['list[1][0]', '2'],
    ['id', '"1"'],
    ['a.b[2].c', undefined],
    ['a.x.y', undefined],
    ['one.x', undefined],
    ['a[0]', undefined],
    ['a.n.x', undefined],
    ['missing', undefined],
    ['', undefined],
  ])('returns the value at %s', (path, expected) => {
    const value = getNested(readDocument(text), parseNestedPath(path));
    expect(value === undefined ? undefined : writeValue(value)).toBe(expected);
  });

  it('throws for a name step on a list', () => {
    expect(() => getNested(readDocument(text), parseNestedPath('list.x'))).toThrow('a list has no member "x"');
  });
});

describe('setNested', () => {
  it.each([
    ['x.y.z', '{"id":"1","x":{"y":{"z":"new"}}}'],
    ['x[0].y', '{"id":"1","x":[{"y":"new"}]}'],
    ['x[0][0]', '{"id":"1","x":[["new"]]}'],
    ['x', '{"id":"1","x":"new"}'],
    ['__proto__.polluted', '{"id":"1","__proto__":{"polluted":"new"}}'],
  ])('creates the missing objects and lists of %s', (path, expected) => {
    const document = readDocument('{"id":"1"}');
    setNested(document, parseNestedPath(path), 'new');
    expect(document.toJson()).toBe(expected);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each([
    ['a.b[0].c', '{"id":"1","a":{"b":[{"c":"new"},{"c":2}],"10":"ten","n":null},"list":[1,[2,3]],"one":5}'],
    ['a.n.m', '{"id":"1","a":{"b":[{"c":1},{"c":2}],"10":"ten","n":{"m":"new"}},"list":[1,[2,3]],"one":5}'],
    ['list[2]', '{"id":"1","a":{"b":[{"c":1},{"c":2}],"10":"ten","n":null},"list":[1,[2,3],"new"],"one":5}'],
  ])('replaces or appends the value at %s', (path, expected) => {
    const document = readDocument(text);
    setNested(document, parseNestedPath(path), 'new');
    expect(document.toJson()).toBe(expected);
  });

  it.each([
    ['list[5]', 'Cannot set index 5 on array of size 2'],
    ['list.x', 'a list has no member "x"'],
    ['a[0]', 'an object has no index'],
    ['one.x', 'it leads through a value that is neither an object nor a list'],
    ['id.x', 'id is a reserved field'],
    ['___children[0]', '___children is a reserved field'],
    ['', 'it is empty'],
    ['.[0]', 'it must start with a name'],
  ])('refuses the path %s', (path, message) => {
    expect(() => setNested(readDocument(text), parseNestedPath(path), 'new')).toThrow(message);
  });

  it('sets a value that getNested then returns', () => {
    const step = fc.oneof(fc.constantFrom('a', 'b', '10', '__proto__'), fc.constant(0));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 5 }), anyJson, (steps, value) => {
        const document = readDocument('{"id":"1"}');
        const path = ['root', ...steps];
        setNested(document, path, value);
        expect(getNested(document, path)).toBe(value);
        removeNested(document, path);
        expect(getNested(document, path)).toBeUndefined();
      }),
    );
  });
});

describe('removeNested', () => {
  it.each<[string, Value]>([
    ['a.b[0]', '{"id":"1","a":{"b":[{"c":2}],"10":"ten","n":null},"list":[1,[2,3]],"one":5}'],
    ['a.b', '{"id":"1","a":{"10":"ten","n":null},"list":[1,[2,3]],"one":5}'],
    ['a', '{"id":"1","list":[1,[2,3]],"one":5}'],
    ['x.y', text],
    ['a.x', text],
    ['list[9]', text],
    ['one.x', text],
    ['a[0]', text],
    ['', text],
  ])('removes the value at %s, or nothing if it is missing', (path, expected) => {
    const document = readDocument(text);
    removeNested(document, parseNestedPath(path));
    expect(document.toJson()).toBe(expected);
  });

  it('refuses reserved fields', () => {
    expect(() => removeNested(readDocument(text), ['id'])).toThrow('id is a reserved field');
  });
});
