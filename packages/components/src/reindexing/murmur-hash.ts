/**
 * Computes MurmurHash3 (x86, 128 bits) of some bytes. In JavaScript, on bytes in place, it takes an eighth of the time of
 * SHA-256 of a text. It is no cryptographic hash: it distinguishes contents, and proves nothing about them.
 * @param hash four numbers: the seed before, the hash afterwards
 */
export function murmurHash(bytes: DataView, from: number, to: number, hash: Int32Array): void {
  let h1 = hash[0] as number;
  let h2 = hash[1] as number;
  let h3 = hash[2] as number;
  let h4 = hash[3] as number;
  const length = to - from;
  const end = from + (length & ~15);
  for (let i = from; i < end; i += 16) {
    h1 ^= mix(bytes.getInt32(i, true), 0x239b961b, 15, 0xab0e9789);
    h1 = (Math.imul((rotate(h1, 19) + h2) | 0, 5) + 0x561ccd1b) | 0;
    h2 ^= mix(bytes.getInt32(i + 4, true), 0xab0e9789, 16, 0x38b34ae5);
    h2 = (Math.imul((rotate(h2, 17) + h3) | 0, 5) + 0x0bcaa747) | 0;
    h3 ^= mix(bytes.getInt32(i + 8, true), 0x38b34ae5, 17, 0xa1e38b93);
    h3 = (Math.imul((rotate(h3, 15) + h4) | 0, 5) + 0x96cd1c35) | 0;
    h4 ^= mix(bytes.getInt32(i + 12, true), 0xa1e38b93, 18, 0x239b961b);
    h4 = (Math.imul((rotate(h4, 13) + h1) | 0, 5) + 0x32ac3b17) | 0;
  }
  if (end < to) {
    h1 ^= mix(word(bytes, end, to), 0x239b961b, 15, 0xab0e9789);
    h2 ^= mix(word(bytes, end + 4, to), 0xab0e9789, 16, 0x38b34ae5);
    h3 ^= mix(word(bytes, end + 8, to), 0x38b34ae5, 17, 0xa1e38b93);
    h4 ^= mix(word(bytes, end + 12, to), 0xa1e38b93, 18, 0x239b961b);
  }
  h2 ^= length;
  h3 ^= length;
  h4 ^= length;
  h1 = ((h1 ^ length) + h2 + h3 + h4) | 0;
  h2 = finish((h2 + h1) | 0);
  h3 = finish((h3 + h1) | 0);
  h4 = finish((h4 + h1) | 0);
  h1 = (finish(h1) + h2 + h3 + h4) | 0;
  hash[0] = h1;
  hash[1] = h2 + h1;
  hash[2] = h3 + h1;
  hash[3] = h4 + h1;
}

/** Reads up to four bytes before the end. */
function word(bytes: DataView, from: number, to: number): number {
  let value = 0;
  for (let i = Math.min(from + 4, to) - 1; i >= from; i--) value = (value << 8) | bytes.getUint8(i);
  return value;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function mix(value: number, first: number, bits: number, second: number): number {
  return Math.imul(rotate(Math.imul(value, first), bits), second);
}

/** Lets each bit of a number change about half of its bits. */
function finish(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
