import type { RegexpNode } from './regexp-syntax.ts';

/** A parsed query, without boosts, because only the match matters. */
export type Query =
  | { readonly type: 'all' }
  | { readonly type: 'term'; readonly field: string; readonly term: string }
  | { readonly type: 'phrase'; readonly field: string; readonly terms: readonly string[]; readonly slop: number }
  | { readonly type: 'prefix'; readonly field: string; readonly prefix: string }
  | { readonly type: 'wildcard'; readonly field: string; readonly pattern: readonly WildcardStep[] }
  | { readonly type: 'fuzzy'; readonly field: string; readonly term: string; readonly edits: number }
  | { readonly type: 'regexp'; readonly field: string; readonly node: RegexpNode }
  | RangeQuery
  | { readonly type: 'boolean'; readonly clauses: readonly Clause[] };

/** The terms between two others. An undefined end is open. */
export interface RangeQuery {
  readonly type: 'range';
  readonly field: string;
  readonly lower: string | undefined;
  readonly upper: string | undefined;
  readonly includesLower: boolean;
  readonly includesUpper: boolean;
}

export interface Clause {
  readonly occur: 'must' | 'should' | 'not';
  readonly query: Query;
}

/** A literal character, one arbitrary character, or any number of arbitrary characters. */
export type WildcardStep = string | 'ANY' | 'ANY_MANY';

/** Returns the fields of a query. */
export function fieldsOf(query: Query): Set<string> {
  if (query.type === 'all') return new Set();
  if (query.type !== 'boolean') return new Set([query.field]);
  return new Set(query.clauses.flatMap((clause) => [...fieldsOf(clause.query)]));
}
