/**
 * The hash that Kafka's Java clients use to choose the partition of a key. With it, every client writes a key to the
 * same partition. (Source: MurmurHash2 by Austin Appleby, with the seed and the length rules of Kafka's Java client.)
 * @param length the number of bytes of the key
 * @returns a non-negative number of 31 bits
 */
export function murmur2(bytes: Uint8Array, length = bytes.length): number {
  let hash = 0x9747b28c ^ length;
  const end = length & ~3;
  for (let i = 0; i < end; i += 4) {
    let word =
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    word = Math.imul(word, M);
    word ^= word >>> 24;
    hash = Math.imul(hash, M) ^ Math.imul(word, M);
  }
  const rest = length - end;
  if (rest === 3) hash ^= (bytes[end + 2] as number) << 16;
  if (rest >= 2) hash ^= (bytes[end + 1] as number) << 8;
  if (rest >= 1) hash = Math.imul(hash ^ (bytes[end] as number), M);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, M);
  return (hash ^ (hash >>> 15)) & 0x7fffffff;
}

const M = 0x5bd1e995;

const key = Buffer.alloc(3 * 256);

/** Returns the partition of a key, if the topic has this many partitions. */
export function partitionOf(text: string, partitions: number): number {
  if (partitions === 1) return 0;
  if (text.length * 3 > key.length) return murmur2(Buffer.from(text)) % partitions;
  return murmur2(key, key.write(text)) % partitions;
}
