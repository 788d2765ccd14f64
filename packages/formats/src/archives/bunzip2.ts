import type { ByteSource } from './byte-source.ts';
import { nothingIn, type PackedInput, TruncatedError } from './packed-input.ts';

/** The size of an unpacked piece. */
const PIECE_BYTES = 64 * 1024;
/** The size of a block for each level, and the symbols of runs. */
const LEVEL_BYTES = 100_000;
const RUN_A = 0;
const RUN_B = 1;
const GROUP_SYMBOLS = 50;
const MAX_CODE_BITS = 20;
const MAX_TABLES = 6;
const BLOCK = 0x314159265359;
const END = 0x177245385090;

/**
 * Returns the unpacked content of a bzip2 file with all its streams (pbzip2 and Wikipedia write many). Fails if the file
 * is truncated or damaged. Written here, because the libraries unpack a block as a whole, at any size, so that a small
 * file could need all memory.
 */
export async function* bunzip2(input: PackedInput): ByteSource {
  const bits = new BitReader(input);
  for (let streams = 0; ; streams++) {
    await bits.fill(4);
    if (bits.isAtEnd) {
      if (streams === 0) throw nothingIn();
      return;
    }
    if (bits.read(24) !== 0x425a68) {
      // As in bzip2 -d, bytes after the last stream are no data.
      if (streams > 0) return;
      throw new Error('it is not compressed with bzip2');
    }
    const level = bits.read(8) - 0x30;
    if (level < 1 || level > 9) throw damaged();
    yield* streamOf(bits, level);
  }
}

async function* streamOf(bits: BitReader, level: number): ByteSource {
  const maxBlock = level * LEVEL_BYTES;
  const block = new Int32Array(maxBlock);
  let sum = 0;
  for (;;) {
    // More than the longest possible block.
    await bits.fill(3 * maxBlock + LEVEL_BYTES);
    const kind = bits.read(24) * 2 ** 24 + bits.read(24);
    const expected = bits.read(16) * 2 ** 16 + bits.read(16);
    if (kind === END) {
      if (expected !== sum >>> 0) throw wrongSum();
      bits.skipToByte();
      return;
    }
    if (kind !== BLOCK) throw damaged();
    const out = new BlockOutput(block, ...readBlock(bits, block));
    yield* out.pieces();
    if (out.sum !== expected) throw wrongSum();
    sum = ((sum << 1) | (sum >>> 31)) ^ expected;
  }
}

/** Reads the symbols of a block, and links them in the order of the text. Returns the first link and their number. */
function readBlock(bits: BitReader, block: Int32Array): [origin: number, length: number] {
  if (bits.read(1) === 1) throw new Error('it uses randomized blocks of bzip2 0.9.0, which are not supported');
  const origin = bits.read(24);
  const symbols = usedSymbols(bits);
  if (symbols.length === 0) throw damaged();
  const tableCount = bits.read(3);
  const selectorCount = bits.read(15);
  if (tableCount < 2 || tableCount > MAX_TABLES || selectorCount === 0) throw damaged();
  const order = Array.from({ length: tableCount }, (_, i) => i);
  const selectors = new Uint8Array(selectorCount);
  for (let i = 0; i < selectorCount; i++) {
    let at = 0;
    while (bits.read(1) === 1) if (++at >= tableCount) throw damaged();
    order.unshift(...order.splice(at, 1));
    selectors[i] = order[0] as number;
  }
  const codes = Array.from({ length: tableCount }, () => new CodeTable(bits, symbols.length + 2));
  const counts = new Int32Array(256);
  const length = readSymbols(bits, block, counts, symbols, selectors, codes);
  if (origin >= length) throw damaged();
  let sum = 0;
  for (let i = 0; i < 256; i++) {
    const count = counts[i] as number;
    counts[i] = sum;
    sum += count;
  }
  for (let i = 0; i < length; i++) {
    const byte = (block[i] as number) & 255;
    const at = counts[byte] as number;
    counts[byte] = at + 1;
    block[at] = (block[at] as number) | (i << 8);
  }
  return [(block[origin] as number) >> 8, length];
}

function readSymbols(
  bits: BitReader,
  block: Int32Array,
  counts: Int32Array,
  symbols: number[],
  selectors: Uint8Array,
  codes: readonly CodeTable[],
): number {
  const end = symbols.length + 1;
  let length = 0;
  let run = 0;
  let weight = 1;
  let left = 0;
  let selector = 0;
  let code = codes[0] as CodeTable;
  for (;;) {
    if (left === 0) {
      if (selector >= selectors.length) throw damaged();
      code = codes[selectors[selector++] as number] as CodeTable;
      left = GROUP_SYMBOLS;
    }
    left--;
    const symbol = code.next(bits);
    if (symbol === RUN_A || symbol === RUN_B) {
      run += weight << symbol;
      weight <<= 1;
      if (run > block.length) throw damaged();
      continue;
    }
    if (run > 0) {
      const byte = symbols[0] as number;
      if (length + run > block.length) throw damaged();
      block.fill(byte, length, length + run);
      counts[byte] = (counts[byte] as number) + run;
      length += run;
      run = 0;
    }
    weight = 1;
    if (symbol === end) return length;
    const at = symbol - 1;
    const byte = symbols[at] as number;
    if (length >= block.length) throw damaged();
    symbols.copyWithin(1, 0, at);
    symbols[0] = byte;
    counts[byte] = (counts[byte] as number) + 1;
    block[length++] = byte;
  }
}

