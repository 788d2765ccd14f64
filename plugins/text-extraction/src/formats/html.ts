import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import type { Extraction } from '../blocks/blocks.ts';
import { decodeText, namedInAscii } from './charset.ts';
import type { FormatReader } from './format.ts';
import { addHtmlPictures } from './html-pictures.ts';
import { Pictures } from './pictures.ts';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** The encoding is named in the head, which can be long. */
const HEAD_BYTES = 65_536;

/** Reads web pages. */
export const readHtml: FormatReader = ({ bytes, charset, budget }, to) => {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1');
  const named = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head)?.[1];
  const { text, encoding } = decodeText(bytes, charset ?? namedInAscii(named));
  to.describe('Content-Encoding', encoding);
  addHtml(text, to, new Pictures(to, budget));
};

/** Adds the blocks, the metadata and the pictures of a page. */
export function addHtml(html: string, to: Extraction, pictures: Pictures): void {
  const { childNodes } = parse(html);
  if (pictures.wanted) addHtmlPictures(childNodes, pictures);
  const page = new HtmlPage(to, pictures);
  page.visitAll(childNodes);
  page.endParagraph();
}

/** Adds the pictures of a page whose text is there in another form. */
export function addPicturesOf(html: string | undefined, pictures: Pictures): void {
  if (html !== undefined && pictures.wanted) addHtmlPictures(parse(html).childNodes, pictures);
}

/** Elements whose text is not shown. */
const HIDDEN = new Set(['script', 'style', 'template', 'noscript', 'head', 'svg', 'object']);
/** Elements that begin and end a paragraph. */
const BLOCKS = new Set(
  'address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form header hr html main nav p section summary ul ol'.split(
    ' ',
  ),
);

/** The names of Tika for what pages say about themselves. */
const META: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    author: ['dc:creator'],
    description: ['dc:description'],
    keywords: ['meta:keyword', 'dc:subject'],
  }),
);

/** Elements that are nested deeper are read as plain text. */
const DEEPEST = 200;

class HtmlPage {
  readonly #to: Extraction;
  readonly #pictures: Pictures;
  #text = '';
  #depth = 0;
  #lists: boolean[] = [];
  #item: { depth: number; ordered: boolean } | undefined;

  constructor(to: Extraction, pictures: Pictures) {
    this.#to = to;
    this.#pictures = pictures;
  }

  visitAll(nodes: readonly Node[]): void {
    for (const node of nodes) this.#visit(node);
  }

  endParagraph(): void {
    const text = this.#text.replace(/[ \t\r\f]*\n[ \t\r\f]*/g, '\n').trim();
    this.#text = '';
    if (this.#item === undefined) this.#to.add({ kind: 'paragraph', text });
    else this.#to.add({ kind: 'item', ...this.#item, text });
  }

  #visit(node: Node): void {
    if (this.#depth > DEEPEST) {
      this.#text += ` ${contentOf(node)} `;
      return;
    }
    this.#depth++;
    this.#visitNode(node);
    this.#depth--;
  }

  #visitNode(node: Node): void {
    if (node.nodeName === '#text') {
      // White space in the source is one blank. A line end of the text is from <br>.
      const text = (node as DefaultTreeAdapterTypes.TextNode).value.replace(/\s+/g, ' ');
      this.#text += /\s$/.test(this.#text) || this.#text === '' ? text.replace(/^ /, '') : text;
      return;
    }
    if (!('tagName' in node)) return;
    const { tagName: name } = node;
    if (name === 'head') this.#head(node);
    if (HIDDEN.has(name)) return;
    if (name === 'br') this.#text += '\n';
    else if (name === 'img') this.#text += attribute(node, 'alt') === undefined ? '' : ` ${attribute(node, 'alt')} `;
    else if (/^h[1-6]$/.test(name)) this.#heading(node, Number(name[1]));
    else if (name === 'iframe') addHtml(attribute(node, 'srcdoc') ?? '', this.#to, this.#pictures);
    else if (name === 'table') this.#table(node);
    else if (name === 'pre') this.#preformatted(node);
    else if (name === 'li') this.#listItem(node);
    else if (BLOCKS.has(name)) this.#block(node);
    else this.visitAll(node.childNodes);
  }

