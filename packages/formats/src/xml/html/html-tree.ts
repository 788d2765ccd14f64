/** A node of an HTML document. */
export type HtmlNode = HtmlElement | HtmlLeaf;

/** A text, the content of a script or style sheet, a comment, or a document type. */
export class HtmlLeaf {
  readonly kind: 'text' | 'data' | 'comment' | 'doctype';
  value: string;
  parent: HtmlElement | undefined;

  constructor(kind: HtmlLeaf['kind'], value: string) {
    this.kind = kind;
    this.value = value;
    this.parent = undefined;
  }
}

export const HTML_NAMESPACE = 'http://www.w3.org/1999/xhtml';

export interface HtmlAttribute {
  readonly name: string;
  readonly value: string;
}

/** An element, or the document, whose name is `#root`. */
export class HtmlElement {
  readonly kind = 'element';
  /** The name, in lower case unless the element is foreign. */
  readonly name: string;
  readonly namespace: string;
  /** True for an element of an embedded picture (SVG) or formula (MathML). */
  readonly foreign: boolean;
  readonly attributes: HtmlAttribute[];
  readonly children: HtmlNode[] = [];
  parent: HtmlElement | undefined;
  /** The names of attributes without a value in the source. Recorded only on request. */
  withoutValue: ReadonlySet<string> | undefined;
  /** True if the start tag ends in a slash. */
  selfClosing = false;

  constructor(name: string, namespace: string, attributes: HtmlAttribute[]) {
    this.name = name;
    this.namespace = namespace;
    this.foreign = namespace !== HTML_NAMESPACE;
    this.attributes = attributes;
    this.parent = undefined;
    this.withoutValue = undefined;
  }

  /** Returns the value of an attribute, or undefined if it does not have the attribute. */
  attribute(name: string): string | undefined {
    for (const attribute of this.attributes) if (attribute.name === name) return attribute.value;
    return undefined;
  }
}
