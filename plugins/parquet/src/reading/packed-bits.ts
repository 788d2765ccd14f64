import { viewOf } from './text-block.ts';

/** Numbers that are packed in bytes, the lowest bits first. */
export class PackedBits {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }

  /**
   * Reads numbers into a part of an array. Throws if there are fewer bytes than they need.
   * @param at the byte from which `bit` is counted
   * @param bit where the first number begins
   * @param width the bits that are read of each number; above 32, only its lower 32 bits are read
   * @param stride the bits from one number to the next
   */
  read(numbers: Int32Array, from: number, to: number, at: number, bit: number, width: number, stride = width): void {
    const [bytes, view] = [this.#bytes, this.#view];
    if (at + (bit + (to - from - 1) * stride + width) / 8 > bytes.length) {
      throw new Error('the runs of a page end before its values');
    }
    const mask = width >= 32 ? -1 : (1 << width) - 1;
    // The first numbers are read with the eight bytes in which they begin, if there are as many.
    const safe = Math.max(0, Math.floor(((bytes.length - at - 8) * 8 - bit) / stride));
    const end = Math.min(to, from + safe);
    let next = bit;
    let i = from;
    if (width <= 25) {
      for (; i < end; i++, next += stride) numbers[i] = (view.getInt32(at + (next >>> 3), true) >>> (next & 7)) & mask;
    } else {
      for (; i < end; i++, next += stride) {
        const byte = at + (next >>> 3);
        const shift = next & 7;
        const low = view.getInt32(byte, true) >>> shift;
        numbers[i] = (shift === 0 ? low : low | (view.getInt32(byte + 4, true) << (32 - shift))) & mask;
      }
    }
    for (; i < to; i++, next += stride) {
      const byte = at + (next >>> 3);
      const shift = next & 7;
      const low = wordAt(bytes, byte) >>> shift;
      numbers[i] = (shift === 0 ? low : low | (wordAt(bytes, byte + 4) << (32 - shift))) & mask;
    }
  }
}

/** Returns four bytes. Those after the end are undefined, which become zeros. */
function wordAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}
