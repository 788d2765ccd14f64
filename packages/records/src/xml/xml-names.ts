/** A name as written in the source. */
export interface XmlName {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** The maximum number of stored names, because the names of a hostile file may all differ. */
const MAX_NAMES = 10_000;

/** The names of a file. Each name is created once. */
export class XmlNames {
  #byHash = new Map<number, XmlName[]>();
  #count = 0;

  /** Returns the name in this range of the bytes. */
  at(bytes: Uint8Array, from: number, to: number): XmlName {
    let hash = to - from;
    for (let i = from; i < to; i++) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0;
    let same = this.#byHash.get(hash);
    if (same !== undefined) {
      for (const name of same) if (standsAt(name, bytes, from, to)) return name;
    } else {
      same = [];
      this.#byHash.set(hash, same);
    }
    const copy = Buffer.from(bytes.subarray(from, to));
    const name = { bytes: copy, text: copy.toString() };
    if (++this.#count > MAX_NAMES) {
      this.#byHash = new Map();
      this.#count = 0;
    } else same.push(name);
    return name;
  }
}

/** Returns whether this name is in this range of the bytes. */
export function standsAt({ bytes: name }: XmlName, bytes: Uint8Array, from: number, to: number): boolean {
  if (name.length !== to - from) return false;
  for (let i = 0; i < name.length; i++) if (name[i] !== bytes[from + i]) return false;
  return true;
}
