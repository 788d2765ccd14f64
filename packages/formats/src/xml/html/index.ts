export { elementsOf } from './elements.ts';
export { HtmlElement, HtmlLeaf, type HtmlNode } from './html-tree.ts';
export { innerMarkup, outerMarkup } from './markup.ts';
export {
  attributeValue,
  type CompilePattern,
  compileSelector,
  type Pattern,
  type Selector,
  SelectorError,
} from './selector/index.ts';
export { elementText } from './text.ts';
