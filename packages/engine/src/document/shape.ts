import { internName, isInterned } from './names.ts';

/**
 * Limits for the names in all shapes of a thread, and for the transitions of one shape. Beyond them, each shape belongs
 * to one document.
 */
const MAX_NAMES = 1_000_000;
const MAX_TRANSITIONS = 256;
/** Objects with more names than this are rarely similar. They share a shape only with recent ones. */
const MAX_ALIKE = 64;
const MAX_RECENT = 8;

/**
 * To build the map of so few names costs more than many searches. A shape that belongs to one document, or that few
 * documents have, never needs the map.
 */
const MAX_SEARCHED = 32;
const SEARCHES_BEFORE_MAP = 64;

let namesHeld = 0;
/** Shapes of many names, and names that were seen once, latest last. */
const recentWide: Shape[] = [];
const seenOnce: (readonly string[])[] = [];

/**
 * The names of a document's fields, in order, and their positions. Documents with the same fields share a shape. Adding
 * or removing the same field leads all of them to the same next shape, so a field costs a document only its value. Code
 * that processes many documents can cache facts by shape. (The idea is that of the maps of Self: Chambers, Ungar, Lee:
 * An Efficient Implementation of SELF, OOPSLA 1989.)
 * If names are data, each document would create a new shape. So beyond a limit, and for names that cannot be interned
 * any more, a shape belongs to one document.
 */
export class Shape {
  readonly names: readonly string[];
  /** Whether one of its names marks documents as dropped or skipped. */
  flagged: boolean;
  /** Whether it belongs to one document and is changed in place. */
  readonly #owned: boolean;
  #positions: Map<string, number> | undefined = undefined;
  #searches = 0;
  #added: Map<string, Shape> | undefined = undefined;
  #removed: Map<number, Shape> | undefined = undefined;

  private constructor(names: readonly string[], owned: boolean) {
    this.names = names;
    this.#owned = owned;
    this.flagged = names.includes('___dropped') || names.includes('___skipped');
    if (!owned) namesHeld += names.length;
  }

  /** A new shape of these names, which must be distinct: for code that creates many documents with it. */
  static of(names: readonly string[]): Shape {
    return new Shape(names.map(internName), false);
  }

  /**
   * The shape of these names, which must be distinct. Objects with the same keys in the same order get the same shape.
   */
  static common(names: readonly string[]): Shape {
    if (names.length > MAX_ALIKE) return wideShape(names) ?? new Shape([...names], true);
    let shape = empty;
    for (const name of names) shape = shape.with(name);
    return shape;
  }

  /** Whether it changes with its document, so that facts about it must not be cached. */
  get changing(): boolean {
    return this.#owned;
  }

  /** The position of the field, or -1. */
  position(name: string): number {
    if (this.#positions === undefined) {
      const { names } = this;
      const isRare = this.#owned || this.#searches++ < SEARCHES_BEFORE_MAP;
      if (isRare && names.length <= MAX_SEARCHED) return names.indexOf(name);
      this.#positions = new Map(names.map((known, i) => [known, i]));
    }
    return this.#positions.get(name) ?? -1;
  }

  /** This shape and one more field at the end. */
  with(name: string): Shape {
    if (this.#owned) {
      this.#positions?.set(name, this.names.length);
      (this.names as string[]).push(name);
      this.flagged ||= name === '___dropped' || name === '___skipped';
      return this;
    }
    const known = this.#added?.get(name);
    if (known !== undefined) return known;
    this.#added ??= new Map();
    const kept = internName(name);
    const owned = !isInterned(kept) || mustOwn(this.names.length + 1, this.#added.size);
    const next = new Shape([...this.names, kept], owned);
    if (!next.#owned) this.#added.set(kept, next);
    return next;
  }

  /** This shape without the field at a position. */
  without(at: number): Shape {
    if (this.#owned) {
      (this.names as string[]).splice(at, 1);
      this.#positions = undefined;
      return this;
    }
    const known = this.#removed?.get(at);
    if (known !== undefined) return known;
    this.#removed ??= new Map();
    const next = new Shape(this.names.toSpliced(at, 1), mustOwn(this.names.length - 1, this.#removed.size));
    if (!next.#owned) this.#removed.set(at, next);
    return next;
  }

  /** The same shape for another document. */
  share(): Shape {
    return this.#owned ? new Shape([...this.names], true) : this;
  }
}

const empty = Shape.of([]);

/** The common shape of many names; undefined if the same names have not been seen before. */
function wideShape(names: readonly string[]): Shape | undefined {
  const known = recentWide.find((shape) => areEqual(shape.names, names));
  if (known !== undefined) return known;
  const at = seenOnce.findIndex((seen) => areEqual(seen, names));
  if (at < 0 || mustOwn(names.length, 0)) {
    seenOnce.push([...names]);
    if (seenOnce.length > MAX_RECENT) seenOnce.shift();
    return undefined;
  }
  seenOnce.splice(at, 1);
  const shape = Shape.of(names);
  recentWide.push(shape);
  if (recentWide.length > MAX_RECENT) recentWide.shift();
  return shape;
}

function areEqual(first: readonly string[], second: readonly string[]): boolean {
  if (first.length !== second.length) return false;
  for (let i = 0; i < first.length; i++) if (first[i] !== second[i]) return false;
  return true;
}

function mustOwn(names: number, transitions: number): boolean {
  return transitions >= MAX_TRANSITIONS || namesHeld + names > MAX_NAMES;
}
