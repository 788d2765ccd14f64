import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldUnits } from './letter-folding.ts';
import { alphabeticUnits, type Letters, letterCodePoints } from './letters.ts';
import { TermTrie } from './term-trie.ts';
import { TermTrieBuilder } from './term-trie-builder.ts';

function trieOf(terms: readonly string[], letters: Letters | undefined, fold = (text: string) => text): TermTrie {
  const builder = new TermTrieBuilder({ letters, fold });
  for (const term of terms) builder.add(term, undefined, fold(term));
  return new TermTrie(builder.finish(), letters);
}

/** Returns the expected hits, by trying every term at every position. */
function search(text: string, terms: readonly string[], isLetter: ((unit: string) => boolean) | undefined): string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length; start++) {
    for (const term of [...new Set(terms)].sort((a, b) => a.length - b.length)) {
      const end = start + term.length;
      if (term === '' || !text.startsWith(term, start)) continue;
      if (isLetter !== undefined && start > 0 && isLetter(text.charAt(start - 1))) continue;
      if (isLetter !== undefined && end < text.length && isLetter(text.charAt(end))) continue;
      found.push(`${start}-${end} ${term}`);
    }
  }
  return found;
}

function find(trie: TermTrie, text: string): string[] {
  return trie.find(text).map(({ start, end, entry }) => `${start}-${end} ${trie.term(entry)}`);
}

const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '東', ' ', '-', '1', '\u0301'), maxLength: 8 });
const terms = fc.array(piece, { maxLength: 30 });
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(' '));

describe('TermTrie', () => {
  it('finds the same whole words as a test of every term at every position', () => {
    const isLetter = (unit: string) => /\p{Alphabetic}/u.test(unit);
    fc.assert(
      fc.property(terms, text, (terms, text) => {
        expect(find(trieOf(terms, alphabeticUnits), text)).toEqual(search(text, terms, isLetter));
        expect(find(trieOf(terms, letterCodePoints), text)).toEqual(search(text, terms, isLetter));
      }),
    );
  });

  it('finds the same terms as a test of every term at every position', () => {
    fc.assert(
      fc.property(terms, text, (terms, text) => {
        expect(find(trieOf(terms, undefined), text)).toEqual(search(text, terms, undefined));
      }),
    );
  });

  it('keeps many terms separate when its tables grow', () => {
    const many = Array.from({ length: 50_000 }, (_, i) => `n${(i * 7919).toString(36)} of ${i % 100}`);
    const trie = trieOf(many, alphabeticUnits);
    for (let i = 0; i < many.length; i += 997)
      expect(find(trie, `the ${many[i]}.`)).toEqual([expect.stringContaining(many[i] as string)]);
    expect(find(trie, 'nothing of 5')).toEqual([]);
  });

  it('stores terms that differ only in case as variants of one entry', () => {
    const trie = trieOf(['It', 'it', 'IT', 'it'], alphabeticUnits, foldUnits);
    const [hit] = trie.find('it');
    const variants: string[] = [];
    for (let entry = hit?.entry ?? -1; entry >= 0; entry = trie.variant(entry)) variants.push(trie.term(entry));
    expect(variants).toEqual(['It', 'it', 'IT']);
  });
});