function usedSymbols(bits: BitReader): number[] {
  const ranges = bits.read(16);
  const symbols: number[] = [];
  for (let range = 0; range < 16; range++) {
    if ((ranges & (0x8000 >> range)) === 0) continue;
    const used = bits.read(16);
    for (let i = 0; i < 16; i++) if ((used & (0x8000 >> i)) !== 0) symbols.push(range * 16 + i);
  }
  return symbols;
}

/** The Huffman codes of a group of symbols. */
class CodeTable {
  /** For each length of codes, the last code, and what to add to a code to get the position of its symbol. */
  readonly #limit = new Int32Array(MAX_CODE_BITS + 2).fill(-1);
  readonly #base = new Int32Array(MAX_CODE_BITS + 2);
  readonly #symbols: number[] = [];

  constructor(bits: BitReader, count: number) {
    const lengths = new Uint8Array(count);
    let length = bits.read(5);
    for (let symbol = 0; symbol < count; symbol++) {
      for (;;) {
        if (length < 1 || length > MAX_CODE_BITS) throw damaged();
        if (bits.read(1) === 0) break;
        length += bits.read(1) === 0 ? 1 : -1;
      }
      lengths[symbol] = length;
    }
    let code = 0;
    for (let bitCount = 1; bitCount <= MAX_CODE_BITS; bitCount++) {
      const first = this.#symbols.length;
      for (let symbol = 0; symbol < count; symbol++) if (lengths[symbol] === bitCount) this.#symbols.push(symbol);
      const added = this.#symbols.length - first;
      this.#base[bitCount] = first - code;
      code += added;
      if (added > 0) this.#limit[bitCount] = code - 1;
      code <<= 1;
    }
  }

  next(bits: BitReader): number {
    let code = 0;
    for (let length = 1; length <= MAX_CODE_BITS; length++) {
      code = (code << 1) | bits.read(1);
      if (code <= (this.#limit[length] as number)) {
        const symbol = this.#symbols[code + (this.#base[length] as number)];
        if (symbol !== undefined) return symbol;
      }
    }
    throw damaged();
  }
}

/** Writes the bytes of a block. Four equal bytes are followed by the number of further ones. */
class BlockOutput {
  #sum = -1;
  readonly #block: Int32Array;
  readonly #length: number;
  #at: number;

  constructor(block: Int32Array, origin: number, length: number) {
    this.#block = block;
    this.#at = origin;
    this.#length = length;
  }

  /** The checksum of the bytes, after the last piece. */
  get sum(): number {
    return ~this.#sum >>> 0;
  }

  *pieces(): Generator<Uint8Array> {
    let piece = Buffer.allocUnsafe(PIECE_BYTES);
    let filled = 0;
    let sum = this.#sum;
    let last = -1;
    let equal = 0;
    for (let i = 0; i < this.#length; i++) {
      const entry = this.#block[this.#at] as number;
      this.#at = entry >> 8;
      const byte = entry & 255;
      let count = 1;
      let value = byte;
      if (equal === 4) {
        count = byte;
        value = last;
        equal = 0;
        last = -1;
      } else {
        equal = byte === last ? equal + 1 : 1;
        last = byte;
      }
      for (; count > 0; count--) {
        piece[filled++] = value;
        sum = (sum << 8) ^ (SUMS[((sum >>> 24) ^ value) & 255] as number);
        if (filled === PIECE_BYTES) {
          yield piece;
          piece = Buffer.allocUnsafe(PIECE_BYTES);
          filled = 0;
        }
      }
    }
    this.#sum = sum;
    if (filled > 0) yield piece.subarray(0, filled);
  }
}

const SUMS = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24;
  for (let bit = 0; bit < 8; bit++) sum = sum < 0 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  return sum;
});

/** Reads bits. `fill` reads the bytes, so that `read` needs not wait. */
class BitReader {
  readonly #input: PackedInput;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #bits = 0;
  #count = 0;

  constructor(input: PackedInput) {
    this.#input = input;
  }

  /** Whether all bytes were read. */
  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length && this.#count === 0;
  }

  /** Makes this number of bytes available, or all that the file still has. */
  async fill(bytes: number): Promise<void> {
    if (this.#bytes.length - this.#at >= bytes) return;
    const pieces = [this.#bytes.subarray(this.#at)];
    let length = (pieces[0] as Buffer).length;
    while (length < bytes) {
      const piece = await this.#input.next();
      if (piece === undefined) break;
      pieces.push(piece);
      length += piece.length;
    }
    this.#bytes = Buffer.concat(pieces);
    this.#at = 0;
  }

  /** Returns up to 24 bits. */
  read(count: number): number {
    while (this.#count < count) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new TruncatedError();
      this.#bits = ((this.#bits << 8) | byte) & 0x7fffffff;
      this.#count += 8;
    }
    this.#count -= count;
    return (this.#bits >>> this.#count) & (2 ** count - 1);
  }

  skipToByte(): void {
    this.#count -= this.#count % 8;
  }
}

function damaged(): Error {
  return new Error('it is damaged: the bzip2 data is wrong');
}

function wrongSum(): Error {
  return new Error('it is damaged: its checksum is wrong');
}
