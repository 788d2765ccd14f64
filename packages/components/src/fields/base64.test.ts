import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64Size } from './base64.ts';

describe('base64Size', () => {
  it('counts the bytes of any base64', () => {
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
  ])('of %j is %d', (text, size) => {
    expect(base64Size(text)).toBe(size);
  });

  it.each(['a', 'aGk', 'aGVsbG8', 'a=b=', '====', 'aG k=', 'aGk-', 'aG=k', 'a===', 'é23='])('of %j is none', (text) => {
    expect(base64Size(text)).toBeUndefined();
  });
});
