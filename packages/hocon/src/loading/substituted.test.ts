import { expect, it } from 'vitest';
import { parse } from './parse.ts';

it('a root lists its keys that substitutions name, whether they are found or not', () => {
  const text = 'a: 1, b { x: ${a} }, c: [${?d.e} and ${b.x}], c: ${c}, lone: 1, more += 2';
  expect([...(parse(text).root.substituted ?? [])].sort()).toEqual(['a', 'b', 'c', 'd']);
  expect(parse('{"a": "${b}"}', { format: 'json' }).root.substituted).toEqual(new Set());
});

it('a root lists keys that an included text names, below the include and at the top level', () => {
  const include = () => ({ file: 'other', text: 'y: ${top}' });
  const { root } = parse('in { include "other" }, top: 1', { include });
  expect([...(root.substituted ?? [])].sort()).toEqual(['in', 'top']);
});
