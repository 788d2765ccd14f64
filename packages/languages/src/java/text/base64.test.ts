import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64Size } from './base64.ts';

describe('base64Size', () => {
  it('returns the number of bytes of any base64 text', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(base64Size(Buffer.from(bytes).toString('base64'))).toBe(bytes.length);
      }),
    );
  });

  it.each([
    ['', 0],
    [' aGVs\r\nbG8= ', 5],
    ['aA==aGk=', 3],
    ['aB==', 1],
  ])('returns for %j the size %d', (text, size) => {
    expect(base64Size(text)).toBe(size);
  });

  it.each(['a', 'aGk', 'aGVsbG8', 'a=b=', '====', 'aG k=', 'aGk-', 'aG=k', 'a===', 'é23='])(
    'returns undefined for %j',
    (text) => {
      expect(base64Size(text)).toBeUndefined();
    },
  );
});
