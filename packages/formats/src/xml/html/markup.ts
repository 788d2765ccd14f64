import type { HtmlElement, HtmlLeaf, HtmlNode } from './html-tree.ts';
import { keepsSpace, tagOf } from './tags.ts';
import { isBlank } from './text.ts';
import { traverse } from './traverse.ts';
import { trim } from './trim.ts';

const MAX_INDENT = 30;

/** Returns the markup of an element's content, formatted as jsoup does. */
export function innerMarkup(element: HtmlElement): string {
  const writer = new MarkupWriter();
  for (let i = 0; i < element.children.length; i++) writer.node(element, i);
  return trim(writer.out);
}

/** Returns the markup of an element, formatted as jsoup does. */
export function outerMarkup(element: HtmlElement): string {
  const parent = element.parent as HtmlElement;
  const writer = new MarkupWriter();
  writer.node(parent, parent.children.indexOf(element));
  return writer.out;
}

class MarkupWriter {
  out = '';

  /** Writes a child of an element. */
  node(parent: HtmlElement, index: number): void {
    const node = parent.children[index] as HtmlNode;
    this.#head(node, parent, index, 0);
    if (node.kind !== 'element') return;
    traverse(
      node,
      (child, place) => this.#head(child, place.parent, place.index, place.depth + 1),
      (child, place) => this.#tail(child, place.parent, place.depth + 1),
    );
    this.#tail(node, parent, 0);
  }

  #head(node: HtmlNode, parent: HtmlElement, index: number, depth: number): void {
    if (node.kind === 'element') this.#startTag(node, parent, index, depth);
    else if (node.kind === 'text') this.#text(node, parent, index, depth);
    else if (node.kind === 'data') this.out += node.value;
    else if (node.kind === 'doctype') {
      if (index > 0) this.out += '\n';
      this.out += `<!doctype ${node.value}>`;
    } else {
      if (isFirst(parent, index) && tagOf(parent).formatAsBlock) this.#indent(depth);
      this.out += `<!--${node.value}-->`;
    }
  }

  #startTag(element: HtmlElement, parent: HtmlElement, index: number, depth: number): void {
    if (indents(element, parent, index) && this.out !== '') this.#indent(depth);
    this.out += `<${element.name}`;
    for (const { name, value } of element.attributes) {
      this.out += ` ${name}`;
      const bare =
        value === ''
          ? isBoolean(name) || element.withoutValue?.has(name) === true
          : isBoolean(name) && value.toLowerCase() === name;
      if (!bare) this.out += `="${escapeValue(value)}"`;
    }
    const { empty, known } = tagOf(element);
    this.out += element.selfClosing && !known && !empty && element.children.length === 0 ? ' />' : '>';
  }

  #tail(element: HtmlElement, parent: HtmlElement, depth: number): void {
    const { empty, known, formatAsBlock } = tagOf(element);
    const { length } = element.children;
    if (length === 0 && (empty || (element.selfClosing && !known))) return;
    if (length > 0 && formatAsBlock && !keepsSpace(parent)) this.#indent(depth);
    this.out += `</${element.name}>`;
  }

  #text(text: HtmlLeaf, parent: HtmlElement, index: number, depth: number): void {
    if (keepsSpace(parent)) {
      this.out += escapeText(text.value);
      return;
    }
    const { block, formatAsBlock } = tagOf(parent);
    const trims = block || formatAsBlock;
    const before = parent.children[index - 1];
    const after = parent.children[index + 1];
    const blank = isBlank(text);
    if (blank && canBeLeftOut(parent, index)) return;
    if ((before === undefined && formatAsBlock && !blank) || isBreak(before)) this.#indent(depth);
    let value = text.value.replace(/[ \t\n\f\r]+/g, ' ');
    if (trims && index === 0 && value.startsWith(' ')) value = value.slice(1);
    if (trims && after === undefined && value.endsWith(' ')) value = value.slice(0, -1);
    this.out += escapeText(value);
  }

  #indent(depth: number): void {
    this.out += `\n${' '.repeat(Math.min(depth, MAX_INDENT))}`;
  }
}

/** Returns whether the element begins a new line. */
function indents(element: HtmlElement, parent: HtmlElement, index: number): boolean {
  const { block } = tagOf(element);
  if (!block && !tagOf(parent).formatAsBlock) return false;
  const inlineable = !block && tagOf(parent).block && !isFirst(parent, index) && element.name !== 'br';
  return !inlineable && !keepsSpace(parent);
}

/** Returns whether only white space is before the node in its parent. */
function isFirst({ children }: HtmlElement, index: number): boolean {
  const [first] = children;
  return index === 0 || (index === 1 && first?.kind === 'text' && isBlank(first));
}

/** Returns whether white space at this position has no effect, because a new line begins after it. */
function canBeLeftOut(parent: HtmlElement, index: number): boolean {
  const before = parent.children[index - 1];
  const after = parent.children[index + 1];
  if (after?.kind === 'element' && indents(after, parent, index + 1)) return true;
  if (after?.kind === 'text' && isBlank(after)) return true;
  return before?.kind === 'element' && (tagOf(before).block || isBreak(before));
}

function isBreak(node: HtmlNode | undefined): boolean {
  return node?.kind === 'element' && node.name === 'br';
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\u00a0': '&nbsp;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>\u00a0]/g, (char) => ESCAPES[char] as string);
}

function escapeValue(value: string): string {
  return value.replace(/[&"\u00a0]/g, (char) => ESCAPES[char] as string);
}

const BOOLEAN = new Set(
  'allowfullscreen async autofocus checked compact declare default defer disabled formnovalidate hidden inert ismap itemscope multiple muted nohref noresize noshade novalidate nowrap open readonly required reversed seamless selected sortable truespeed typemustmatch'.split(
    ' ',
  ),
);

function isBoolean(name: string): boolean {
  return BOOLEAN.has(name);
}
