import type { HtmlElement, HtmlLeaf, HtmlNode } from './html-tree.ts';
import { keepsSpace, tagOf } from './tags.ts';
import { traverse } from './traverse.ts';
import { trim } from './trim.ts';

/**
 * Returns the text of an element as jsoup does. A run of white space (including no-break spaces) becomes one space, and
 * so do block boundaries and line breaks. In elements such as pre, white space is kept. Scripts and style sheets have
 * no text.
 */
export function elementText(root: HtmlElement): string {
  const text = new NormalisedText();
  traverse(
    root,
    (node, { parent }) => {
      if (node.kind === 'text') {
        if (keepsSpace(parent)) text.addAsItIs(node.value);
        else text.add(node.value);
      } else if (node.kind === 'element' && (tagOf(node).block || node.name === 'br')) text.separate();
    },
    (element, { parent, index }) => {
      if (tagOf(element).block && startsInline(parent.children[index + 1])) text.separate();
    },
  );
  return text.finish();
}

/** Returns whether a node after a block continues on the same line of the text. */
function startsInline(node: HtmlNode | undefined): boolean {
  if (node === undefined) return false;
  return node.kind === 'element' ? !tagOf(node).formatAsBlock : node.kind === 'text';
}

/** Returns the text of an element without that of its child elements; line breaks are spaces. */
export function ownText({ children }: HtmlElement): string {
  const text = new NormalisedText();
  for (const child of children) {
    if (child.kind === 'text') {
      if (keepsSpace(child.parent)) text.addAsItIs(child.value);
      else text.add(child.value);
    } else if (child.kind === 'element' && child.name === 'br') text.separate();
  }
  return text.finish();
}

/** Returns the text of an element as written in the source; line breaks are line feeds. */
export function wholeText(root: HtmlElement): string {
  let text = '';
  traverse(root, (node) => {
    if (node.kind === 'text') text += node.value;
    else if (node.kind === 'element' && node.name === 'br') text += '\n';
  });
  return text;
}

/** Returns the whole text of an element without its child elements. */
export function wholeOwnText({ children }: HtmlElement): string {
  let text = '';
  for (const child of children) {
    if (child.kind === 'text') text += child.value;
    else if (child.kind === 'element' && child.name === 'br') text += '\n';
  }
  return text;
}

/** Returns the content of scripts, style sheets and comments. */
export function dataOf(root: HtmlElement): string {
  let data = '';
  traverse(root, (node) => {
    if (node.kind === 'data' || node.kind === 'comment') data += node.value;
  });
  return data;
}

/** Replaces each run of white space by one space, and removes invisible characters. */
function normaliseSpace(value: string, stripLeading: boolean): string {
  const text = isPlain(value) ? value : value.replace(INVISIBLE, '').replace(SPACE, ' ');
  return stripLeading && text.startsWith(' ') ? text.slice(1) : text;
}

const SPACE = /[ \t\n\f\r\u00a0]+/g;
const INVISIBLE = /[\u00ad\u200b]/g;

/** Returns whether a text needs no change. This is true for most texts, and the check is faster than replacing. */
function isPlain(text: string): boolean {
  let before = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || (code === 32 && before === 32) || code === 0xa0 || code === 0xad || code === 0x200b) return false;
    before = code;
  }
  return true;
}

class NormalisedText {
  #text = '';

  add(value: string): void {
    this.#text += normaliseSpace(value, this.#endsInSpace());
  }

  addAsItIs(value: string): void {
    this.#text += value;
  }

  separate(): void {
    if (this.#text !== '' && !this.#endsInSpace()) this.#text += ' ';
  }

  finish(): string {
    return trim(this.#text);
  }

  #endsInSpace(): boolean {
    return this.#text.charCodeAt(this.#text.length - 1) === 32;
  }
}

/** Returns whether a text is white space, without no-break spaces. */
export function isBlank({ value }: HtmlLeaf): boolean {
  return !/[^ \t\n\f\r]/.test(value);
}
