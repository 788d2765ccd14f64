/**
 * Returns Java's `String.hashCode`: for each UTF-16 unit, the hash becomes 31 times the hash plus the unit, in 32 bits.
 */
export function stringHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}
