import { analyze, lowerCase } from './analysis.ts';
import { withoutEscapes } from './escapes.ts';
import { type Token, type TokenKind, tokensOf } from './lexer.ts';
import type { Clause, Query } from './query.ts';
import { QuerySyntaxError } from './query-syntax-error.ts';
import { parseRegexp } from './regexp-syntax.ts';
import { parseWildcard } from './wildcard.ts';

const MAX_EDITS = 2;
const MAX_DEPTH = 200;

/** A query without terms after the analysis. It matches nothing. */
const MATCHES_NOTHING: Query = { type: 'boolean', clauses: [] };

/**
 * Parses a query in the syntax of Lucene's classic query parser with the default operator OR. There is no precedence:
 * AND makes the clauses on both sides required.
 * @param defaultField the field of terms without a field
 * @throws QuerySyntaxError if it is invalid
 */
export function parseQuery(text: string, defaultField: string): Query {
  return new QueryParser(tokensOf(text), defaultField).query();
}

class QueryParser {
  readonly #tokens: readonly Token[];
  readonly #defaultField: string;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], defaultField: string) {
    this.#tokens = tokens;
    this.#defaultField = defaultField;
  }

  query(): Query {
    const query = this.#clauses(this.#defaultField);
    this.#take('end');
    return query ?? MATCHES_NOTHING;
  }

  /** Parses clauses up to a closing bracket or the end. Returns undefined if no clause is left. */
  #clauses(field: string): Query | undefined {
    if (++this.#depth > MAX_DEPTH) throw new QuerySyntaxError(`more than ${MAX_DEPTH} brackets inside each other`);
    const clauses: Clause[] = [];
    let alone: Query | undefined;
    for (let isFirst = true; isFirst || !['close', 'end'].includes(this.#token.kind); isFirst = false) {
      const isAnd = !isFirst && this.#conjunction() === 'and';
      const modifier = this.#modifier();
      const query = this.#clause(field);
      if (isFirst && modifier === 'none') alone = query;
      const last = clauses.at(-1);
      if (isAnd && last !== undefined && last.occur !== 'not') clauses[clauses.length - 1] = { ...last, occur: 'must' };
      if (query === undefined) continue;
      const occur = modifier === 'not' ? 'not' : modifier === 'must' || isAnd ? 'must' : 'should';
      clauses.push({ occur, query });
    }
    this.#depth--;
    if (clauses.length === 1 && alone !== undefined) return alone;
    return clauses.length === 0 ? undefined : { type: 'boolean', clauses };
  }

  #conjunction(): 'and' | 'or' | undefined {
    const { kind } = this.#token;
    if (kind !== 'and' && kind !== 'or') return undefined;
    this.#at++;
    return kind;
  }

  #modifier(): 'must' | 'not' | 'none' {
    const { kind } = this.#token;
    if (kind === 'plus') {
      this.#at++;
      return 'must';
    }
    if (kind !== 'minus' && kind !== 'not') return 'none';
    this.#at++;
    return 'not';
  }

  #clause(outer: string): Query | undefined {
    let field = outer;
    const next = this.#tokens[this.#at + 1];
    if (next?.kind === 'colon' && (this.#token.kind === 'term' || this.#token.kind === 'star')) {
      field = this.#token.kind === 'star' ? '*' : withoutEscapes(this.#token.text);
      this.#at += 2;
    }
    if (this.#token.kind !== 'open') return this.#term(field);
    this.#at++;
    const query = this.#clauses(field);
    this.#take('close');
    this.#boost();
    return query;
  }

  #term(field: string): Query | undefined {
    const { kind, text } = this.#token;
    this.#at++;
    switch (kind) {
      case 'term':
      case 'bareOperator':
      case 'number': {
        const similarity = this.#suffixes();
        if (similarity !== undefined) return fuzzyQuery(field, withoutEscapes(text), similarity);
        return fieldQuery(field, withoutEscapes(kind === 'bareOperator' ? text.charAt(0) : text));
      }
      case 'star':
      case 'prefix':
      case 'wildcard':
        this.#suffixes();
        if (field === '*' && text === '*') return { type: 'all' };
        if (/^[*?]/.test(text)) {
          throw new QuerySyntaxError(`"${text}" begins with * or ?: a term must begin with another character`);
        }
        if (kind === 'prefix') return { type: 'prefix', field, prefix: lowerCase(withoutEscapes(text.slice(0, -1))) };
        return { type: 'wildcard', field, pattern: parseWildcard(lowerCase(text)) };
      case 'regexp':
        this.#suffixes();
        return { type: 'regexp', field, node: parseRegexp(lowerCasePattern(text.slice(1, -1))) };
      case 'quoted': {
        const slop = this.#suffixes();
        return phraseQuery(field, withoutEscapes(text.slice(1, -1)), Math.trunc(Number(slop ?? 0)));
      }
      case 'rangeStart':
        return this.#range(field, text === '[');
      default:
        this.#at--;
        throw this.#unexpected('a term');
    }
  }

  #range(field: string, includesLower: boolean): Query {
    const lower = this.#rangeEnd();
    if (this.#token.kind === 'rangeTo') this.#at++;
    const upper = this.#rangeEnd();
    const end = this.#take('rangeEnd');
    this.#boost();
    return { type: 'range', field, lower, upper, includesLower, includesUpper: end.text === ']' };
  }

  /** Parses one end of a range. Returns undefined if it is open. */
  #rangeEnd(): string | undefined {
    const { kind, text } = this.#token;
    if (kind !== 'rangeTerm' && kind !== 'rangeQuoted') throw this.#unexpected('an end of a range');
    this.#at++;
    if (kind === 'rangeTerm' && text === '*') return undefined;
    return lowerCase(withoutEscapes(kind === 'rangeQuoted' ? text.slice(1, -1) : text));
  }

  /** Parses `~` with an optional number, before or after a boost. Returns the number, an empty text, or undefined. */
  #suffixes(): string | undefined {
    let fuzzy = this.#fuzzy();
    if (this.#boost() && fuzzy === undefined) fuzzy = this.#fuzzy();
    else if (fuzzy !== undefined) this.#boost();
    return fuzzy;
  }

  #fuzzy(): string | undefined {
    if (this.#token.kind !== 'fuzzy') return undefined;
    const number = this.#token.text.slice(1);
    this.#at++;
    return number;
  }

  #boost(): boolean {
    if (this.#token.kind !== 'boost') return false;
    this.#at++;
    this.#take('number');
    return true;
  }

  get #token(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #take(kind: TokenKind): Token {
    const token = this.#token;
    if (token.kind !== kind) throw this.#unexpected(EXPECTED[kind] ?? kind);
    this.#at++;
    return token;
  }

  #unexpected(expected: string): QuerySyntaxError {
    const { kind, text, at } = this.#token;
    const found = kind === 'end' ? 'the query ends' : `"${text}" is`;
    return new QuerySyntaxError(`${found} at position ${at + 1}, where ${expected} is expected`);
  }
}

