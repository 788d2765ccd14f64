import { internName, JsonReader, Shape, type Value } from '@headrace/engine';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
/** Objects with more members are left to the general reader: here each name is compared with all before. */
const MAX_MEMBERS = 64;
/** How many sequences of names are remembered, and how many names may follow one of them. */
const MAX_NODES = 4096;
const MAX_NEXT = 16;

/** The names of the first members of objects, as a tree: those that may follow are its children. */
interface MemberNode {
  /** The name as in the text, with the colon. */
  readonly key: string;
  readonly name: string;
  readonly parent: MemberNode | undefined;
  readonly next: MemberNode[];
  readonly depth: number;
  /** The shape of objects whose last member this is. */
  shape: Shape | undefined;
}

/**
 * Reads the objects of a text fast if they are similar to earlier ones: names are compared with the text instead of
 * read. Objects in which members are missing are similar too. Unusual objects are left to `readJson`: `read` then
 * returns false, also for everything that is not JSON.
 */
export class JsonObjectReader {
  /** The names of the last object that was read. */
  shape: Shape = Shape.common([]);
  values: Value[] = [];
  #reader = new JsonReader('');
  #nodes = 0;
  readonly #root: MemberNode = { key: '', name: '', parent: undefined, next: [], depth: 0, shape: this.shape };

  load(text: string): void {
    this.#reader = new JsonReader(text);
  }

  /** Reads the object that begins at `start` and ends before `end`; the text after it is ignored. */
  read(start: number, end: number): boolean {
    if (this.#read(start, end)) return true;
    // This one may have read beyond the end.
    this.#reader = new JsonReader(this.#reader.text);
    return false;
  }

  #read(start: number, end: number): boolean {
    const reader = this.#reader;
    const { text } = reader;
    if (text.charCodeAt(start) !== OPEN_OBJECT) return false;
    const values: Value[] = [];
    let node = this.#root;
    reader.at = start + 1;
    reader.skipSpace();
    if (text.charCodeAt(reader.at) !== CLOSE_OBJECT) {
      for (;;) {
        const next = this.#readName(node);
        if (next === undefined) return false;
        node = next;
        reader.skipSpace();
        try {
          values.push(reader.value(1));
        } catch {
          // Not JSON: the general reader reports where and why.
          return false;
        }
        reader.skipSpace();
        const c = text.charCodeAt(reader.at);
        if (c === CLOSE_OBJECT) break;
        if (c !== COMMA) return false;
        reader.at++;
        reader.skipSpace();
      }
    }
    if (reader.at >= end) return false;
    this.shape = shapeOf(node);
    this.values = values;
    return true;
  }

  /** Reads the name that begins here, and its colon. Undefined if it is unusual. */
  #readName(before: MemberNode): MemberNode | undefined {
    const reader = this.#reader;
    const { text, at } = reader;
    const { next } = before;
    for (let i = 0; i < next.length; i++) {
      const node = next[i] as MemberNode;
      if (text.startsWith(node.key, at)) {
        reader.at = at + node.key.length;
        return node;
      }
    }
    if (text.charCodeAt(at) !== QUOTE) return undefined;
    const close = text.indexOf('"', at + 1);
    const name = internName(text.slice(at + 1, close));
    if (close < 0 || JSON.stringify(name).length !== name.length + 2) return undefined;
    reader.at = close + 1;
    reader.skipSpace();
    if (text.charCodeAt(reader.at) !== COLON) return undefined;
    reader.at++;
    if (before.depth >= MAX_MEMBERS || isBefore(before, name)) return undefined;
    const node = { key: `"${name}":`, name, parent: before, next: [], depth: before.depth + 1, shape: undefined };
    if (this.#nodes < MAX_NODES && next.length < MAX_NEXT) {
      this.#nodes++;
      next.push(node);
    }
    return node;
  }
}

function isBefore(last: MemberNode, name: string): boolean {
  for (let node: MemberNode | undefined = last; node !== undefined; node = node.parent) {
    if (node.depth > 0 && node.name === name) return true;
  }
  return false;
}

function shapeOf(node: MemberNode): Shape {
  if (node.shape !== undefined) return node.shape;
  const names: string[] = [];
  for (let each: MemberNode | undefined = node; each?.parent !== undefined; each = each.parent)
    names.unshift(each.name);
  const shape = Shape.common(names);
  // A changing shape belongs to one document.
  if (!shape.changing) node.shape = shape;
  return shape;
}
