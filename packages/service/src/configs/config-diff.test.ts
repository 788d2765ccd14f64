import { readConfigText } from '@headrace/engine';
import { expect, it } from 'vitest';
import { diffConfigs } from './config-diff.ts';

function diff(from: string, to: string) {
  const [old, now] = [from, to].map((text) => readConfigText(text).root);
  if (old === undefined || now === undefined) throw new Error('A text of the test cannot be read');
  return diffConfigs(old, now);
}

it('lists new, removed and changed values by path', () => {
  expect(diff('a: 1, b { c: x, d: [1] }, e: null', 'b { c: y, d: {} }, a: 1, f: [{}]')).toEqual([
    { path: 'b.c', old: 'x', new: 'y' },
    { path: 'b.d', old: [1], new: {} },
    { path: 'e', old: null },
    { path: 'f', new: [{}] },
  ]);
});

it('reports an inserted or removed list item as one change, without the items after it', () => {
  const stages = (names: string) => `stages: [${names.replace(/\w+/g, '{class: $&, n: 1}')}]`;
  expect(diff(stages('A, B, C'), stages('A, X, B, C'))).toEqual([{ path: 'stages[1]', new: { class: 'X', n: 1 } }]);
  expect(diff(stages('A, B, C'), stages('B, C'))).toEqual([{ path: 'stages[0]', old: { class: 'A', n: 1 } }]);
  expect(diff(stages('A, B, C'), stages('A, D, C'))).toEqual([{ path: 'stages[1].class', old: 'B', new: 'D' }]);
  expect(diff(stages('A'), stages('A'))).toEqual([]);
  expect(diff('a: [1, 1]', 'a: [1, 1, 1]')).toEqual([{ path: 'a[2]', new: 1 }]);
});

it('reports that a secret has changed, without its value', () => {
  const secret = (word: string, n: number) => `db { password: ${word}, url: "x://u:${word}@h" }, n: ${n}`;
  expect(diff(secret('hunter2', 1), secret('hunter3', 1))).toEqual([
    { path: 'db.password', old: '******', new: '******' },
    { path: 'db.url', old: 'x://u:******@h', new: 'x://u:******@h' },
  ]);
  expect(diff(secret('hunter2', 1), secret('hunter2', 2))).toEqual([{ path: 'n', old: 1, new: 2 }]);
});

it('compares values, not their notation', () => {
  expect(diff('a: 1\nb: {c: 2, d: 3}', '{"b": {"d": 3, "c": 2}, "a": 1}')).toEqual([]);
});
