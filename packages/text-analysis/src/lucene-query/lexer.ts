import { QuerySyntaxError } from './query-syntax-error.ts';

export type TokenKind =
  | 'and'
  | 'or'
  | 'not'
  | 'plus'
  | 'minus'
  | 'bareOperator'
  | 'open'
  | 'close'
  | 'colon'
  | 'star'
  | 'boost'
  | 'quoted'
  | 'term'
  | 'fuzzy'
  | 'prefix'
  | 'wildcard'
  | 'regexp'
  | 'rangeStart'
  | 'rangeTo'
  | 'rangeEnd'
  | 'rangeQuoted'
  | 'rangeTerm'
  | 'number'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** The offset in the query, from 0. */
  readonly at: number;
}

const START = String.raw`(?:[^ \t\n\r\u3000+\-!():^[\]"{}~*?\\/]|\\[\s\S])`;
const CHARACTER = `(?:${START}|[-+])`;

/** The tokens in the order of Lucene's grammar. The longest match counts, or the first of equally long matches. */
const DEFAULT_TOKENS: readonly (readonly [TokenKind, RegExp])[] = [
  ['and', /AND|&&/y],
  ['or', /OR|\|\|/y],
  ['not', /NOT|!/y],
  ['plus', /\+/y],
  ['minus', /-/y],
  ['bareOperator', /[-+!][ \t\n\r\u3000]/y],
  ['open', /\(/y],
  ['close', /\)/y],
  ['colon', /:/y],
  ['star', /\*/y],
  ['boost', /\^/y],
  ['quoted', /"(?:[^"\\]|\\[\s\S])*"/y],
  ['term', new RegExp(`${START}${CHARACTER}*`, 'y')],
  ['fuzzy', /~(?:\d+(?:\.\d+)?)?/y],
  ['prefix', new RegExp(String.raw`\*|${START}${CHARACTER}*\*`, 'y')],
  ['wildcard', new RegExp(`(?:${START}|[*?])(?:${CHARACTER}|[*?])*`, 'y')],
  ['regexp', /\/(?:\\\/|[^/])*\//y],
  ['rangeStart', /[[{]/y],
];
const RANGE_TOKENS: readonly (readonly [TokenKind, RegExp])[] = [
  ['rangeTo', /TO/y],
  ['rangeEnd', /[\]}]/y],
  ['rangeQuoted', /"(?:\\"|[^"])+"/y],
  ['rangeTerm', /[^ \]}]+/y],
];
const BOOST_TOKENS: readonly (readonly [TokenKind, RegExp])[] = [['number', /\d+(?:\.\d+)?/y]];

const WHITE_SPACE = /[ \t\n\r\u3000]*/y;

/** Returns the tokens of a query. The last token is `end`. Throws a QuerySyntaxError at an invalid character. */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  let rules = DEFAULT_TOKENS;
  for (let at = skipWhiteSpace(query, 0); at < query.length; at = skipWhiteSpace(query, at)) {
    let kind: TokenKind | undefined;
    let end = at;
    for (const [candidate, pattern] of rules) {
      pattern.lastIndex = at;
      if (!pattern.test(query) || pattern.lastIndex <= end) continue;
      kind = candidate;
      end = pattern.lastIndex;
    }
    if (kind === undefined) {
      throw new QuerySyntaxError(`unexpected ${JSON.stringify(query.charAt(at))} at position ${at + 1}`);
    }
    tokens.push({ kind, text: query.slice(at, end), at });
    at = end;
    rules = kind === 'boost' ? BOOST_TOKENS : kind === 'rangeStart' ? RANGE_TOKENS : rules;
    if (kind === 'number' || kind === 'rangeEnd') rules = DEFAULT_TOKENS;
  }
  tokens.push({ kind: 'end', text: '', at: query.length });
  return tokens;
}

function skipWhiteSpace(query: string, at: number): number {
  WHITE_SPACE.lastIndex = at;
  WHITE_SPACE.test(query);
  return WHITE_SPACE.lastIndex;
}
