/** Compares two texts. Returns a negative number, 0, or a positive number. */
export type TextOrder = (a: string, b: string) => number;

/** Compares by code points, which is the order of the UTF-8 bytes and of most databases and indexes. */
export function byCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates have lower numbers than the last characters of the basic plane, but their characters come later.
    const isHalf = isSurrogate(x);
    return isHalf === isSurrogate(y) ? x - y : isHalf ? 1 : -1;
  }
  return a.length - b.length;
}

/** Compares by UTF-16 units, as JavaScript does. */
export function byUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
