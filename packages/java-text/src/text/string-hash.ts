/** Java's `String.hashCode`, a 32-bit integer with a sign: of UTF-16 units, each step 31 times what was, plus the unit. */
export function stringHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}
