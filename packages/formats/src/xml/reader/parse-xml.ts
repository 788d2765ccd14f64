import { declaredEntities } from '../dtd-entities.ts';
import { standsAt, XmlNames } from '../xml-names.ts';
import {
  ATTRIBUTE,
  COMMENT,
  DOCUMENT,
  ELEMENT,
  INSTRUCTION,
  NAMESPACE,
  TEXT,
  type XmlNode,
  XmlTree,
} from '../xml-tree.ts';
import { type XmlAttribute, XmlTags } from './xml-tags.ts';

/** Parses one XML document, as `XmlReader` does. */
export function parseXml(text: string): XmlNode {
  return new XmlReader().read(text);
}

/**
 * Parses XML documents, which must be well-formed. A declared encoding is ignored, because the text is already decoded.
 * No other file is read: references to external and undeclared entities are errors. Names are used as written, without
 * namespaces. The parser is written here because documents are many and small: a library that reports events character
 * by character takes five times as long. This parser jumps from tag to tag, and creates no text that is not used. A test
 * compares it with saxes.
 */
export class XmlReader {
  readonly #names = new XmlNames();
  #memory: Int32Array = new Int32Array();

  /**
   * Parses a document. Its nodes are valid until the next document is read.
   * @throws SyntaxError that describes the problem, with line and column
   */
  read(text: string): XmlNode {
    const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    const lines = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source;
    this.#names.start();
    const tree = new XmlTree(lines, this.#names, this.#memory);
    try {
      new XmlParser(lines, tree, this.#names).parse();
    } finally {
      if (tree.memory.length <= MAX_MEMORY) this.#memory = tree.memory;
    }
    return tree.node(0);
  }
}

/** Larger memory is not kept for the next document. */
const MAX_MEMORY = 1_000_000;
const EXCLAMATION_MARK = 33;
const SLASH = 47;
const GREATER = 62;
const QUESTION_MARK = 63;
/** The position of the document among the nodes. */
const ROOT = 0;
const NO_NAME = 0;

class XmlParser {
  readonly #text: string;
  readonly #tree: XmlTree;
  readonly #names: XmlNames;
  readonly #tags: XmlTags;
  #parent = ROOT;
  /** The text node that continues with the next text, or -1. */
  #lastText = -1;
  #doctypeSeen = false;
  #rootSeen = false;

  constructor(text: string, tree: XmlTree, names: XmlNames) {
    this.#text = text;
    this.#tree = tree;
    this.#names = names;
    this.#tags = new XmlTags(text, names);
  }

  parse(): void {
    const text = this.#text;
    const tags = this.#tags;
    const tree = this.#tree;
    tree.add(DOCUMENT, NO_NAME, -1);
    let at = tags.afterDeclaration();
    while (at < text.length) {
      const tag = tags.textEnd(at);
      if (tag !== at) this.#addRun(at, tag);
      if (tag === text.length) break;
      at = this.#markup(tag);
    }
    if (this.#parent !== ROOT) throw tags.error(`the text ends inside <${tree.nameAt(this.#parent)}>`, text.length);
    if (!this.#rootSeen) throw tags.error('there is no root element', text.length);
    tree.close(ROOT);
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
    const tree = this.#tree;
    if (this.#parent === ROOT && this.#rootSeen) throw tags.error('there is more than one root element', at);
    this.#rootSeen = true;
    this.#lastText = -1;
    const name = tags.name(at + 1, 'the name of an element');
    const { nameEnd } = tags;
    const element = tree.add(ELEMENT, name, this.#parent);
    if (this.#text.charCodeAt(nameEnd) === GREATER) {
      this.#parent = element;
      return nameEnd + 1;
    }
    const attributes: XmlAttribute[] = [];
    const end = tags.attributes(nameEnd, at, attributes);
    if (attributes.length > 0) this.#addAttributes(element, attributes);
    if (this.#text.charCodeAt(end) !== SLASH) {
      this.#parent = element;
      return end + 1;
    }
    tree.close(element);
    return end + 2;
  }

  /**
   * Adds the nodes of a tag's attributes. Declarations of namespaces are not attributes for XPath, even if namespaces
   * do not count. The order of attributes has no meaning; they are sorted by name, as in Java.
   */
  #addAttributes(element: number, attributes: XmlAttribute[]): void {
    const tree = this.#tree;
    const { list } = this.#names;
    const nameOf = ({ name }: XmlAttribute) => list[name] as string;
    if (attributes.length > 1) attributes.sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
    const add = (kind: number, name: number, { from, to, value }: XmlAttribute) => {
      const at = tree.add(kind, name, element, from, to);
      if (value !== undefined) tree.setValue(at, value);
    };
    for (const attribute of attributes) {
      const name = nameOf(attribute);
      if (declaresNamespace(name)) add(NAMESPACE, this.#names.numberOf(name.slice(6)), attribute);
    }
    for (const attribute of attributes) {
      if (!declaresNamespace(nameOf(attribute))) add(ATTRIBUTE, attribute.name, attribute);
    }
  }

  #endTag(at: number): number {
    const tags = this.#tags;
    const tree = this.#tree;
    const text = this.#text;
    const parent = this.#parent;
    const expected = tree.nameAt(parent);
    let end = at + 2 + expected.length;
    if (text.charCodeAt(end) !== GREATER || parent === ROOT || !standsAt(text, at + 2, expected)) {
      end = tags.endTag(at);
      const name = text.slice(at + 2, tags.nameEnd);
      if (parent === ROOT) throw tags.error(`</${name}> closes nothing`, at);
      if (name !== expected) throw tags.error(`</${name}> closes nothing: <${expected}> is open`, at);
    }
    this.#lastText = -1;
    tree.close(parent);
    this.#parent = tree.parentAt(parent);
    return end + 1;
  }

  #instruction(at: number): number {
    const tags = this.#tags;
    const number = tags.name(at + 2, 'the name of a processing instruction');
    const { nameEnd } = tags;
    const name = this.#text.slice(at + 2, nameEnd);
    if (name.toLowerCase() === 'xml') throw tags.error('an XML declaration can only be at the beginning', at);
    const end = tags.find('?>', nameEnd, at, 'a processing instruction');
    const from = tags.skipSpace(nameEnd);
    if (from === nameEnd && from !== end) throw tags.error('white space is missing in a processing instruction', at);
    this.#lastText = -1;
    this.#tree.add(INSTRUCTION, number, this.#parent, from, end);
    return end + 2;
  }

  #declaration(at: number): number {
    const text = this.#text;
    const tags = this.#tags;
    if (text.startsWith('<!--', at)) {
      const end = tags.find('--', at + 4, at, 'a comment');
      if (text[end + 2] !== '>') throw tags.error('"--" is not allowed in a comment', end);
      this.#lastText = -1;
      this.#tree.add(COMMENT, NO_NAME, this.#parent, at + 4, end);
      return end + 3;
    }
    if (text.startsWith('<![CDATA[', at)) {
      if (this.#parent === ROOT) throw tags.error('there is text outside the root element', at);
      const end = tags.find(']]>', at + 9, at, 'a CDATA section');
      this.#addText(at + 9, end);
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
    const { hasReferences, hasSectionEnd } = tags;
    if (this.#parent === ROOT) {
      if (tags.skipSpace(from) < to) throw tags.error('there is text outside the root element', from);
      return;
    }
    if (hasSectionEnd) throw tags.error('"]]>" is not allowed in text', from);
    if (hasReferences) this.#addText(from, to, tags.resolved(this.#text.slice(from, to), from));
    else this.#addText(from, to);
  }

  /**
   * Adds text. All text between two other nodes is one text node, including CDATA sections.
   * @param value the text if it is not the range of the source
   */
  #addText(from: number, to: number, value?: string): void {
    const tree = this.#tree;
    const last = this.#lastText;
    if (last >= 0) tree.setValue(last, tree.valueAt(last) + (value ?? this.#text.slice(from, to)));
    else if (from !== to && value !== '') {
      this.#lastText = tree.add(TEXT, NO_NAME, this.#parent, from, to);
      if (value !== undefined) tree.setValue(this.#lastText, value);
    }
  }
}

function declaresNamespace(name: string): boolean {
  return name.startsWith('xmlns') && (name.length === 5 || name[5] === ':');
}
