/**
 * Returns whether at most this many edits change one term to the other. An edit inserts, deletes or changes a
 * character, or swaps two neighbours. As in Lucene, the edits must also be fewer than the characters of the shorter
 * term.
 */
export function isSimilar(a: string, b: string, edits: number): boolean {
  if (a === b) return true;
  const from = Array.from(a);
  const to = Array.from(b);
  if (Math.abs(from.length - to.length) > edits) return false;
  return distance(from, to) <= Math.min(edits, Math.min(from.length, to.length) - 1);
}

/** Returns the optimal string alignment distance. */
function distance(from: readonly string[], to: readonly string[]): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = from[i - 1] === to[j - 1] ? 0 : 1;
      let least = Math.min((last[j] as number) + 1, (row[j - 1] as number) + 1, (last[j - 1] as number) + change);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        least = Math.min(least, (beforeLast[j - 2] as number) + 1);
      }
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length] as number;
}
