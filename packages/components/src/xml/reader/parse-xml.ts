import { SaxesParser } from 'saxes';
import { declaredEntities } from '../dtd-entities.ts';
import { XmlNode } from '../xml-tree.ts';

/**
 * Reads an XML document. It must be well-formed; an encoding that it declares means nothing, since this is text already.
 * Nothing outside of it is read: references to external entities, as to undeclared ones, are errors. Names are taken as
 * they are written: namespaces do not count.
 *
 * This module loads the parser: who checks parameters imports it only when it is needed.
 *
 * @throws Error saying what is wrong, with line and column
 */
export function parseXml(text: string): XmlNode {
  const nodes: XmlNode[] = [];
  const document = new XmlNode('document', '', '', undefined, nodes);
  let parent = document;
  let lastText: XmlNode | undefined;
  const parser = new SaxesParser();
  const addText = (value: string) => {
    if (parent === document) return;
    // A text node is all text between two other nodes, CDATA sections included.
    if (lastText !== undefined) lastText.value += value;
    else if (value !== '') lastText = new XmlNode('text', '', value, parent, nodes);
  };
  parser.on('doctype', (doctype) => {
    if (doctype.includes('<!ENTITY')) parser.ENTITIES = declaredEntities(doctype);
  });
  let attributes: Attribute[] = [];
  parser.on('attribute', (attribute) => void attributes.push(attribute));
  parser.on('opentag', ({ name }) => {
    lastText = undefined;
    parent = new XmlNode('element', name, '', parent, nodes);
    if (attributes.length === 0) return;
    addAttributes(parent, attributes);
    attributes = [];
  });
  parser.on('closetag', () => {
    lastText = undefined;
    parent.end = nodes.length;
    parent = parent.parent as XmlNode;
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('comment', (value) => {
    lastText = undefined;
    new XmlNode('comment', '', value, parent, nodes);
  });
  parser.on('processinginstruction', ({ target, body }) => {
    lastText = undefined;
    new XmlNode('instruction', target, body, parent, nodes);
  });
  parser.write(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text).close();
  document.end = nodes.length;
  return document;
}

interface Attribute {
  readonly name: string;
  readonly value: string;
}

/**
 * Adds the nodes of a tag's attributes. Declarations of namespaces are no attributes for XPath, even where namespaces do
 * not count. Attributes have no order of their own; they are sorted by name, as in Java.
 */
function addAttributes(element: XmlNode, attributes: Attribute[]): void {
  if (attributes.length > 1) attributes.sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const { name, value } of attributes) {
    if (declaresNamespace(name)) new XmlNode('namespace', name.slice(6), value, element, element.nodes);
  }
  for (const { name, value } of attributes) {
    if (!declaresNamespace(name)) new XmlNode('attribute', name, value, element, element.nodes);
  }
}

function declaresNamespace(name: string): boolean {
  return name.startsWith('xmlns') && (name.length === 5 || name[5] === ':');
}
