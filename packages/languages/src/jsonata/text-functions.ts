import { type Item, numberOf, Sequence } from './items.ts';
import type { Match, Regex, Regexes } from './regexes.ts';
import type { Compile, Evaluate } from './scope.ts';
import { leave, type Syntax } from './syntax.ts';
import type { JsonObject, Value } from './values.ts';

/** The search pattern: a text or a regular expression. */
type Pattern = string | Regex;

interface TextFunction {
  readonly least: number;
  readonly most: number;
  apply(text: string, pattern: Pattern, more: readonly Item[]): Item;
}

/** Compiles a call of a function that searches for a text or a regular expression. Returns undefined for others. */
export function compileTextCall(
  name: string,
  args: readonly Syntax[],
  compile: Compile,
  regexes: Regexes,
): Evaluate | undefined {
  if (!Object.hasOwn(FUNCTIONS, name)) return undefined;
  const { least, most, apply } = FUNCTIONS[name] as TextFunction;
  const [text, pattern, ...more] = args;
  if (text === undefined || pattern === undefined || args.length < least || args.length > most) return leave();
  const evaluateText = compile(text);
  const regex = regexOf(pattern, regexes);
  const evaluatePattern = regex === undefined ? compile(pattern) : undefined;
  const evaluateMore = more.map((arg) => compile(arg));
  return (input, scope) => {
    const found = evaluateText(input, scope);
    const wanted = regex ?? (evaluatePattern as Evaluate)(input, scope);
    const rest = evaluateMore.map((evaluate) => evaluate(input, scope));
    if (found === undefined) return undefined;
    if (typeof found !== 'string' || !(wanted === regex || typeof wanted === 'string')) return leave();
    return apply(found, wanted as Pattern, rest);
  };
}

/** Returns the pattern of a regular expression that is written in the call. */
function regexOf({ type, value, predicate, group, keepArray }: Syntax, regexes: Regexes): Regex | undefined {
  if (type !== 'regex') return undefined;
  if (predicate !== undefined || group !== undefined || keepArray === true) leave();
  return regexes.of(value as RegExp);
}

const FUNCTIONS: Readonly<Record<string, TextFunction>> = {
  contains: {
    least: 2,
    most: 2,
    apply: (text, pattern) => (typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text)),
  },
  split: {
    least: 2,
    most: 3,
    apply: (text, pattern, [most]) => {
      const limit = limitOf(most);
      if (typeof pattern === 'string') return text.split(pattern, limit);
      const parts: Value[] = [];
      if (limit === 0) return parts;
      let from = 0;
      for (const { index: start, end } of matchesOf(pattern, text, limit)) {
        parts.push(text.slice(from, start));
        from = end;
      }
      if (limit === undefined || parts.length < limit) parts.push(text.slice(from));
      return parts;
    },
  },
  match: {
    least: 2,
    most: 3,
    apply: (text, pattern, [most]) => {
      if (typeof pattern === 'string') leave();
      const found = new Sequence();
      for (const { text: match, index: start, groups } of matchesOf(pattern as Regex, text, limitOf(most))) {
        const object: JsonObject = new Map<string, Value>([
          ['match', match],
          ['index', start],
        ]);
        object.set(
          'groups',
          groups.slice(1).map((group) => group ?? leave()),
        );
        found.push(object);
      }
      return found;
    },
  },
  replace: {
    least: 3,
    most: 4,
    apply: (text, pattern, [replacement, most]) => {
      const limit = limitOf(most);
      if (typeof replacement !== 'string' || pattern === '') return leave();
      let result = '';
      let from = 0;
      if (typeof pattern === 'string') {
        let count = 0;
        for (let at = text.indexOf(pattern); at >= 0 && count !== limit; at = text.indexOf(pattern, from)) {
          result += text.slice(from, at) + replacement;
          from = at + pattern.length;
          count++;
        }
      } else {
        for (const match of matchesOf(pattern, text, limit)) {
          result += text.slice(from, match.index) + substituted(replacement, match);
          from = match.end;
        }
      }
      return result + text.slice(from);
    },
  },
};

function limitOf(item: Item): number | undefined {
  if (item === undefined) return undefined;
  const limit = numberOf(item) ?? leave();
  return Number.isInteger(limit) && limit >= 0 && limit < 2 ** 32 ? limit : leave();
}

/** Returns the matches of a pattern, up to a limit. An empty match is an error, unless it is the first. */
function* matchesOf(regex: Regex, text: string, limit = Number.POSITIVE_INFINITY): Generator<Match> {
  let match = limit > 0 ? regex.find(text) : undefined;
  for (let count = 1; match !== undefined; count++) {
    yield match;
    const { end } = match;
    // The library searches for the next match before it checks the limit.
    match = end < text.length ? regex.find(text, end) : undefined;
    if (match?.text === '') leave();
    if (count >= limit) return;
  }
}

/** Returns the replacement of a match: `$0` is the match, `$1` its first group, `$$` a dollar sign. */
function substituted(replacement: string, { text, groups }: Match): string {
  if (!replacement.includes('$')) return replacement;
  const count = groups.length - 1;
  let result = '';
  let at = 0;
  for (let dollar = replacement.indexOf('$'); dollar >= 0; dollar = replacement.indexOf('$', at)) {
    result += replacement.slice(at, dollar);
    at = dollar + 1;
    if (replacement[at] === '$') {
      result += '$';
      at++;
      continue;
    }
    if (replacement[at] === '0') {
      result += text;
      at++;
      continue;
    }
    // Uses as many digits as the number of groups has, or fewer if there is no such group.
    const most = count === 0 ? 1 : String(count).length;
    let digits = /^\d*/.exec(replacement.slice(at, at + most))?.[0] ?? '';
    if (digits.length > 1 && Number(digits) > count) digits = digits.slice(0, -1);
    if (digits === '') result += '$';
    else result += groups[Number(digits)] ?? '';
    at += digits.length;
  }
  return result + replacement.slice(at);
}
