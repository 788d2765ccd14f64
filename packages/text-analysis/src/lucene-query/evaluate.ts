import { byCodePoints } from '../letters/text-order.ts';
import type { FieldTerms } from './analysis.ts';
import { isSimilar } from './edit-distance.ts';
import { matchesPhrase } from './phrase.ts';
import type { Clause, Query, RangeQuery } from './query.ts';
import { matchesRegexp } from './regexp-match.ts';
import { matchesWildcard } from './wildcard.ts';

/** The terms of the fields of a document. */
export type DocumentTerms = ReadonlyMap<string, FieldTerms>;

const NO_TERMS: FieldTerms = new Map();

/** Returns whether a query matches a document. */
export function matches(query: Query, document: DocumentTerms): boolean {
  if (query.type === 'all') return true;
  if (query.type === 'boolean') return matchesClauses(query.clauses, document);
  const terms = document.get(query.field) ?? NO_TERMS;
  switch (query.type) {
    case 'term':
      return terms.has(query.term);
    case 'phrase': {
      const positions = query.terms.map((term) => terms.get(term));
      return positions.every((list) => list !== undefined) && matchesPhrase(positions, query.slop);
    }
    case 'prefix':
      return some(terms, (term) => term.startsWith(query.prefix));
    case 'wildcard':
      return some(terms, (term) => matchesWildcard(term, query.pattern));
    case 'fuzzy':
      return some(terms, (term) => isSimilar(query.term, term, query.edits));
    case 'regexp':
      return some(terms, (term) => matchesRegexp(term, query.node));
    case 'range':
      return some(terms, (term) => isInRange(term, query));
  }
}

/** Returns whether all required clauses match and no prohibited one. Without required clauses, one other must match. */
function matchesClauses(clauses: readonly Clause[], document: DocumentTerms): boolean {
  let required = false;
  for (const { occur, query } of clauses) {
    if (occur === 'should') continue;
    if (matches(query, document) !== (occur === 'must')) return false;
    if (occur === 'must') required = true;
  }
  return required || clauses.some(({ occur, query }) => occur === 'should' && matches(query, document));
}

function some(terms: FieldTerms, test: (term: string) => boolean): boolean {
  for (const term of terms.keys()) if (test(term)) return true;
  return false;
}

function isInRange(term: string, { lower, upper, includesLower, includesUpper }: RangeQuery): boolean {
  if (lower !== undefined && byCodePoints(term, lower) < (includesLower ? 0 : 1)) return false;
  return upper === undefined || byCodePoints(term, upper) < (includesUpper ? 1 : 0);
}
