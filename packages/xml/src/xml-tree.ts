export type XmlNodeKind = 'document' | 'element' | 'attribute' | 'namespace' | 'text' | 'comment' | 'instruction';

/**
 * A node of an XML document. One list contains all nodes in document order (an element before its namespaces,
 * attributes and content), so the content of a node is a range of that list. Most XPath steps walk over such a range.
 */
export class XmlNode {
  readonly kind: XmlNodeKind;
  /** The name as written, with prefix; the target of a processing instruction; the prefix of a namespace. */
  readonly name: string;
  /**
   * The text of an attribute, text node, comment or processing instruction, or the URI of a namespace. Empty for
   * others.
   */
  value: string;
  readonly parent: XmlNode | undefined;
  /** All nodes of the document. */
  readonly nodes: XmlNode[];
  /** The position of this node in `nodes`. */
  readonly at: number;
  /** The position of the first node after this one and its content. */
  end: number;

  /** Appends the node to the document's list. */
  constructor(kind: XmlNodeKind, name: string, value: string, parent: XmlNode | undefined, nodes: XmlNode[]) {
    this.kind = kind;
    this.name = name;
    this.value = value;
    this.parent = parent;
    this.nodes = nodes;
    this.at = nodes.length;
    this.end = this.at + 1;
    nodes.push(this);
  }

  /** Returns the text of the node as XPath defines it. For an element and the document, that is all text inside. */
  get text(): string {
    if (this.kind !== 'element' && this.kind !== 'document') return this.value;
    const { nodes, end } = this;
    let text = '';
    for (let at = this.at + 1; at < end; at++) {
      const node = nodes[at] as XmlNode;
      if (node.kind === 'text') text += node.value;
    }
    return text;
  }
}

/** Returns the value of an element's attribute, or undefined if it does not have the attribute. */
export function attributeOf(element: XmlNode, name: string): string | undefined {
  for (let at = element.at + 1; at < element.end; at++) {
    const node = element.nodes[at] as XmlNode;
    if (node.kind === 'attribute') {
      if (node.name === name) return node.value;
    } else if (node.kind !== 'namespace') return undefined;
  }
  return undefined;
}
