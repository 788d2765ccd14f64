import type { HtmlElement } from '../html-tree.ts';
import { dataOf, elementText, isBlank, ownText, wholeOwnText, wholeText } from '../text.ts';
import { trim } from '../trim.ts';
import { has, type Matcher, positionOf } from './matchers.ts';
import type { SelectorReader } from './reader.ts';

/** Returns the matcher of `:name`, with or without an argument in parentheses. */
export function pseudoMatcher(reader: SelectorReader, parse: (selector: string) => Matcher): Matcher {
  const name = reader.identifier('the name of a pseudo-class').toLowerCase();
  const simple = Object.hasOwn(SIMPLE, name) ? SIMPLE[name] : undefined;
  if (simple !== undefined) return simple;
  const argument = () => reader.balanced('(', ')', `:${name}`);
  const text = Object.hasOwn(TEXTS, name) ? TEXTS[name] : undefined;
  if (text !== undefined) {
    const pattern = argument();
    if (pattern === '') throw reader.error(`:${name} needs a text`);
    return text(pattern, reader);
  }
  const nth = /^nth-(last-)?(child|of-type)$/.exec(name);
  if (nth !== null) return nthMatcher(reader, argument(), nth[1] !== undefined, nth[2] === 'of-type');
  switch (name) {
    case 'has':
      return has(parse(argument()));
    case 'is':
      return parse(argument());
    case 'not': {
      const inner = parse(argument());
      return (element, root) => !inner(element, root);
    }
    case 'eq':
    case 'lt':
    case 'gt': {
      const given = trim(argument());
      if (!/^\d+$/.test(given)) throw reader.error(`:${name} needs a number`);
      const index = Number(given);
      if (name === 'eq') return (element) => indexOf(element) === index;
      return name === 'lt'
        ? (element, root) => element !== root && indexOf(element) < index
        : (element) => indexOf(element) > index;
    }
  }
  throw reader.error(`:${name} is not known`);
}

/** Returns whether the parent of an element is not the document. Only such elements have siblings. */
function isChild({ parent }: HtmlElement): boolean {
  return parent !== undefined && parent.parent !== undefined;
}

function indexOf(element: HtmlElement): number {
  return element.parent === undefined ? 0 : positionOf(element, false).index;
}

function isFirst(element: HtmlElement, amongItsName: boolean): boolean {
  return isChild(element) && positionOf(element, amongItsName).index === 0;
}

function isLast(element: HtmlElement, amongItsName: boolean): boolean {
  return isChild(element) && positionOf(element, amongItsName).fromEnd === 1;
}

const SIMPLE: Readonly<Record<string, Matcher>> = {
  'first-child': (element) => isFirst(element, false),
  'last-child': (element) => isLast(element, false),
  'first-of-type': (element) => isFirst(element, true),
  'last-of-type': (element) => isLast(element, true),
  'only-child': (element) => isFirst(element, false) && isLast(element, false),
  'only-of-type': (element) => isFirst(element, true) && isLast(element, true),
  empty: ({ children }) =>
    children.every((child) => child.kind === 'comment' || (child.kind === 'text' && isBlank(child))),
  root: ({ parent }) => parent !== undefined && parent.parent === undefined,
};

/**
 * The conditions on the text of an element. A search for a part of the text ignores letter case.
 */
const TEXTS: Readonly<Record<string, (pattern: string, reader: SelectorReader) => Matcher>> = {
  contains: (pattern) => containing(pattern, elementText),
  containsown: (pattern) => containing(pattern, ownText),
  containsdata: (pattern) => {
    const wanted = unescaped(pattern).toLowerCase();
    return (element) => dataOf(element).toLowerCase().includes(wanted);
  },
  containswholetext: (pattern) => {
    const wanted = unescaped(pattern);
    return (element) => wholeText(element).includes(wanted);
  },
  containswholeowntext: (pattern) => {
    const wanted = unescaped(pattern);
    return (element) => wholeOwnText(element).includes(wanted);
  },
  matches: (pattern, reader) => matching(reader, pattern, elementText),
  matchesown: (pattern, reader) => matching(reader, pattern, ownText),
  matcheswholetext: (pattern, reader) => matching(reader, pattern, wholeText),
  matcheswholeowntext: (pattern, reader) => matching(reader, pattern, wholeOwnText),
};

function containing(pattern: string, textOf: (element: HtmlElement) => string): Matcher {
  const wanted = unescaped(pattern)
    .replace(/[ \t\n\f\r\u00a0]+/g, ' ')
    .toLowerCase();
  return (element) => textOf(element).toLowerCase().includes(wanted);
}

function matching(reader: SelectorReader, pattern: string, textOf: (element: HtmlElement) => string): Matcher {
  const regex = reader.pattern(pattern);
  return (element) => regex.test(textOf(element));
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gsu, '$1');
}

/** Returns a matcher for `odd`, `even`, `3`, `2n`, `-n+3` …, counted from 1, from the beginning or the end. */
function nthMatcher(reader: SelectorReader, argument: string, fromEnd: boolean, ofType: boolean): Matcher {
  const text = trim(argument).toLowerCase();
  let step = 0;
  let offset: number;
  const formula = /^([+-]?)(\d*)n(?:\s*(?:([+-])\s*)?(\d+))?$/.exec(text);
  if (text === 'odd' || text === 'even') {
    step = 2;
    offset = text === 'odd' ? 1 : 0;
  } else if (formula !== null) {
    const [, sign, digits, offsetSign, offsetDigits] = formula;
    step = Number(`${sign}${digits === '' ? 1 : digits}`);
    offset = offsetDigits === undefined ? 0 : Number(`${offsetSign ?? ''}${offsetDigits}`);
  } else if (/^[+-]?\d+$/.test(text)) offset = Number(text);
  else throw reader.error(`"${argument}" is not a formula such as 2n+1`);
  return (element) => {
    if (!isChild(element)) return false;
    const position = positionOf(element, ofType);
    const distance = (fromEnd ? position.fromEnd : position.index + 1) - offset;
    return step === 0 ? distance === 0 : distance * step >= 0 && distance % step === 0;
  };
}
