import { HtmlElement, type HtmlNode } from './html-tree.ts';

/** Returns the document and all elements in it, in document order. */
export function elementsOf(document: HtmlElement): HtmlElement[] {
  const elements: HtmlElement[] = [];
  const stack: HtmlNode[] = [document];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!(node instanceof HtmlElement)) continue;
    elements.push(node);
    for (let i = node.children.length - 1; i >= 0; i--) stack.push(node.children[i] as HtmlNode);
  }
  return elements;
}