const EXPECTED: Readonly<Partial<Record<TokenKind, string>>> = {
  close: 'a closing bracket',
  end: 'another clause or the end',
  number: 'a number',
  rangeEnd: '] or }',
};

/** Returns a query for any of the terms of a text. */
function fieldQuery(field: string, text: string): Query | undefined {
  const terms = analyze(text);
  if (terms.length < 2) return terms[0] === undefined ? undefined : { type: 'term', field, term: terms[0] };
  return { type: 'boolean', clauses: terms.map((term) => ({ occur: 'should', query: { type: 'term', field, term } })) };
}

function phraseQuery(field: string, text: string, slop: number): Query | undefined {
  const terms = analyze(text);
  return terms.length < 2 ? fieldQuery(field, text) : { type: 'phrase', field, terms, slop };
}

/**
 * @param similarity the number of edits, or below 1 the part that must be equal; empty for the maximum number of edits
 */
function fuzzyQuery(field: string, text: string, similarity: string): Query {
  const term = lowerCase(text);
  const number = similarity === '' ? MAX_EDITS : Number(similarity);
  if (number >= 1 && !Number.isInteger(number)) {
    throw new QuerySyntaxError(`${text}~${similarity}: edits are a whole number`);
  }
  const edits = number >= 1 ? number : number === 0 ? 0 : Math.trunc((1 - number) * Array.from(term).length);
  return { type: 'fuzzy', field, term, edits: Math.min(edits, MAX_EDITS) };
}

/** Returns a regular expression in lower case, except the letters of classes such as `\\D`. */
function lowerCasePattern(pattern: string): string {
  return pattern.replace(/\\?[\s\S]/gu, (character) =>
    /^\\[DWS]$/.test(character) ? character : lowerCase(character),
  );
}