  #block(node: Element): void {
    this.endParagraph();
    const isList = node.tagName === 'ul' || node.tagName === 'ol';
    const outer = this.#item;
    if (isList) this.#lists.push(node.tagName === 'ol');
    this.visitAll(node.childNodes);
    this.endParagraph();
    if (isList) this.#lists.pop();
    this.#item = outer;
  }

  #listItem(node: Element): void {
    this.endParagraph();
    const outer = this.#item;
    this.#item = { depth: Math.max(0, this.#lists.length - 1), ordered: this.#lists.at(-1) ?? false };
    this.visitAll(node.childNodes);
    this.endParagraph();
    this.#item = outer;
  }

  #heading(node: Element, level: number): void {
    this.endParagraph();
    this.#to.add({ kind: 'heading', level, text: contentOf(node) });
  }

  #preformatted(node: Element): void {
    this.endParagraph();
    this.#to.add({ kind: 'lines', text: rawText(node), code: true });
  }

  /** A table with another table inside is a layout: its cells are read as text. */
  #table(node: Element): void {
    this.endParagraph();
    if (elements(node, 'table', 1).length > 0) {
      this.visitAll(node.childNodes);
      this.endParagraph();
      return;
    }
    const rows = elements(node, 'tr').map((row) =>
      row.childNodes
        .filter((cell): cell is Element => cell.nodeName === 'td' || cell.nodeName === 'th')
        .map((cell) => contentOf(cell)),
    );
    for (const caption of elements(node, 'caption')) this.#to.add({ kind: 'paragraph', text: contentOf(caption) });
    if (rows.length > 0) this.#to.add({ kind: 'table', rows });
  }

  #head(node: Element): void {
    for (const title of elements(node, 'title')) this.#to.describe('dc:title', contentOf(title));
    for (const meta of elements(node, 'meta')) {
      const name = attribute(meta, 'name') ?? attribute(meta, 'property') ?? attribute(meta, 'http-equiv');
      if (name === undefined) continue;
      const content = attribute(meta, 'content');
      const key = /^content-type$/i.test(name) ? 'Content-Type-Hint' : name;
      this.#to.describe(key, content);
      for (const known of META.get(name.toLowerCase()) ?? []) this.#to.describe(known, content);
    }
    const base = elements(node, 'base')[0];
    if (base !== undefined) this.#to.describe('Content-Location', attribute(base, 'href'));
  }
}

function attribute(node: Element, name: string): string | undefined {
  return node.attrs.find((one) => one.name === name)?.value;
}

/** Returns the elements with a name inside an element, at most a number of them. */
function elements(node: Element, name: string, most = Number.POSITIVE_INFINITY): Element[] {
  const found: Element[] = [];
  const open: Node[] = [...node.childNodes].reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!('tagName' in next)) continue;
    if (next.tagName === name && found.push(next) >= most) break;
    for (let i = next.childNodes.length - 1; i >= 0; i--) open.push(next.childNodes[i] as Node);
  }
  return found;
}

/** Returns the text of an element in one line. */
function contentOf(node: Node): string {
  return rawText(node).replace(/\s+/g, ' ').trim();
}

function rawText(node: Node): string {
  let text = '';
  const open: Node[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.nodeName === '#text') text += (next as DefaultTreeAdapterTypes.TextNode).value;
    else if (next.nodeName === 'br') text += '\n';
    else if ('tagName' in next && !HIDDEN.has(next.tagName)) {
      if (BLOCKS.has(next.tagName) || next.tagName === 'li') text += ' ';
      for (let i = next.childNodes.length - 1; i >= 0; i--) open.push(next.childNodes[i] as Node);
    }
  }
  return text;
}
