import type { HtmlElement } from '../html-tree.ts';
import { attributeMatcher } from './attributes.ts';
import { all, any, type Combinator, combined, hasClass, type Matcher } from './matchers.ts';
import { pseudoMatcher } from './pseudo.ts';
import { type CompilePattern, SelectorReader } from './reader.ts';

export { attributeValue } from './attributes.ts';
export { type CompilePattern, type Pattern, SelectorError } from './reader.ts';

const MAX_DEPTH = 50;

/** A compiled selector. */
export interface Selector {
  /** Returns the elements of a document that match, in document order. */
  select(elements: readonly HtmlElement[]): HtmlElement[];
}

/**
 * Compiles a selector in the dialect of jsoup. It is CSS with names, classes and attribute values in any letter case.
 * It also has `:contains`, `:matches`, `:has`, `:eq`, `:lt`, `:gt`, `[^prefix]`, `[name~=regex]` and others. No library
 * is used, because configs are written in jsoup's dialect. Other libraries differ in quotes, letter case and counting.
 * @param compilePattern compiles regular expressions. Those of jsoup are Java's; the default is JavaScript's
 * @throws SelectorError that describes the problem
 */
export function compileSelector(selector: string, compilePattern: CompilePattern = nativePattern): Selector {
  const matcher = parseSelector(selector, compilePattern, 0);
  return {
    select(elements) {
      const root = elements[0] as HtmlElement;
      return elements.filter((element) => matcher(element, root));
    },
  };
}

function nativePattern(pattern: string): RegExp {
  return new RegExp(pattern, 'u');
}

function parseSelector(selector: string, compilePattern: CompilePattern, depth: number): Matcher {
  const reader = new SelectorReader(selector, compilePattern);
  const parseInner = (inner: string) => parseSelector(inner, compilePattern, depth + 1);
  if (depth > MAX_DEPTH) throw reader.error(`more than ${MAX_DEPTH} nested selectors`);
  const alternatives: Matcher[] = [];
  do alternatives.push(parseAlternative(reader, parseInner));
  while (reader.skip(','));
  if (!reader.done) throw reader.error(`"${reader.rest}" has no meaning`);
  return any(alternatives);
}

/** Parses a selector up to the next comma. */
function parseAlternative(reader: SelectorReader, parseInner: (selector: string) => Matcher): Matcher {
  reader.skipSpace();
  // A combinator at the beginning relates to the start element of the search.
  let combinator = parseCombinator(reader);
  let matcher: Matcher | undefined = combinator === undefined ? undefined : (element, root) => element === root;
  for (;;) {
    const compound = parseCompound(reader, parseInner);
    matcher = matcher === undefined ? compound : combined(matcher, combinator as Combinator, compound);
    const space = reader.skipSpace();
    combinator = parseCombinator(reader) ?? (space ? ' ' : undefined);
    if (combinator === undefined || reader.done || reader.next === ',') return matcher;
  }
}

function parseCombinator(reader: SelectorReader): Combinator | undefined {
  const found = reader.take(/[>+~]/) as Combinator | '';
  if (found === '') return undefined;
  reader.skipSpace();
  if (reader.done || reader.next === ',') throw reader.error(`nothing follows "${found}"`);
  return found;
}

/** Parses the conditions on one element. */
function parseCompound(reader: SelectorReader, parseInner: (selector: string) => Matcher): Matcher {
  const matchers: Matcher[] = [];
  for (;;) {
    if (reader.skip('#')) {
      const id = reader.identifier('an id');
      matchers.push((element) => element.attribute('id') === id);
    } else if (reader.skip('.')) matchers.push(hasClass(reader.identifier('the name of a class')));
    else if (reader.skip(':')) matchers.push(pseudoMatcher(reader, parseInner));
    else if (reader.next === '[') matchers.push(attributeMatcher(reader));
    else if (reader.skip('*|')) {
      const name = reader.identifier('the name of an element').toLowerCase();
      matchers.push((element) => nameOf(element) === name || nameOf(element).endsWith(`:${name}`));
    } else if (reader.skip('*')) matchers.push(() => true);
    else if (/[\p{L}\p{Nd}_\\-]/u.test(reader.next))
      matchers.push(named(reader.identifier('the name of an element', '|')));
    else if (matchers.length > 0) return all(matchers);
    else throw reader.error(reader.done ? 'a condition is missing' : `"${reader.rest}" has no meaning`);
  }
}

function named(name: string): Matcher {
  const wanted = name.toLowerCase().replace('|', ':');
  return (element) => element.name === wanted || (element.foreign && nameOf(element) === wanted);
}

function nameOf({ name, foreign }: HtmlElement): string {
  return foreign ? name.toLowerCase() : name;
}
