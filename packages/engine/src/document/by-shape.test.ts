import { expect, it } from 'vitest';
import { ByShape } from './by-shape.ts';
import { Document } from './document.ts';
import { Shape } from './shape.ts';

it('computes the fact of a shape once, also if shapes take turns', () => {
  const computed: string[] = [];
  const facts = new ByShape((shape) => {
    computed.push(shape.names.join());
    return shape.names.length;
  });
  // `Shape.common` may return changing shapes if other tests of this process have used many names.
  const shapes = [Shape.of(['id', 'a']), Shape.of(['id'])];
  for (const shape of [...shapes, ...shapes, ...shapes]) expect(facts.of(shape)).toBe(shape.names.length);
  expect(computed).toEqual(['id,a', 'id']);
});

it('computes the fact of a changing shape again after each change', () => {
  const facts = new ByShape((shape) => shape.names.join());
  const many = Array.from({ length: 100 }, (_, i) => `unknown${i}`);
  const document = new Document(Shape.common(['id', ...many]), ['1', ...many]);
  expect(document.shape.changing).toBe(true);
  expect(facts.of(document.shape)).toBe(['id', ...many].join());
  document.set('more', 'x');
  expect(facts.of(document.shape)).toBe(['id', ...many, 'more'].join());
});
