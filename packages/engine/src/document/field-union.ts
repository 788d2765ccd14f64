import { mergeNames } from './merge-names.ts';
import type { Shape } from './shape.ts';

/**
 * A table has at most this many times the fields of each of its documents, and some more. Above that, empty cells take
 * longer than the values.
 */
const MAX_SPARSENESS = 4;
const FEW_FIELDS = 16;

/**
 * The fields of documents that can form one table. The documents may have different fields, but most fields must be
 * common, and the order of common fields must be the same.
 * All lists are filled by `push`, so that V8 sees only one kind of arrays (see `DocumentTable`).
 */
export class FieldUnion {
  /** All names, in order. The list is replaced when a name is added. */
  names: readonly string[] = [];
  /** For each name: true if some documents lack the field. */
  sparse: boolean[] = [];
  #isEmpty = true;
  /** For the shapes that were already seen, the position of each name, or -1. */
  readonly #known = new Map<Shape, readonly number[]>();

  /**
   * Adds the fields of a document. Returns for each name its position in documents of this shape, or -1. Returns
   * undefined if such documents do not fit. The last result is valid until the shape changes.
   */
  add(shape: Shape): readonly number[] | undefined {
    const known = this.#known.get(shape);
    if (known !== undefined) return known;
    const places = this.#isEmpty ? this.#begin(shape) : (this.#placesOf(shape) ?? this.#grow(shape));
    if (places === undefined) return undefined;
    for (let i = 0; i < places.length; i++) if ((places[i] as number) < 0) this.sparse[i] = true;
    if (!shape.changing) this.#known.set(shape, places);
    return places;
  }

  clear(): void {
    this.names = this.sparse = [];
    this.#isEmpty = true;
    this.#known.clear();
  }

  /**
   * Returns the positions of all names in documents of a shape. Returns undefined if the shape has other names or
   * another order. Much faster than `mergeNames`, and sufficient for most documents that lack optional fields.
   */
  #placesOf({ names: others }: Shape): number[] | undefined {
    const { names } = this;
    if (names.length > MAX_SPARSENESS * others.length + FEW_FIELDS) return undefined;
    const places: number[] = [];
    let next = 0;
    for (let i = 0; i < names.length; i++) places.push(names[i] === others[next] ? next++ : -1);
    return next === others.length ? places : undefined;
  }

  #begin({ names, changing }: Shape): number[] {
    this.#isEmpty = false;
    this.names = changing ? [...names] : names;
    const places: number[] = [];
    const sparse: boolean[] = [];
    for (let i = 0; i < names.length; i++) {
      places.push(i);
      sparse.push(false);
    }
    this.sparse = sparse;
    return places;
  }

  /** Adds names. Returns the positions of all names in documents of the shape. */
  #grow(shape: Shape): number[] | undefined {
    const names = mergeNames(this.names, shape.names);
    if (names === undefined || names.length > MAX_SPARSENESS * shape.names.length + FEW_FIELDS) return undefined;
    if (names.length > this.names.length) this.#known.clear();
    const sparse = new Map(this.names.map((name, i) => [name, this.sparse[i] as boolean]));
    this.sparse = [];
    const places: number[] = [];
    for (const name of names) {
      this.sparse.push(sparse.get(name) ?? true);
      places.push(shape.position(name));
    }
    this.names = names;
    return places;
  }
}
