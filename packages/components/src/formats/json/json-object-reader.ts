import { internName, JsonReader, Shape, type Value } from '@headrace/engine';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
/** The general reader reads objects with more members, because here each name is compared with all names before it. */
const MAX_MEMBERS = 64;
/** The maximum number of cached sequences of names, and of names that can follow one of them. */
const MAX_NODES = 4096;
const MAX_NEXT = 16;

/** A tree of member names. A path from the root is a sequence of names at the start of objects. */
interface MemberNode {
  /** The name as it is written in the text, with the colon. */
  readonly key: string;
  readonly name: string;
  readonly parent: MemberNode | undefined;
  readonly next: MemberNode[];
  readonly depth: number;
  /** The shape of objects for which this is the last member. */
  shape: Shape | undefined;
}

/**
 * Reads JSON objects fast if they are similar to earlier ones: it compares the names with the text instead of parsing
 * them. Objects that lack some members are also similar.
 * For unusual objects and invalid JSON, `read` returns false. The caller then uses `readJson`.
 */
export class JsonObjectReader {
  /** The shape of the last object. */
  shape: Shape = Shape.common([]);
  values: Value[] = [];
  #reader = new JsonReader('');
  #nodes = 0;
  readonly #root: MemberNode = { key: '', name: '', parent: undefined, next: [], depth: 0, shape: this.shape };

  load(text: string): void {
    this.#reader = new JsonReader(text);
  }

  /** Reads the object that begins at `start` and ends before `end`. Ignores the text after the object. */
  read(start: number, end: number): boolean {
    if (this.#read(start, end)) return true;
    // The old reader may have read beyond the end.
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
          // The text is not JSON. The general reader reports the error and its position.
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

  /** Reads the name at this position, and its colon. Returns undefined if the name is unusual. */
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
  // A changing shape belongs to one document and cannot be shared.
  if (!shape.changing) node.shape = shape;
  return shape;
}
