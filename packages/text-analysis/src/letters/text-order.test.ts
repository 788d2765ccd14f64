import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byCodePoints } from './text-order.ts';

// Generates characters around the positions where the orders differ, often similar ones.
const character = fc.oneof(
  fc.constantFrom('a', 'b', '\uD7FF', '\uE000', '\uFF21', '\uFFFF', '\u{10000}', '😀', '\u{10FFFF}'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
);
const text = fc.array(character, { maxLength: 5 }).map((characters) => characters.join(''));

it('texts have the same order as their UTF-8 bytes', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(byCodePoints(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});
