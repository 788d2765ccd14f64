import {
  html,
  Parser,
  type ParserOptions,
  Token,
  TokenizerMode,
  type TreeAdapter,
  type TreeAdapterTypeMap,
} from 'parse5';
import { HTML_NAMESPACE, HtmlElement, HtmlLeaf, type HtmlNode } from '../html-tree.ts';

/** The maximum depth of elements. For each tag the parser checks all open elements, so deeper pages take minutes. */
const MAX_DEPTH = 5_000;

type Tree = TreeAdapterTypeMap<
  HtmlNode,
  HtmlElement,
  HtmlNode,
  HtmlElement,
  HtmlElement,
  HtmlElement,
  HtmlLeaf,
  HtmlLeaf,
  HtmlElement,
  HtmlLeaf
>;

/**
 * Parses HTML as browsers do, even if it is invalid. Returns the document, which always has an element html. This
 * module loads the parser, so import it only when a page is parsed.
 * @param markup whether the page will be written again, so that attributes without a value are recorded
 * @throws Error if the elements are nested too deep
 */
export function parseHtml(text: string, markup: boolean): HtmlElement {
  const treeAdapter = new TreeBuilder(text);
  const parser = new SelfClosingParser({ treeAdapter, scriptingEnabled: false, sourceCodeLocationInfo: markup });
  parser.tokenizer.write(text, true);
  return parser.document;
}

/** A parser in which a slash at the end of any tag closes the element, as in XML and jsoup. */
class SelfClosingParser extends Parser<Tree> {
  readonly #builder: TreeBuilder;

  constructor(options: ParserOptions<Tree> & { treeAdapter: TreeBuilder }) {
    super(options);
    this.#builder = options.treeAdapter;
  }

  override onStartTag(token: Token.TagToken): void {
    super.onStartTag(token);
    if (!token.selfClosing) return;
    const { created } = this.#builder;
    if (created?.name === token.tagName) created.selfClosing = true;
    if (token.ackSelfClosing) return;
    this.tokenizer.state = TokenizerMode.DATA;
    this.onEndTag({ ...token, type: Token.TokenType.END_TAG, selfClosing: false, attrs: [] });
  }
}

