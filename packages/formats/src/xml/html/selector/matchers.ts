import { HtmlElement, type HtmlNode } from '../html-tree.ts';

/** Returns whether an element is selected. `root` is the start element of the search. */
export type Matcher = (element: HtmlElement, root: HtmlElement) => boolean;

/** The combinator between two parts of a selector. */
export type Combinator = ' ' | '>' | '+' | '~';

export function all(matchers: readonly Matcher[]): Matcher {
  const [first, second, ...more] = matchers as [Matcher, ...Matcher[]];
  if (second === undefined) return first;
  if (more.length === 0) return (element, root) => first(element, root) && second(element, root);
  return (element, root) => matchers.every((matcher) => matcher(element, root));
}

export function any(matchers: readonly Matcher[]): Matcher {
  return matchers.length === 1
    ? (matchers[0] as Matcher)
    : (element, root) => matchers.some((matcher) => matcher(element, root));
}

/** Returns a matcher for elements that match the right side and have this relation to a match of the left side. */
export function combined(left: Matcher, combinator: Combinator, right: Matcher): Matcher {
  const around = AROUND[combinator](left);
  return (element, root) => right(element, root) && around(element, root);
}

const AROUND: Readonly<Record<Combinator, (left: Matcher) => Matcher>> = {
  ' ': (left) => (element, root) => {
    for (let at = element; at !== root && at.parent !== undefined; ) {
      at = at.parent;
      if (left(at, root)) return true;
    }
    return false;
  },
  '>': (left) => (element, root) => element !== root && element.parent !== undefined && left(element.parent, root),
  '+': (left) => (element, root) => {
    const before = element === root ? undefined : siblingBefore(element);
    return before !== undefined && left(before, root);
  },
  '~': (left) => (element, root) => {
    if (element === root || element.parent === undefined) return false;
    for (const sibling of element.parent.children) {
      if (sibling === element) return false;
      if (sibling.kind === 'element' && left(sibling, root)) return true;
    }
    return false;
  },
};

function siblingBefore(element: HtmlElement): HtmlElement | undefined {
  let before: HtmlElement | undefined;
  for (const sibling of element.parent?.children ?? []) {
    if (sibling === element) return before;
    if (sibling.kind === 'element') before = sibling;
  }
  return undefined;
}

/** Returns a matcher for elements that contain a match. A selector in `:has` may begin at the element itself. */
export function has(inner: Matcher): Matcher {
  return (element) => {
    const stack: HtmlNode[] = [...element.children];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node.kind !== 'element') continue;
      if (inner(node, element)) return true;
      for (const child of node.children) stack.push(child);
    }
    return false;
  };
}

export function hasClass(name: string): Matcher {
  const wanted = name.toLowerCase();
  return (element) => {
    const value = element.attribute('class');
    if (value === undefined || value.length < wanted.length) return false;
    if (value === name) return true;
    const lower = value.toLowerCase();
    for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + 1)) {
      if (isSpace(lower, at - 1) && isSpace(lower, at + wanted.length)) return true;
    }
    return false;
  };
}

/** Returns whether the character at a position is white space, or the text ends. */
function isSpace(text: string, at: number): boolean {
  return at < 0 || at >= text.length || text.charCodeAt(at) <= 32;
}

/** The position of an element among its siblings, counted from 0 at the start and from 1 at the end. */
export interface Position {
  readonly index: number;
  readonly fromEnd: number;
}

const positions = new WeakMap<HtmlElement, { all: Map<HtmlElement, Position>; byName: Map<HtmlElement, Position> }>();

/**
 * Returns the position of an element among the elements of its parent, or those of its name. Computed once for all
 * siblings.
 */
export function positionOf(element: HtmlElement, amongItsName: boolean): Position {
  const parent = element.parent as HtmlElement;
  let known = positions.get(parent);
  if (known === undefined) {
    const siblings = parent.children.filter((child) => child instanceof HtmlElement);
    const names = Map.groupBy(siblings, ({ name }) => name);
    known = { all: numbered([siblings]), byName: numbered([...names.values()]) };
    positions.set(parent, known);
  }
  return (amongItsName ? known.byName : known.all).get(element) as Position;
}

function numbered(lists: readonly (readonly HtmlElement[])[]): Map<HtmlElement, Position> {
  const found = new Map<HtmlElement, Position>();
  for (const list of lists) {
    for (const [index, element] of list.entries()) found.set(element, { index, fromEnd: list.length - index });
  }
  return found;
}
