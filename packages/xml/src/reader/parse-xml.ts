import { declaredEntities } from '../dtd-entities.ts';
import { XmlNode } from '../xml-tree.ts';
import { type XmlAttribute, XmlTags } from './xml-tags.ts';

/**
 * Parses an XML document, which must be well-formed. A declared encoding is ignored, because the text is already
 * decoded. No other file is read: references to external and undeclared entities are errors. Names are used as written,
 * without namespaces. The parser is written here because documents are many and small: a library that reports events
 * character by character takes five times as long as this parser, which jumps from tag to tag. A test compares it with
 * saxes.
 * @throws SyntaxError that describes the problem, with line and column
 */
export function parseXml(text: string): XmlNode {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return new XmlParser(source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source).parse();
}

const EXCLAMATION_MARK = 33;
const SLASH = 47;
const QUESTION_MARK = 63;

class XmlParser {
  readonly #text: string;
  /** False if no text needs a search for this. One search in the whole document is faster than many. */
  readonly #hasReferences: boolean;
  readonly #hasSectionEnds: boolean;
  readonly #tags: XmlTags;
  readonly #nodes: XmlNode[] = [];
  readonly #document: XmlNode;
  #parent: XmlNode;
  /** The text node that continues with the next text. */
  #lastText: XmlNode | undefined;
  #doctypeSeen = false;
  #rootSeen = false;

  constructor(text: string) {
    this.#text = text;
    this.#hasReferences = text.includes('&');
    this.#hasSectionEnds = text.includes(']]>');
    this.#tags = new XmlTags(text);
    this.#document = new XmlNode('document', '', '', undefined, this.#nodes);
    this.#parent = this.#document;
  }

  parse(): XmlNode {
    const text = this.#text;
    const tags = this.#tags;
    tags.checkCharacters();
    let at = tags.afterDeclaration();
    while (at < text.length) {
      const tag = text.indexOf('<', at);
      if (tag !== at) this.#addRun(at, tag < 0 ? text.length : tag);
      if (tag < 0) break;
      at = this.#markup(tag);
    }
    if (this.#parent !== this.#document) throw tags.error(`the text ends inside <${this.#parent.name}>`, text.length);
    if (!this.#rootSeen) throw tags.error('there is no root element', text.length);
    this.#document.end = this.#nodes.length;
    return this.#document;
  }

  /** Reads a construct that begins with `<`, and returns the offset after it. */
  #markup(at: number): number {
    switch (this.#text.charCodeAt(at + 1)) {
      case SLASH:
        return this.#endTag(at);
      case QUESTION_MARK:
        return this.#instruction(at);
      case EXCLAMATION_MARK:
        return this.#declaration(at);
      default:
        return this.#startTag(at);
    }
  }

  #startTag(at: number): number {
    const tags = this.#tags;
    const nodes = this.#nodes;
    if (this.#parent === this.#document && this.#rootSeen) throw tags.error('there is more than one root element', at);
    this.#rootSeen = true;
    this.#lastText = undefined;
    const { name, attributes, empty, end } = tags.startTag(at);
    const element = new XmlNode('element', name, '', this.#parent, nodes);
    if (attributes.length > 0) addAttributes(element, attributes);
    if (empty) element.end = nodes.length;
    else this.#parent = element;
    return end;
  }

  #endTag(at: number): number {
    const tags = this.#tags;
    const parent = this.#parent;
    const { name, end } = tags.endTag(at, parent.name);
    if (parent === this.#document) throw tags.error(`</${name}> closes nothing`, at);
    if (name !== parent.name) throw tags.error(`</${name}> closes nothing: <${parent.name}> is open`, at);
    this.#lastText = undefined;
    parent.end = this.#nodes.length;
    this.#parent = parent.parent as XmlNode;
    return end;
  }

  #instruction(at: number): number {
    const tags = this.#tags;
    const nameEnd = tags.nameEnd(at + 2, 'the name of a processing instruction');
    const name = this.#text.slice(at + 2, nameEnd);
    if (name.toLowerCase() === 'xml') throw tags.error('an XML declaration can only be at the beginning', at);
    const end = tags.find('?>', nameEnd, at, 'a processing instruction');
    const body = this.#text.slice(nameEnd, end);
    if (body !== '' && !/^[ \t\n]/.test(body))
      throw tags.error('white space is missing in a processing instruction', at);
    this.#lastText = undefined;
    new XmlNode('instruction', name, body.replace(/^[ \t\n]+/, ''), this.#parent, this.#nodes);
    return end + 2;
  }

  #declaration(at: number): number {
    const text = this.#text;
    const tags = this.#tags;
    if (text.startsWith('<!--', at)) {
      const end = tags.find('--', at + 4, at, 'a comment');
      if (text[end + 2] !== '>') throw tags.error('"--" is not allowed in a comment', end);
      this.#lastText = undefined;
      new XmlNode('comment', '', text.slice(at + 4, end), this.#parent, this.#nodes);
      return end + 3;
    }
    if (text.startsWith('<![CDATA[', at)) {
      if (this.#parent === this.#document) throw tags.error('there is text outside the root element', at);
      const end = tags.find(']]>', at + 9, at, 'a CDATA section');
      this.#addText(text.slice(at + 9, end));
      return end + 3;
    }
    if (!text.startsWith('<!DOCTYPE', at))
      throw tags.error('"<!" must begin a comment, a CDATA section or the document type', at);
    if (this.#rootSeen || this.#doctypeSeen)
      throw tags.error('the document type must be before the root element, once', at);
    this.#doctypeSeen = true;
    const end = tags.doctypeEnd(at + 9);
    const doctype = text.slice(at + 9, end);
    if (doctype.includes('<!ENTITY')) tags.entities = declaredEntities(doctype);
    return end + 1;
  }

  #addRun(from: number, to: number): void {
    const tags = this.#tags;
    const run = this.#text.slice(from, to);
    if (this.#parent === this.#document) {
      if (/[^ \t\n]/.test(run)) throw tags.error('there is text outside the root element', from);
      return;
    }
    if (this.#hasSectionEnds && run.includes(']]>')) throw tags.error('"]]>" is not allowed in text', from);
    this.#addText(this.#hasReferences ? tags.resolved(run, from) : run);
  }

  /** Adds text. All text between two other nodes is one text node, including CDATA sections. */
  #addText(value: string): void {
    if (this.#lastText !== undefined) this.#lastText.value += value;
    else if (value !== '') this.#lastText = new XmlNode('text', '', value, this.#parent, this.#nodes);
  }
}

/**
 * Adds the nodes of a tag's attributes. Declarations of namespaces are not attributes for XPath, even if namespaces do
 * not count. The order of attributes has no meaning; they are sorted by name, as in Java.
 */
function addAttributes(element: XmlNode, unsorted: readonly XmlAttribute[]): void {
  const attributes = unsorted.toSorted((left, right) => (left.name < right.name ? -1 : 1));
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
