/** The order of two texts: negative, 0, or positive. */
export type TextOrder = (a: string, b: string) => number;

/** By code points, as by the bytes of UTF-8: the binary order of most databases and indexes. */
export function byCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates, whose characters come last, have lower numbers than the last characters before those.
    const isHalf = isSurrogate(x);
    return isHalf === isSurrogate(y) ? x - y : isHalf ? 1 : -1;
  }
  return a.length - b.length;
}

/** By UTF-16 units, as JavaScript compares. */
export function byUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
