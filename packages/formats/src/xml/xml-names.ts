/** More names than this are forgotten before the next document, because the names of a hostile source may all differ. */
const MAX_NAMES = 10_000;
/** The maximum number of names that are remembered as followers of a name. */
const MAX_FOLLOWERS = 4;

/**
 * The names of XML documents, each with a number. Documents of one source have the same names in a similar order. So a
 * name is compared with those that followed the name before it: no text is created, and nothing is looked up.
 */
export class XmlNames {
  /** The names by number. The first is the empty name of nodes without a name. */
  readonly list: string[] = [''];
  readonly #numbers = new Map<string, number>([['', 0]]);
  /** The followers of each name, the frequent ones first. */
  readonly #followers: number[][] = [[]];
  #last = 0;

  /** Prepares for a new document. The numbers of earlier documents may become invalid. */
  start(): void {
    this.#last = 0;
    if (this.list.length <= MAX_NAMES) return;
    this.list.length = this.#followers.length = 1;
    this.#followers[0] = [];
    this.#numbers.clear();
    this.#numbers.set('', 0);
  }

  /** Returns the number of the name at this position if it is an expected name, which may be longer there. Else -1. */
  expected(text: string, at: number): number {
    const followers = this.#followers[this.#last] as number[];
    for (let i = 0; i < followers.length; i++) {
      const number = followers[i] as number;
      if (!standsAt(text, at, this.list[number] as string)) continue;
      if (i > 0) {
        followers[i] = followers[i - 1] as number;
        followers[i - 1] = number;
      }
      return number;
    }
    return -1;
  }

  /** Reports the number of the name that was read. The next name is expected to follow it. */
  read(number: number): void {
    this.#last = number;
  }

  /** Returns the number of a name that was not expected. */
  add(name: string): number {
    const number = this.numberOf(name);
    const followers = this.#followers[this.#last] as number[];
    if (!followers.includes(number)) {
      if (followers.length === MAX_FOLLOWERS) followers.pop();
      followers.push(number);
    }
    return number;
  }

  /** Returns the number of a name. */
  numberOf(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.list.push(name) - 1;
    this.#numbers.set(name, number);
    this.#followers.push([]);
    return number;
  }
}

/** Returns whether the text has this name at this position. For short names this is faster than `startsWith`. */
export function standsAt(text: string, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if (text.charCodeAt(at + i) !== name.charCodeAt(i)) return false;
  return true;
}
