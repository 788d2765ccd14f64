import { JsonReader } from './json-reader.ts';
import { internName, isInterned } from './names.ts';
import { Shape } from './shape.ts';
import type { Value } from './value.ts';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
/** After this many members, the general reader reads objects with unknown names: they are compared with all others. */
const MAX_COMPARED = 64;
/** The maximum number of names that the reader remembers. */
const MAX_KNOWN = 4096;
/** The maximum number of names that the reader remembers as followers of one name. */
const MAX_NEXT = 32;

/** A name of a member. */
interface Member {
  /** The name as it is written in the text, with the colon. */
  readonly key: string;
  readonly name: string;
  /** The members that have followed it. Frequent ones move to the front. */
  readonly next: Member[];
  /** The number of the last object with this member. */
  seen: number;
}

/**
 * Reads JSON objects fast if they are similar to earlier ones: it compares the names with the text instead of parsing
 * them. Objects that lack some members are also similar.
 * For unusual objects and invalid JSON, `read` returns false. The caller then uses `readJson`.
 */
export class JsonObjectReader {
  /** The field names of the last object. */
  shape: Shape = Shape.common([]);
  values: Value[] = [];
  #reader = new JsonReader('');
  readonly #known = new Map<string, Member>();
  readonly #first = newMember('');
  /** The number of the current object. */
  #object = 0;
  /** The members of the last object, in the first `#count` elements. -1 if it was not read completely. */
  readonly #members: Member[] = [];
  #count = 0;

  /** @param lfOnly true if the text is known to have no control characters except LF */
  load(text: string, lfOnly = false): void {
    this.#reader = new JsonReader(text, lfOnly);
  }

  /** The position after the last object that was read completely. */
  get end(): number {
    return this.#reader.at + 1;
  }

  /** Reads the object that begins at `start` and ends before `end`. Ignores the text after the object. */
  read(start: number, end: number): boolean {
    if (this.#read(start, end)) return true;
    // The shape of the last object does not belong to the members of this one.
    this.#count = -1;
    // The old reader may have read beyond the end.
    this.#reader = new JsonReader(this.#reader.text, this.#reader.lfOnly);
    return false;
  }

  #read(start: number, end: number): boolean {
    const reader = this.#reader;
    const { text } = reader;
    if (text.charCodeAt(start) !== OPEN_OBJECT) return false;
    const values: Value[] = [];
    const members = this.#members;
    let member = this.#first;
    let count = 0;
    let isSame = true;
    this.#object++;
    reader.at = start + 1;
    reader.skipSpace();
    if (text.charCodeAt(reader.at) !== CLOSE_OBJECT) {
      for (;;) {
        const next = this.#readName(member, count);
        if (next === undefined) return false;
        member = next;
        if (count >= members.length || members[count] !== member) {
          members[count] = member;
          isSame = false;
        }
        count++;
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
    // A changing shape belongs to one document and cannot be shared.
    if (!isSame || count !== this.#count || this.shape.changing) {
      this.shape = Shape.common(members.slice(0, count).map(({ name }) => name));
    }
    this.#count = count;
    this.values = values;
    return true;
  }

  /**
   * Reads the name at this position, and its colon. Returns undefined if the name is unusual.
   * @param count the number of members before it
   */
  #readName(before: Member, count: number): Member | undefined {
    const reader = this.#reader;
    const { text, at } = reader;
    const { next } = before;
    for (let i = 0; i < next.length; i++) {
      const member = next[i] as Member;
      if (!text.startsWith(member.key, at)) continue;
      if (member.seen === this.#object) return undefined;
      member.seen = this.#object;
      if (i > 0) {
        next[i] = next[i - 1] as Member;
        next[i - 1] = member;
      }
      reader.at = at + member.key.length;
      return member;
    }
    if (text.charCodeAt(at) !== QUOTE) return undefined;
    const close = text.indexOf('"', at + 1);
    const member = close < 0 ? undefined : this.#memberOf(text.slice(at + 1, close), count);
    if (member === undefined || member.seen === this.#object) return undefined;
    reader.at = close + 1;
    reader.skipSpace();
    if (text.charCodeAt(reader.at) !== COLON) return undefined;
    reader.at++;
    member.seen = this.#object;
    if (next.length < MAX_NEXT && this.#known.has(member.name) && !next.includes(member)) next.push(member);
    return member;
  }

  /** Returns the member of this name. Returns undefined if the name contains escapes, or was read before. */
  #memberOf(written: string, count: number): Member | undefined {
    const known = this.#known.get(written);
    if (known !== undefined) return known;
    const name = internName(written);
    if (JSON.stringify(name).length !== name.length + 2) return undefined;
    const member = newMember(name);
    if (this.#known.size < MAX_KNOWN && isInterned(name)) {
      this.#known.set(name, member);
      return member;
    }
    if (count > MAX_COMPARED) return undefined;
    for (let i = 0; i < count; i++) if ((this.#members[i] as Member).name === name) return undefined;
    return member;
  }
}

function newMember(name: string): Member {
  return { key: `"${name}":`, name, next: [], seen: 0 };
}
