import type { XmlNode } from '../xml-tree.ts';
import { compile } from './compile.ts';
import { parseXPath } from './parser.ts';
import { toText, type XPathType } from './values.ts';

export { XPathError } from './syntax.ts';

/** A compiled expression of XPath 1.0. It keeps nothing from one document to the next. */
export interface XPath {
  /** What it gives. */
  readonly type: XPathType;
  /** The nodes it selects, in document order. Only for the type `nodes`. */
  select(document: XmlNode): readonly XmlNode[];
  /** What it gives as text: of nodes that of the first one. */
  text(document: XmlNode): string;
}

/**
 * Compiles an expression of XPath 1.0, as `javax.xml.xpath` takes it for documents read without regard to namespaces:
 * names are compared as they are written, a prefix in a name test matches nothing, lengths of texts are in UTF-16 units.
 * Variables and functions beyond XPath 1.0 are errors.
 *
 * Own code because there is none that is fast enough: `xpath` and `fontoxpath` take milliseconds for what is a walk over
 * a few hundred nodes.
 *
 * @throws XPathError saying what is wrong and where
 */
export function compileXPath(expression: string): XPath {
  const compiled = compile(parseXPath(expression));
  return {
    type: compiled.type,
    select: (document) => compiled.evaluate(document, 1, 1) as readonly XmlNode[],
    text: (document) => toText(compiled.evaluate(document, 1, 1)),
  };
}