/** Builds the tree from the events of the parser. Follows jsoup where jsoup differs from the standard. */
class TreeBuilder implements TreeAdapter<Tree> {
  readonly #source: string;
  /** The element that was created last. */
  created: HtmlElement | undefined;
  /** The innermost open element. */
  #current: HtmlElement | undefined;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  createDocument(): HtmlElement {
    return new HtmlElement('#root', HTML_NAMESPACE, []);
  }

  createDocumentFragment(): HtmlElement {
    return new HtmlElement('#fragment', HTML_NAMESPACE, []);
  }

  createElement(name: string, namespace: html.NS, attributes: Token.Attribute[]): HtmlElement {
    this.created = new HtmlElement(name, namespace, attributes);
    return this.created;
  }

  createCommentNode(data: string): HtmlLeaf {
    return new HtmlLeaf('comment', data);
  }

  createTextNode(value: string): HtmlLeaf {
    return new HtmlLeaf('text', value);
  }

  appendChild(parent: HtmlElement, node: HtmlNode): void {
    parent.children.push(node);
    node.parent = parent;
  }

  insertBefore(parent: HtmlElement, node: HtmlNode, reference: HtmlNode): void {
    parent.children.splice(parent.children.indexOf(reference), 0, node);
    node.parent = parent;
  }

  /** Does nothing, because the content of a template counts as normal content. */
  setTemplateContent(): void {}

  getTemplateContent(template: HtmlElement): HtmlElement {
    return template;
  }

  setDocumentType(document: HtmlElement, name: string, publicId: string, systemId: string): void {
    const keyword = publicId === '' ? 'SYSTEM' : 'PUBLIC';
    const ids = [publicId, systemId].filter((id) => id !== '').map((id) => ` "${id}"`);
    const value = ids.length === 0 ? name : `${name} ${keyword}${ids.join('')}`;
    this.appendChild(document, new HtmlLeaf('doctype', value));
  }

  setDocumentMode(): void {}

  getDocumentMode(): html.DOCUMENT_MODE {
    return html.DOCUMENT_MODE.NO_QUIRKS;
  }

  detachNode(node: HtmlNode): void {
    const siblings = node.parent?.children;
    siblings?.splice(siblings.indexOf(node), 1);
    node.parent = undefined;
  }

  insertText(parent: HtmlElement, text: string): void {
    const last = parent.children.at(-1);
    if (isText(last)) last.value += text;
    else {
      // Scripts and style sheets have no text.
      const data = parent.name === 'script' || parent.name === 'style';
      this.appendChild(parent, new HtmlLeaf(data ? 'data' : 'text', text));
    }
  }

  /** Keeps text between the parts of a table in its place. The standard moves it before the table. */
  insertTextBefore(parent: HtmlElement, text: string): void {
    this.insertText(this.#current ?? parent, text);
  }

  adoptAttributes(element: HtmlElement, attributes: Token.Attribute[]): void {
    for (const attribute of attributes) {
      if (element.attribute(attribute.name) === undefined) element.attributes.push(attribute);
    }
  }

  onItemPush(element: HtmlElement): void {
    this.#current = element;
    if (++this.#depth > MAX_DEPTH) throw new Error(`the elements of the page are nested more than ${MAX_DEPTH} deep`);
  }

  onItemPop(_element: HtmlElement, current: HtmlElement): void {
    this.#current = current;
    this.#depth--;
  }

  getFirstChild({ children }: HtmlElement): HtmlNode | null {
    return children[0] ?? null;
  }

  getChildNodes({ children }: HtmlElement): HtmlNode[] {
    return children;
  }

  getParentNode({ parent }: HtmlNode): HtmlElement | null {
    return parent ?? null;
  }

  getAttrList({ attributes }: HtmlElement): Token.Attribute[] {
    return attributes;
  }

  getTagName({ name }: HtmlElement): string {
    return name;
  }

  getNamespaceURI({ namespace }: HtmlElement): html.NS {
    return namespace as html.NS;
  }

  getTextNodeContent({ value }: HtmlLeaf): string {
    return value;
  }

  getCommentNodeContent({ value }: HtmlLeaf): string {
    return value;
  }

  getDocumentTypeNodeName({ value }: HtmlLeaf): string {
    return value;
  }

  getDocumentTypeNodePublicId(): string {
    return '';
  }

  getDocumentTypeNodeSystemId(): string {
    return '';
  }

  isTextNode(node: HtmlNode): node is HtmlLeaf {
    return isText(node);
  }

  isCommentNode(node: HtmlNode): node is HtmlLeaf {
    return node.kind === 'comment';
  }

  isDocumentTypeNode(node: HtmlNode): node is HtmlLeaf {
    return node.kind === 'doctype';
  }

  isElementNode(node: HtmlNode): node is HtmlElement {
    return node.kind === 'element';
  }

  /** Records which attributes of an element have no value in the source. The parser calls it only on request. */
  setNodeSourceCodeLocation(node: HtmlNode | undefined, location: Token.ElementLocation | null): void {
    // The parser has no position for a text that stays in its table.
    if (node?.kind !== 'element' || location?.attrs === undefined) return;
    const places = location.attrs;
    const bare = node.attributes.filter(({ name, value }) => {
      const place = value === '' ? places[name] : undefined;
      return place !== undefined && !this.#source.slice(place.startOffset, place.endOffset).includes('=');
    });
    if (bare.length > 0) node.withoutValue = new Set(bare.map(({ name }) => name));
  }

  getNodeSourceCodeLocation(): undefined {}

  updateNodeSourceCodeLocation(): void {}
}

function isText(node: HtmlNode | undefined): node is HtmlLeaf {
  return node?.kind === 'text' || node?.kind === 'data';
}
