import { describe, expect, it } from 'vitest';
import { JsonObjectReader } from './json-object-reader.ts';

// These tests need a separate process: the reader needs interned names, and other unit tests may fill their table.

/** Reads texts with one reader. Returns each object as JSON, or undefined if the general reader must read it. */
function readAll(texts: readonly string[]): (string | undefined)[] {
  const reader = new JsonObjectReader();
  return texts.map((text) => {
    reader.load(text);
    if (!reader.read(0, text.length)) return undefined;
    return JSON.stringify(Object.fromEntries(reader.shape.names.map((name, i) => [name, reader.values[i]])));
  });
}

describe('JsonObjectReader', () => {
  it('reads objects that lack some members of earlier ones', () => {
    const texts: string[] = [];
    for (let bits = 0; bits < 64; bits++) {
      const members = [0, 1, 2, 3, 4, 5].filter((i) => (bits >> i) % 2 === 1).map((i) => [`m${i}`, bits]);
      texts.push(JSON.stringify(Object.fromEntries(members)));
    }
    expect(readAll([...texts, ...texts.toReversed()])).toEqual([...texts, ...texts.toReversed()]);
  });

  it('reads members in any order', () => {
    const texts = ['{"a":1,"b":2,"c":3}', '{"c":3,"b":2,"a":1}', '{"b":2,"a":1,"c":3}', '{"a":1,"b":2,"c":3}'];
    expect(readAll(texts)).toEqual(texts);
  });

  it('leaves objects with a repeated name to the general reader', () => {
    expect(readAll(['{"a":1,"a":2}', '{"a":1,"b":2}', '{"b":1,"a":2}', '{"a":1,"b":2,"a":3}'])).toEqual([
      undefined,
      '{"a":1,"b":2}',
      '{"b":1,"a":2}',
      undefined,
    ]);
  });

  it('reads the names of an object correctly after an object that it could not read', () => {
    expect(readAll(['{"a":1,"b":2}', '{"a":1,"c":x}', '{"a":1,"c":2}', '{"a":1,"b":2}', '{}'])).toEqual([
      '{"a":1,"b":2}',
      undefined,
      '{"a":1,"c":2}',
      '{"a":1,"b":2}',
      '{}',
    ]);
  });

  it('reads blanks around names', () => {
    expect(readAll(new Array(100).fill('{ "a" : 1 ,\t"b" :2}'))).toEqual(new Array(100).fill('{"a":1,"b":2}'));
  });

  it('reads more names than it keeps, and finds repeated ones among them', () => {
    const texts = Array.from({ length: 5000 }, (_, i) => `{"id":${i},"n${i}":1,"x${i}":2}`);
    expect(readAll(texts)).toEqual(texts);
    expect(readAll([...texts, '{"new":1,"new":2}']).at(-1)).toBeUndefined();
  });

  it('reads objects with many members', () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`m${i}`, i])));
    expect(readAll([text, text])).toEqual([text, text]);
  });

  it('leaves names with escapes to the general reader', () => {
    expect(readAll(['{"a\\"b":1}', '{"a\\u0062":1}', '{"é":1}'])).toEqual([undefined, undefined, '{"é":1}']);
  });
});
