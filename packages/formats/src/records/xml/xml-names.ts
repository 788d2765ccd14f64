import { GREATER } from './xml-bytes.ts';

/** A name as written in the source. */
export interface XmlName {
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The names that have followed this one, the frequent ones first. */
  readonly followers: XmlName[];
}

/** The maximum number of stored names, because the names of a hostile file may all differ. */
const MAX_NAMES = 10_000;
/** The maximum number of names that are remembered as followers of a name. */
const MAX_FOLLOWERS = 4;

/**
 * The names of a file. Each name is created once. The records of a file have the same names in a similar order, so a name
 * is first compared with those that followed the name before it.
 */
export class XmlNames {
  #byHash = new Map<number, XmlName[]>();
  #count = 0;
  /** The names that have followed the last name, the frequent ones first. */
  #followers: XmlName[] = [];

  /** Returns the expected name that is at this position, before a `>`, or undefined. The next name follows it. */
  expected(bytes: Uint8Array, from: number, to: number): XmlName | undefined {
    const followers = this.#followers;
    for (let i = 0; i < followers.length; i++) {
      const name = followers[i] as XmlName;
      if (!standsClosed(name, bytes, from, to)) continue;
      if (i > 0) {
        followers[i] = followers[i - 1] as XmlName;
        followers[i - 1] = name;
      }
      this.#followers = name.followers;
      return name;
    }
    return undefined;
  }

  /** Returns the name in this range of the bytes. The next name follows it. */
  follow(bytes: Uint8Array, from: number, to: number): XmlName {
    const name = this.#at(bytes, from, to);
    // Read after `#at`, which replaces the list when it forgets names.
    const followers = this.#followers;
    if (!followers.includes(name)) {
      if (followers.length === MAX_FOLLOWERS) followers.pop();
      followers.push(name);
    }
    this.#followers = name.followers;
    return name;
  }

  #at(bytes: Uint8Array, from: number, to: number): XmlName {
    let hash = to - from;
    for (let i = from; i < to; i++) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
    let same = this.#byHash.get(hash);
    if (same !== undefined) {
      for (const name of same) if (standsAt(name, bytes, from, to)) return name;
    } else {
      same = [];
      this.#byHash.set(hash, same);
    }
    const copy = bytes.slice(from, to);
    const name = { bytes: copy, text: Buffer.from(copy).toString(), followers: [] };
    if (++this.#count > MAX_NAMES) {
      this.#byHash = new Map();
      this.#count = 0;
      // Otherwise each name would keep all later ones: the root element, which is open until the end, would keep them all.
      this.#followers = [];
    } else same.push(name);
    return name;
  }
}

/** Returns whether this name is at this position, before a `>`. */
export function standsClosed({ bytes: name }: XmlName, bytes: Uint8Array, from: number, to: number): boolean {
  const end = from + name.length;
  if (end >= to || bytes[end] !== GREATER) return false;
  for (let i = 0; i < name.length; i++) if (name[i] !== bytes[from + i]) return false;
  return true;
}

/** Returns whether this name is in this range of the bytes. */
export function standsAt({ bytes: name }: XmlName, bytes: Uint8Array, from: number, to: number): boolean {
  if (name.length !== to - from) return false;
  for (let i = 0; i < name.length; i++) if (name[i] !== bytes[from + i]) return false;
  return true;
}
