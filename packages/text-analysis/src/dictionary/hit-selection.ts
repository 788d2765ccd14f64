import type { TermHit } from './term-trie.ts';

/**
 * Selects hits so that none overlap: longer ones first, then earlier ones.
 * @param textLength the length of the searched text
 */
export function longestHits<T extends TermHit>(hits: readonly T[], textLength: number): T[] {
  if (hits.length < 2) return [...hits];
  const taken = new Uint8Array(textLength);
  const kept = new Set<T>();
  for (const hit of hits.toSorted((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start)) {
    // A selected hit is at least as long, so it cannot be inside this one.
    if (taken[hit.start] === 1 || taken[hit.end - 1] === 1) continue;
    taken.fill(1, hit.start, hit.end);
    kept.add(hit);
  }
  return hits.filter((hit) => kept.has(hit));
}

/**
 * Selects hits from left to right. At each position it selects the longest hit, and skips the text of that hit.
 * @param hits sorted by start, then by end
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
