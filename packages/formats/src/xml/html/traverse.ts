import type { HtmlElement, HtmlNode } from './html-tree.ts';

/** The position of a node. */
export interface Place {
  readonly parent: HtmlElement;
  /** The index among the children of the parent. */
  readonly index: number;
  /** The number of visited elements around the node. */
  readonly depth: number;
}

/**
 * Visits the content of an element in document order, and leaves each element after its content. It is not recursive,
 * because a page may be nested deeper than the stack allows.
 */
export function traverse(
  root: HtmlElement,
  enter: (node: HtmlNode, place: Place) => void,
  leave?: (element: HtmlElement, place: Place) => void,
): void {
  const open: { element: HtmlElement; place: Place; next: number }[] = [];
  let element = root;
  let index = 0;
  let place: Place | undefined;
  for (;;) {
    const child = element.children[index];
    if (child === undefined) {
      const outer = open.pop();
      if (outer === undefined) return;
      leave?.(element, place as Place);
      ({ element, next: index } = outer);
      place = outer.place;
      continue;
    }
    const here: Place = { parent: element, index, depth: open.length };
    enter(child, here);
    index++;
    if (child.kind === 'element') {
      open.push({ element, place: place as Place, next: index });
      element = child;
      place = here;
      index = 0;
    }
  }
}
