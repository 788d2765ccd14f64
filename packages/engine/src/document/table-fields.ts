import { NameFinder } from './name-finder.ts';
import { internName } from './names.ts';
import type { Shape } from './shape.ts';

/** The fields are used again for tables of the same shape, up to this number of added names. */
const MAX_ADDED = 256;

const known = new WeakMap<Shape, TableFields>();

/** The last change of the shapes of documents by a field. */
interface Change {
  readonly from: Shape;
  readonly to: Shape;
}

/**
 * The fields of tables of documents of a shape, and their column numbers. Fields that stages add follow those of the
 * shape. A stage changes the shapes of many documents in the same way, so the last change by each field is kept.
 */
export class TableFields {
  readonly #shape: Shape;
  /** Finds the column numbers of fields. */
  readonly finder: NameFinder;
  readonly #names: string[];
  readonly #added: (Change | undefined)[];
  readonly #removed: (Change | undefined)[];

  private constructor(shape: Shape) {
    this.#shape = shape;
    this.#names = [...shape.names];
    this.finder = new NameFinder(this.#names);
    this.#added = this.#names.map(() => undefined);
    this.#removed = this.#names.map(() => undefined);
  }

  /** Returns the fields for tables of documents of a shape. */
  static of(shape: Shape): TableFields {
    const found = known.get(shape);
    if (found !== undefined && found.count <= shape.names.length + MAX_ADDED) return found;
    const fields = new TableFields(shape);
    if (!shape.changing) known.set(shape, fields);
    return fields;
  }

  get count(): number {
    return this.#names.length;
  }

  /** Adds a new field. Returns its column number. */
  add(name: string): number {
    const kept = internName(name);
    this.#names.push(kept);
    this.#added.push(undefined);
    this.#removed.push(undefined);
    return this.finder.add(kept);
  }

  /** Returns a shape with one more field at the end. The shape may contain a field that the document lacked. */
  shapeWith(shape: Shape, at: number): Shape {
    const last = this.#added[at];
    if (last?.from === shape) return last.to;
    const name = this.#names[at] as string;
    const before = shape.position(name);
    const to = (before < 0 ? shape : shape.without(before)).with(name);
    if (!to.changing) this.#added[at] = { from: shape, to };
    return to;
  }

  /** Returns a shape without a field. */
  shapeWithout(shape: Shape, at: number): Shape {
    const last = this.#removed[at];
    if (last?.from === shape) return last.to;
    const to = shape.without(shape === this.#shape ? at : shape.position(this.#names[at] as string));
    if (!to.changing) this.#removed[at] = { from: shape, to };
    return to;
  }
}
