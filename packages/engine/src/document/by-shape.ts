import type { Shape } from './shape.ts';

/** The maximum number of kept facts. If names are data, each document has a new shape. */
const MAX_KEPT = 256;

/**
 * Facts about shapes, each computed once. Documents of different shapes often take turns, for example children and
 * their parents, or documents with and without an optional field.
 */
export class ByShape<T> {
  readonly #compute: (shape: Shape) => T;
  readonly #kept = new Map<Shape, T>();
  #last: Shape | undefined = undefined;
  #fact: T | undefined = undefined;

  constructor(compute: (shape: Shape) => T) {
    this.#compute = compute;
  }

  of(shape: Shape): T {
    if (shape === this.#last && !shape.changing) return this.#fact as T;
    const fact = this.#kept.get(shape) ?? this.#learn(shape);
    this.#last = shape;
    this.#fact = fact;
    return fact;
  }

  #learn(shape: Shape): T {
    const fact = this.#compute(shape);
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    if (!shape.changing) this.#kept.set(shape, fact);
    return fact;
  }
}
