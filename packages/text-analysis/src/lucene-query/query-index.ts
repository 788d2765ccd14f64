import { type DocumentTerms, matches } from './evaluate.ts';
import type { Query } from './query.ts';

/** A field and a term. A document must have at least one of them to match a query. */
type Needed = readonly { readonly field: string; readonly term: string }[];

/**
 * An index of many queries, which evaluates only those that could match a document. A query is stored under terms of
 * which the document must have at least one. Queries without such terms, such as wildcards, are evaluated for every
 * document.
 */
export class QueryIndex {
  readonly #queries: readonly Query[];
  /** The numbers of queries by field and term. */
  readonly #filed = new Map<string, Map<string, number[]>>();
  readonly #always: number[] = [];

  constructor(queries: readonly Query[]) {
    this.#queries = queries;
    for (const [number, query] of queries.entries()) this.#file(query, number);
  }

  /** Returns the numbers of the queries that match a document, ascending. */
  matching(document: DocumentTerms): number[] {
    const candidates = new Set(this.#always);
    for (const [field, terms] of document) {
      const byTerm = this.#filed.get(field);
      if (byTerm === undefined) continue;
      const [smaller, larger] = byTerm.size < terms.size ? [byTerm, terms] : [terms, byTerm];
      for (const term of smaller.keys()) {
        if (!larger.has(term)) continue;
        for (const number of byTerm.get(term) ?? []) candidates.add(number);
      }
    }
    return [...candidates].sort((a, b) => a - b).filter((number) => matches(this.#queries[number] as Query, document));
  }

  #file(query: Query, number: number): void {
    const needed = neededTerms(query);
    if (needed === undefined) this.#always.push(number);
    for (const { field, term } of needed ?? []) {
      let byTerm = this.#filed.get(field);
      if (byTerm === undefined) {
        byTerm = new Map();
        this.#filed.set(field, byTerm);
      }
      const numbers = byTerm.get(term);
      if (numbers === undefined) byTerm.set(term, [number]);
      else if (numbers.at(-1) !== number) numbers.push(number);
    }
  }
}

/** Returns terms of which a match must have one. Undefined means any document may match, and empty means none. */
function neededTerms(query: Query): Needed | undefined {
  switch (query.type) {
    case 'term':
      return [query];
    case 'phrase':
      // The longest term is usually the rarest.
      return [{ field: query.field, term: query.terms.reduce((a, b) => (b.length > a.length ? b : a)) }];
    case 'boolean': {
      const required = query.clauses.filter(({ occur }) => occur === 'must').map((clause) => neededTerms(clause.query));
      if (required.length > 0) {
        return required.reduce((a, b) => (a === undefined || (b !== undefined && b.length < a.length) ? b : a));
      }
      const any = query.clauses.filter(({ occur }) => occur === 'should').map((clause) => neededTerms(clause.query));
      return any.every((needed) => needed !== undefined) ? any.flat() : undefined;
    }
    default:
      return undefined;
  }
}
