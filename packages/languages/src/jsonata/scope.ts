import type { Item } from './items.ts';
import type { Syntax } from './syntax.ts';
import type { Value } from './values.ts';

/** The values that are constant for a whole evaluation. */
export interface Root {
  /** The input: `$$`. */
  readonly input: Value;
  /** The start time: `$now()` and `$millis()`. */
  time: number | undefined;
}

/** The variables that are visible to an expression. */
export class Scope {
  readonly root: Root;
  readonly #outer: Scope | undefined;
  readonly #names: string[] = [];
  readonly #values: Item[] = [];

  constructor(root: Root, outer?: Scope) {
    this.root = root;
    this.#outer = outer;
  }

  bind(name: string, value: Item): void {
    const at = this.#names.indexOf(name);
    if (at >= 0) this.#values[at] = value;
    else {
      this.#names.push(name);
      this.#values.push(value);
    }
  }

  get(name: string): Item {
    const at = this.#names.lastIndexOf(name);
    return at >= 0 ? this.#values[at] : this.#outer?.get(name);
  }
}

/** A compiled expression. */
export type Evaluate = (input: Item, scope: Scope) => Item;

/**
 * @param lastCall true for the last call of a function. The library returns the result of such a call unchanged, even
 * sequences with one member or none, so the library evaluates those.
 */
export type Compile = (syntax: Syntax, lastCall?: boolean) => Evaluate;
