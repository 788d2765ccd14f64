import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasNoControlsButLf } from './control-bytes.ts';

describe('hasNoControlsButLf', () => {
  it('finds control characters at any position, of texts that begin at any position of their memory', () => {
    const byte = fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 0x20, max: 0xff }) },
      fc.constantFrom(10, 0x80, 0xa0),
    );
    const bytes = fc.array(byte, { maxLength: 70 });
    fc.assert(
      fc.property(
        bytes,
        fc.nat(5),
        fc.nat(),
        fc.constantFrom(0, 9, 10, 13, 31, 32, 127, 128),
        (clean, offset, at, other) => {
          const text = Uint8Array.from([...new Array(offset).fill(0), ...clean, 0]).subarray(
            offset,
            offset + clean.length,
          );
          expect(hasNoControlsButLf(text)).toBe(true);
          if (text.length === 0) return;
          text[at % text.length] = other;
          expect(hasNoControlsButLf(text)).toBe(other === 10 || other >= 32);
        },
      ),
    );
  });
});
