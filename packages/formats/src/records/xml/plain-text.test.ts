import fc from 'fast-check';
import { expect, it } from 'vitest';
import { pairsOf, plainTextEnd } from './plain-text.ts';

it('finds the end of plain text at every position, also in memory at an odd address', () => {
  const byte = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(97, 32, 9, 13, 255) },
    fc.constantFrom(60, 38, 93, 10, 0),
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 80 }), fc.nat(3), fc.nat(40), fc.nat(80), (content, offset, from, end) => {
      const bytes = new Uint8Array(new ArrayBuffer(content.length + offset), offset);
      bytes.set(content);
      const to = Math.min(end, content.length);
      const start = Math.min(from, to);
      const stop = content.findIndex(
        (value, i) => i >= start && (value < 32 ? ![9, 13].includes(value) : [60, 38, 93].includes(value)),
      );
      expect(plainTextEnd(bytes, pairsOf(bytes), start, to)).toBe(stop < 0 ? to : Math.min(stop, to));
    }),
  );
});
