import type { XmlNode } from '../xml-tree.ts';
import { compile } from './compile.ts';
import { parseXPath } from './parser.ts';
import { toText, type XPathType } from './values.ts';

export { XPathError } from './syntax.ts';

/** A compiled XPath 1.0 expression. It has no state between documents. */
export interface XPath {
  /** The type of the result. */
  readonly type: XPathType;
  /** The prefixes that no namespace has. Names with them match nothing. */
  readonly unbound: readonly string[];
  /** Returns the selected nodes in document order. Only for the type `nodes`. */
  select(document: XmlNode): readonly XmlNode[];
  /** Returns the result as text. For nodes, this is the text of the first node. */
  text(document: XmlNode): string;
}

/**
 * Compiles an XPath 1.0 expression. The results equal those of `javax.xml.xpath` on documents that are read without
 * namespaces. Names without a prefix are compared as written. A prefix means a namespace of `namespaces`. Text lengths are in UTF-16 units.
 * Variables and functions beyond XPath 1.0 are errors. No library is fast enough: `xpath` and `fontoxpath` take
 * milliseconds for a walk over a few hundred nodes.
 * @throws XPathError that describes the problem and its position
 */
export function compileXPath(expression: string, namespaces: ReadonlyMap<string, string> = new Map()): XPath {
  const { syntax, unbound } = parseXPath(expression, namespaces);
  const compiled = compile(syntax);
  return {
    type: compiled.type,
    unbound,
    select: (document) => compiled.evaluate(document, 1, 1) as readonly XmlNode[],
    text: (document) => toText(compiled.evaluate(document, 1, 1)),
  };
}
