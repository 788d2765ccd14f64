/**
 * Merges two lists of distinct names into one list that keeps the order of both. Returns undefined if two names have a
 * different order in the two lists.
 */
export function mergeNames(first: readonly string[], second: readonly string[]): string[] | undefined {
  let i = 0;
  while (i < first.length && first[i] === second[i]) i++;
  // Most lists are equal, or one has more names at its end.
  if (i === first.length) return [...second];
  if (i === second.length) return [...first];
  const merged = first.slice(0, i);
  const inFirst = new Set(first);
  const inSecond = new Set(second);
  let j = i;
  while (i < first.length || j < second.length) {
    const a = first[i];
    const b = second[j];
    if (a !== undefined && !inSecond.has(a)) {
      merged.push(a);
      i++;
    } else if (b !== undefined && !inFirst.has(b)) {
      merged.push(b);
      j++;
    } else if (a === b && a !== undefined) {
      merged.push(a);
      i++;
      j++;
    } else return undefined;
  }
  return merged;
}
