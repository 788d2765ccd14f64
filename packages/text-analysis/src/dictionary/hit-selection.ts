import type { TermHit } from './term-trie.ts';

/**
 * The hits that remain when longer ones come first, then earlier ones, and none may overlap another.
 *
 * @param textLength of the text that they were found in
 */
export function longestHits<T extends TermHit>(hits: readonly T[], textLength: number): T[] {
  if (hits.length < 2) return [...hits];
  const taken = new Uint8Array(textLength);
  const kept = new Set<T>();
  for (const hit of hits.toSorted((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start)) {
    // What was taken is at least as long, so it cannot lie between the ends.
    if (taken[hit.start] === 1 || taken[hit.end - 1] === 1) continue;
    taken.fill(1, hit.start, hit.end);
    kept.add(hit);
  }
  return hits.filter((hit) => kept.has(hit));
}

/**
 * The hits that remain when a text is read from left to right and at each place the longest one is taken, and what
 * it covers is passed over.
 *
 * @param hits by start, then by end
 */
export function leftmostHits(hits: readonly TermHit[]): TermHit[] {
  const kept: TermHit[] = [];
  let end = 0;
  for (const [i, hit] of hits.entries()) {
    if (hit.start < end || hits[i + 1]?.start === hit.start) continue;
    kept.push(hit);
    end = hit.end;
  }
  return kept;
}
