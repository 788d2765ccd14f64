import type { XmlNames } from './xml-names.ts';

export const DOCUMENT = 0;
export const ELEMENT = 1;
export const ATTRIBUTE = 2;
export const NAMESPACE = 3;
export const TEXT = 4;
export const COMMENT = 5;
export const INSTRUCTION = 6;
const KINDS = ['document', 'element', 'attribute', 'namespace', 'text', 'comment', 'instruction'] as const;

export type XmlNodeKind = (typeof KINDS)[number];

/** The numbers of a node: its kind, its parent, the node after its content, its name, and the range of its value. */
const WIDTH = 6;
const PARENT = 1;
const END = 2;
const NAME = 3;
const FROM = 4;
const TO = 5;
/** The start of a value that is not a range of the source. Its end then is the position in the list of such values. */
const RESOLVED = -1;

/**
 * The nodes of an XML document, in document order (an element before its namespaces, attributes and content), so the
 * content of a node is a range of nodes. Most XPath steps walk over such a range. A node is only some numbers, and
 * values are ranges of the source, because most expressions use few of the nodes.
 */
export class XmlTree {
  /** The number of nodes. */
  count = 0;
  readonly #source: string;
  readonly #names: XmlNames;
  #numbers: Int32Array;
  readonly #resolved: string[] = [];

  /** @param memory the memory for the nodes, if it suffices */
  constructor(source: string, names: XmlNames, memory: Int32Array) {
    this.#source = source;
    this.#names = names;
    this.#numbers = memory;
  }

  /** The memory of the nodes. */
  get memory(): Int32Array {
    return this.#numbers;
  }

  /** Appends a node with a range of the source as its value, and returns its position. */
  add(kind: number, name: number, parent: number, from = 0, to = from): number {
    const at = this.count++;
    const start = at * WIDTH;
    if (start === this.#numbers.length) this.#grow();
    const numbers = this.#numbers;
    numbers[start] = kind;
    numbers[start + PARENT] = parent;
    numbers[start + END] = at + 1;
    numbers[start + NAME] = name;
    numbers[start + FROM] = from;
    numbers[start + TO] = to;
    return at;
  }

  /** Sets a value that is not a range of the source. */
  setValue(at: number, value: string): void {
    const start = at * WIDTH;
    this.#numbers[start + FROM] = RESOLVED;
    this.#numbers[start + TO] = this.#resolved.push(value) - 1;
  }

  /** Ends the content of a node: all nodes after it are its content. */
  close(at: number): void {
    this.#numbers[at * WIDTH + END] = this.count;
  }

  kindAt(at: number): number {
    return this.#numbers[at * WIDTH] as number;
  }

  /** Returns the position of the parent, or -1 for the document. */
  parentAt(at: number): number {
    return this.#numbers[at * WIDTH + PARENT] as number;
  }

  /** Returns the position of the first node after this one and its content. */
  endAt(at: number): number {
    return this.#numbers[at * WIDTH + END] as number;
  }

  nameAt(at: number): string {
    return this.#names.list[this.#numbers[at * WIDTH + NAME] as number] as string;
  }

  valueAt(at: number): string {
    const start = at * WIDTH;
    const from = this.#numbers[start + FROM] as number;
    const to = this.#numbers[start + TO] as number;
    return from === RESOLVED ? (this.#resolved[to] as string) : this.#source.slice(from, to);
  }

  node(at: number): XmlNode {
    return new XmlNode(this, at);
  }

  #grow(): void {
    const larger = new Int32Array(Math.max(this.#numbers.length * 2, 64 * WIDTH));
    larger.set(this.#numbers);
    this.#numbers = larger;
  }
}

/** A node of an XML document. There may be several objects for one node. */
export class XmlNode {
  readonly tree: XmlTree;
  /** The position of this node in the document. */
  readonly at: number;

  constructor(tree: XmlTree, at: number) {
    this.tree = tree;
    this.at = at;
  }

  get kind(): XmlNodeKind {
    return KINDS[this.tree.kindAt(this.at)] as XmlNodeKind;
  }

  /** The name as written, with prefix; the target of a processing instruction; the prefix of a namespace. */
  get name(): string {
    return this.tree.nameAt(this.at);
  }

  /**
   * The text of an attribute, text node, comment or processing instruction, or the URI of a namespace. Empty for
   * others.
   */
  get value(): string {
    return this.tree.valueAt(this.at);
  }

  get parent(): XmlNode | undefined {
    const at = this.tree.parentAt(this.at);
    return at < 0 ? undefined : this.tree.node(at);
  }

  /** The position of the first node after this one and its content. */
  get end(): number {
    return this.tree.endAt(this.at);
  }

  /** Returns the text of the node as XPath defines it. For an element and the document, that is all text inside. */
  get text(): string {
    const { tree, at, end } = this;
    const kind = tree.kindAt(at);
    if (kind !== ELEMENT && kind !== DOCUMENT) return tree.valueAt(at);
    let text = '';
    for (let i = at + 1; i < end; i++) if (tree.kindAt(i) === TEXT) text += tree.valueAt(i);
    return text;
  }
}

/** Returns the value of an element's attribute, or undefined if it does not have the attribute. */
export function attributeOf({ tree, at, end }: XmlNode, name: string): string | undefined {
  for (let i = at + 1; i < end; i++) {
    const kind = tree.kindAt(i);
    if (kind === ATTRIBUTE) {
      if (tree.nameAt(i) === name) return tree.valueAt(i);
    } else if (kind !== NAMESPACE) return undefined;
  }
  return undefined;
}
