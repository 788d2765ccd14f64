/** The maximum fill of a hash table. Fuller tables need longer searches, emptier tables need more memory. */
const MAX_LOAD = 0.65;

/**
 * Returns the number of slots of a hash table with this many entries. At least one slot stays free, which ends every
 * search.
 */
export function slotsFor(entries: number): number {
  return Math.ceil(entries / MAX_LOAD) + 1;
}

/** Returns the slot where the search for a hash begins. The number of slots need not be a power of two. */
export function slotOf(hash: number, slots: number): number {
  return Math.floor(((hash >>> 0) * slots) / 0x1_0000_0000);
}

/** Returns a 32-bit hash of a part of a text, by its UTF-16 units (FNV-1a, with the last mixing of MurmurHash3). */
export function hashText(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mix(hash);
}

/** Returns a 32-bit hash of a pair of integers. */
export function hashPair(a: number, b: number): number {
  return mix(Math.imul(a, 0x9e3779b1 | 0) ^ Math.imul(b, 0x85ebca6b | 0) ^ (b >>> 15));
}

function mix(hash: number): number {
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b | 0);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35 | 0);
  return hash ^ (hash >>> 16);
}
