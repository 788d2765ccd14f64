import { describe, expect, it } from 'vitest';
import { readThrift } from './thrift.ts';

function read(...bytes: number[]): unknown {
  return readThrift({ view: new DataView(Uint8Array.from(bytes).buffer), offset: 0 });
}

describe('a structure of Thrift', () => {
  it('has fields of all types that Parquet uses', () => {
    const double = [...Buffer.from(Float64Array.of(1.5).buffer)];
    expect(
      read(
        ...[0x11, 0x12, 0x13, 0xff],
        ...[0x14, 0x03],
        ...[0x15, 0x80, 0x01],
        ...[0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
        ...[0x17, ...double],
        ...[0x18, 2, 0x61, 0x62],
        ...[0x19, 0x25, 0x02, 0x04],
        ...[0x1c, 0x11, 0x00],
        ...[0x00],
      ),
    ).toEqual({
      field_1: true,
      field_2: false,
      field_3: -1,
      field_4: -2,
      field_5: 64,
      field_6: -(2n ** 63n),
      field_7: 1.5,
      field_8: Uint8Array.of(0x61, 0x62),
      field_9: [1, 2],
      field_10: { field_1: true },
    });
  });

  it('may skip numbers of fields, and write them in full', () => {
    expect(read(0x05, 0xa8, 0x02, 0x02, 0xf1, 0x00)).toEqual({ field_148: 1, field_163: true });
  });

  it('has lists of booleans as bytes, and lists with more than 14 elements', () => {
    expect(read(0x19, 0x31, 1, 2, 0, 0x00)).toEqual({ field_1: [true, false, false] });
    const bytes = Array.from({ length: 15 }, (_, i) => i);
    expect(read(0x19, 0xf3, 15, ...bytes, 0x00)).toEqual({ field_1: bytes });
  });

  it('has integers of 64 bits that no number can hold', () => {
    expect(read(0x16, 0x83, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0x00)).toEqual({ field_1: -(2n ** 53n) - 2n });
  });

  it.each([
    ['ends before its last field', [0x11], /Offset is outside/],
    [
      'states a text that is longer than the bytes',
      [0x18, 0x05, 0x61],
      /states 5 bytes or elements, and 1 bytes are left/,
    ],
    ['states a list that is longer than the bytes', [0x19, 0xf3, 0xff, 0xff, 0xff, 0xff, 0x0f], /states 4294967295/],
    ['has an integer that does not end', [0x15, ...Array(20).fill(0x80)], /more than 32 bits/],
    ['has a long integer that does not end', [0x16, ...Array(20).fill(0x80)], /more than 64 bits/],
    ['has a map', [0x1b, 0x00], /unknown type 11/],
  ])('is not read if it %s', (_, bytes, message) => {
    expect(() => read(...bytes)).toThrow(message);
  });
});
