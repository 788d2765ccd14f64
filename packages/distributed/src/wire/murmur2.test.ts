import { expect, it } from 'vitest';
import { murmur2, partitionOf } from './murmur2.ts';

/** From `org.apache.kafka.common.utils.Utils` of Kafka's Java client 4.1.1: the key, its positive hash, and hash % 7. */
const KNOWN: readonly (readonly [key: string, hash: number, ofSeven: number])[] = [
  ['', 275646681, 2],
  ['a', 584102524, 5],
  ['ab', 316155434, 0],
  ['abc', 479470107, 4],
  ['1', 154038159, 2],
  ['21', 1173551340, 3],
  ['foobar', 1357151166, 0],
  ['doc-777', 1653924913, 4],
  ['a-little-bit-long-string', 1161502112, 1],
  ['a-little-bit-longer-string', 661178819, 0],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', 2088585677, 3],
  ['ü', 1419834458, 0],
  ['straße', 1115426074, 0],
  ['日本語', 1431860170, 6],
  ['😀 smile', 1567297032, 0],
  ['__proto__', 1103376828, 1],
  ['x'.repeat(85), 86273276, 5],
  ['x'.repeat(86), 1292142349, 1],
  ['ü'.repeat(256), 135591985, 4],
  ['€'.repeat(256), 61290411, 0],
  ['€'.repeat(257), 1552239133, 4],
  ['x'.repeat(1000), 1079030046, 3],
];

it('the hash and the partition of a key are those of the Java client', () => {
  for (const [key, hash, ofSeven] of KNOWN) {
    expect([murmur2(Buffer.from(key)), partitionOf(key, 7), partitionOf(key, 1)], key).toEqual([hash, ofSeven, 0]);
  }
});

it('only the first bytes count if a length is given', () => {
  expect(murmur2(Buffer.from('abcdefg'), 3)).toBe(479470107);
});
