import type { CatalogEntry } from '@headrace/engine';
import { firstSentence } from './component-page.ts';

/**
 * Returns the components whose names or descriptions contain all words of a query, in any letter case. Best matches
 * first: the word is a part of the name (`embed` in `OpenAIEmbed`), the name begins with it, the name contains it, the
 * first sentence of the description contains it, the rest of the description contains it.
 */
export function searchComponents(query: string, entries: readonly CatalogEntry[]): CatalogEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, rank: words.reduce((sum, word) => sum + rankOf(word, entry), 0) }))
    .filter(({ rank }) => Number.isFinite(rank))
    .toSorted((a, b) => a.rank - b.rank || (a.entry.name < b.entry.name ? -1 : 1))
    .map(({ entry }) => entry);
}

function rankOf(word: string, entry: CatalogEntry): number {
  const names = [entry.name, entry.type ?? ''];
  if (names.some((name) => name.split(/(?=[A-Z][a-z])/).some((part) => part.toLowerCase() === word))) return 0;
  if (names.some((name) => name.toLowerCase().startsWith(word))) return 1;
  if (names.some((name) => name.toLowerCase().includes(word))) return 2;
  if (firstSentence(entry).toLowerCase().includes(word)) return 3;
  return entry.description?.toLowerCase().includes(word) === true ? 4 : Number.POSITIVE_INFINITY;
}
