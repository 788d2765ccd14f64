import type { HtmlElement, HtmlNode } from './html-tree.ts';

/** The position of a node. */
export interface Place {
  readonly parent: HtmlElement;
  /** Among the children of the parent. */
  readonly index: number;
  /** How many of the visited nodes are around it. */
  readonly depth: number;
}

/**
 * Visits the content of an element, in document order. Each element is left after its content. Without recursion,
 * because a page may be nested deeper than the stack.
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
