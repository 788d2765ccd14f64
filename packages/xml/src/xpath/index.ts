import type { XmlNode } from '../xml-tree.ts';
import { compile } from './compile.ts';
import { parseXPath } from './parser.ts';
import { toText, type XPathType } from './values.ts';

export { XPathError } from './syntax.ts';

/** A compiled expression of XPath 1.0. It has no state between documents. */
export interface XPath {
  /** The type of its result. */
  readonly type: XPathType;
  /** The nodes it selects, in document order. Only for the type `nodes`. */
  select(document: XmlNode): readonly XmlNode[];
  /** Its result as text; for nodes the text of the first one. */
  text(document: XmlNode): string;
}

/**
 * Compiles an expression of XPath 1.0, as `javax.xml.xpath` evaluates it for documents that are read without
 * namespaces: names are compared as written, a prefix in a name test matches nothing, lengths of texts are in UTF-16
 * units. Variables and functions beyond XPath 1.0 are errors.
 * No library is fast enough: `xpath` and `fontoxpath` take milliseconds for a walk over a few hundred nodes.
 * @throws XPathError that describes the problem and its position
 */
export function compileXPath(expression: string): XPath {
  const compiled = compile(parseXPath(expression));
  return {
    type: compiled.type,
    select: (document) => compiled.evaluate(document, 1, 1) as readonly XmlNode[],
    text: (document) => toText(compiled.evaluate(document, 1, 1)),
  };
}
