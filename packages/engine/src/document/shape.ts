import { NameFinder } from './name-finder.ts';
import { internName, isInterned } from './names.ts';

/**
 * The maximum number of names in all shapes of a thread, and the maximum number of transitions of one shape. Above
 * these limits, each new shape belongs to one document.
 */
const MAX_NAMES = 250_000;
const MAX_TRANSITIONS = 256;
/** Objects with more names than this rarely have equal names. They share a shape only with recent objects. */
const MAX_ALIKE = 64;
const MAX_RECENT = 8;

/**
 * To build the finder of the names costs more than this many searches in the list. Many shapes are searched less often:
 * those that belong to one document, and those on the way to another shape.
 */
const SEARCHES_BEFORE_FINDER = 64;
/** The maximum number of kept parts of a shape. Above it, they are computed again. */
const MAX_PARTS = 1024;
/** The number of names for which one integer says which of them a part has. */
const NAMES_PER_MASK = 30;

let namesHeld = 0;
/** The recent shapes with many names, and the recent lists of names that were seen only once. The latest is last. */
const recentWide: Shape[] = [];
const seenOnce: (readonly string[])[] = [];

/**
 * The names of the fields of a document, in order, and their positions. Documents with the same fields share a shape.
 * If the same field is added or removed, all of them get the same next shape, so a document only stores its values.
 * Code that processes many documents can cache facts by shape. (The idea comes from the maps of Self: Chambers, Ungar,
 * Lee: An Efficient Implementation of SELF, OOPSLA 1989.)
 * If names are data, each document would create a new shape. Therefore, above a limit and for names that cannot be
 * interned, a shape belongs to one document.
 */
export class Shape {
  readonly names: readonly string[];
  /** True if one of the names marks documents as dropped or skipped. */
  flagged: boolean;
  /** True if the shape belongs to one document and is changed in place. */
  readonly #owned: boolean;
  #finder: NameFinder | undefined = undefined;
  #searches = 0;
  #added: Map<string, Shape> | undefined = undefined;
  /** The name that was added last, and its shape. Most shapes have one successor. */
  #lastAdded: string | undefined = undefined;
  #lastShape: Shape | undefined = undefined;
  /** The shapes without one field, by its position. */
  #removed: (Shape | undefined)[] | undefined = undefined;
  #removals = 0;
  #parts: Map<number | string, Shape> | undefined = undefined;

  private constructor(names: readonly string[], owned: boolean) {
    this.names = names;
    this.#owned = owned;
    this.flagged = names.includes('___dropped') || names.includes('___skipped');
    if (!owned) namesHeld += names.length;
  }

  /** Returns a new shape with these distinct names. For code that creates many documents with the shape. */
  static of(names: readonly string[]): Shape {
    return new Shape(names.map(internName), false);
  }

  /** Returns the shape with these distinct names. Objects with the same keys in the same order get the same shape. */
  static common(names: readonly string[]): Shape {
    if (names.length > MAX_ALIKE) return wideShape(names) ?? new Shape([...names], true);
    let shape = empty;
    for (const name of names) shape = shape.with(name);
    return shape;
  }

  /** True if the shape changes with its document, so that facts about the shape must not be cached. */
  get changing(): boolean {
    return this.#owned;
  }

  /** Returns the position of the field, or -1. */
  position(name: string): number {
    if (this.#finder === undefined) {
      if (this.#searches++ < SEARCHES_BEFORE_FINDER) return this.names.indexOf(name);
      this.#finder = new NameFinder(this.names);
    }
    return this.#finder.find(name);
  }

  /** Returns this shape with one more field at the end. */
  with(name: string): Shape {
    if (this.#owned) {
      this.#finder?.add(name);
      (this.names as string[]).push(name);
      this.flagged ||= name === '___dropped' || name === '___skipped';
      return this;
    }
    if (name === this.#lastAdded) return this.#lastShape as Shape;
    const known = this.#added?.get(name);
    if (known !== undefined) {
      this.#lastAdded = name;
      this.#lastShape = known;
      return known;
    }
    this.#added ??= new Map();
    const kept = internName(name);
    const owned = !isInterned(kept) || mustOwn(this.names.length + 1, this.#added.size);
    const next = new Shape([...this.names, kept], owned);
    if (!next.#owned) this.#added.set(kept, next);
    return next;
  }

  /** Returns this shape without the field at a position. */
  without(at: number): Shape {
    if (this.#owned) {
      (this.names as string[]).splice(at, 1);
      this.#finder = undefined;
      this.#searches = 0;
      return this;
    }
    const known = this.#removed?.[at];
    if (known !== undefined) return known;
    this.#removed ??= new Array(this.names.length).fill(undefined);
    const next = new Shape(this.names.toSpliced(at, 1), mustOwn(this.names.length - 1, this.#removals));
    if (next.#owned) return next;
    this.#removed[at] = next;
    this.#removals++;
    return next;
  }

  /**
   * Returns the shape with some of the names. One look-up for documents that lack optional fields: adding the names one
   * by one takes one look-up for each name.
   * @param masks bit `i` of the mask `n` is set if the name at `n * NAMES_PER_MASK + i` is present
   */
  part(masks: readonly number[]): Shape {
    const key = masks.length === 1 ? (masks[0] as number) : masks.join();
    const known = this.#parts?.get(key);
    if (known !== undefined) return known;
    const isPresent = (at: number) => ((masks[Math.trunc(at / NAMES_PER_MASK)] as number) >> (at % NAMES_PER_MASK)) & 1;
    const part = Shape.common(this.names.filter((_, at) => isPresent(at) === 1));
    if (this.#owned || part.#owned) return part;
    if (this.#parts === undefined || this.#parts.size >= MAX_PARTS) this.#parts = new Map();
    this.#parts.set(key, part);
    return part;
  }

  /** Returns the same shape for another document. */
  share(): Shape {
    return this.#owned ? new Shape([...this.names], true) : this;
  }
}

const empty = Shape.of([]);

/** Returns the shared shape for many names. Returns undefined if these names have not been seen before. */
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

/** Returns which names of a shape have a value, for `Shape.part`. */
export function masksOf(values: readonly unknown[]): number[] {
  const masks: number[] = [];
  for (let i = 0; i < values.length; ) {
    let mask = 0;
    for (let bit = 0; bit < NAMES_PER_MASK && i < values.length; bit++, i++) {
      if (values[i] !== undefined) mask |= 1 << bit;
    }
    masks.push(mask);
  }
  return masks;
}

function areEqual(first: readonly string[], second: readonly string[]): boolean {
  if (first.length !== second.length) return false;
  for (let i = 0; i < first.length; i++) if (first[i] !== second[i]) return false;
  return true;
}

function mustOwn(names: number, transitions: number): boolean {
  return transitions >= MAX_TRANSITIONS || namesHeld + names > MAX_NAMES;
}
