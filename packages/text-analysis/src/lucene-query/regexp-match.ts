import type { RegexpNode } from './regexp-syntax.ts';

/**
 * Returns whether a term matches an expression as a whole. For each part and each start position, all end positions are
 * computed once. Nothing backtracks, so the time is limited by a power of the lengths.
 */
export function matchesRegexp(term: string, node: RegexpNode): boolean {
  const characters = Array.from(term);
  return new RegexpMatch(characters).ends(node, 0).has(characters.length);
}

type Ends = ReadonlySet<number>;

const NONE: Ends = new Set();

class RegexpMatch {
  readonly #characters: readonly string[];
  readonly #known = new Map<RegexpNode, Ends[]>();

  constructor(characters: readonly string[]) {
    this.#characters = characters;
  }

  /** Returns the end positions of an expression from a start position. */
  ends(node: RegexpNode, start: number): Ends {
    let known = this.#known.get(node);
    if (known === undefined) {
      known = [];
      this.#known.set(node, known);
    }
    let ends = known[start];
    if (ends === undefined) {
      ends = this.#find(node, start);
      known[start] = ends;
    }
    return ends;
  }

  #find(node: RegexpNode, start: number): Ends {
    const characters = this.#characters;
    switch (node.type) {
      case 'nothing':
        return NONE;
      case 'characters': {
        const character = characters[start];
        return character !== undefined && node.accepts(character) ? new Set([start + 1]) : NONE;
      }
      case 'text':
        return node.characters.every((character, i) => characters[start + i] === character)
          ? new Set([start + node.characters.length])
          : NONE;
      case 'number':
        return this.#numberEnds(node.from, node.to, node.digits, start);
      case 'union':
        return new Set(node.parts.flatMap((part) => [...this.ends(part, start)]));
      case 'intersection':
        return node.parts.map((part) => this.ends(part, start)).reduce((a, b) => a.intersection(b));
      case 'complement': {
        const not = this.ends(node.part, start);
        const all = Array.from({ length: characters.length - start + 1 }, (_, i) => start + i);
        return new Set(all.filter((end) => !not.has(end)));
      }
      case 'sequence':
        return node.parts.reduce<Ends>((ends, part) => this.#endsAfter(ends, part), new Set([start]));
      case 'repeat':
        return this.#repeatEnds(node.part, node.min, node.max, start);
    }
  }

  #endsAfter(starts: Ends, part: RegexpNode): Set<number> {
    const ends = new Set<number>();
    for (const start of starts) for (const end of this.ends(part, start)) ends.add(end);
    return ends;
  }

  #repeatEnds(part: RegexpNode, min: number, max: number, start: number): Ends {
    let ends: Set<number> = new Set([start]);
    for (let i = 0; i < min; i++) ends = this.#endsAfter(ends, part);
    const all = new Set(ends);
    for (let i = min; i < max && ends.size > 0; i++) {
      // A position that was already reached adds nothing.
      ends = this.#endsAfter(ends, part).difference(all);
      for (const end of ends) all.add(end);
    }
    return all;
  }

  #numberEnds(from: bigint, to: bigint, digits: number | undefined, start: number): Ends {
    const ends = new Set<number>();
    let number = 0n;
    for (let at = start; /^[0-9]$/.test(this.#characters[at] ?? ''); at++) {
      number = number * 10n + BigInt(this.#characters[at] as string);
      const fits = digits === undefined || at + 1 - start === digits;
      if (fits && number >= from && number <= to) ends.add(at + 1);
    }
    return ends;
  }
}
