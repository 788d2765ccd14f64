/** A match. Its offsets count UTF-16 units. */
export interface JavaMatch {
  readonly index: number;
  /** The offset after the match. */
  readonly end: number;
  readonly text: string;
  /** The whole match at 0, then the groups by Java's numbers; undefined for a group without a match. */
  readonly groups: readonly (string | undefined)[];
  /**
   * Returns the match of a named group.
   * @throws RangeError if the pattern has no group with that name
   */
  named(name: string): string | undefined;
}

/** Maps the groups of Java to the groups of the JavaScript match. */
export interface GroupMap {
  /** The JavaScript number of each Java group. */
  readonly numbers: readonly number[];
  /** The Java number of each named group. */
  readonly names: ReadonlyMap<string, number>;
}

/** A view of a JavaScript match. It copies values only when they are requested. */
export class FoundMatch implements JavaMatch {
  readonly #found: RegExpExecArray;
  readonly #map: GroupMap;

  constructor(found: RegExpExecArray, map: GroupMap) {
    this.#found = found;
    this.#map = map;
  }

  get index(): number {
    return this.#found.index;
  }

  get end(): number {
    return this.#found.index + this.#found[0].length;
  }

  get text(): string {
    return this.#found[0];
  }

  get groups(): readonly (string | undefined)[] {
    return this.#map.numbers.map((number) => this.#found[number]);
  }

  named(name: string): string | undefined {
    const group = this.#map.names.get(name);
    if (group === undefined) throw new RangeError(`The pattern has no group named ${name}`);
    return this.#found[this.#map.numbers[group]!];
  }
}
