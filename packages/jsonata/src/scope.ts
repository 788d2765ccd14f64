import type { Item } from './items.ts';
import type { Syntax } from './syntax.ts';
import type { Value } from './values.ts';

/** What is the same for a whole evaluation. */
export interface Root {
  /** What is evaluated: `$$`. */
  readonly input: Value;
  /** When it began: `$now()` and `$millis()`. */
  time: number | undefined;
}

/** The variables that an expression sees. */
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
 * @param lastCall whether it is the call that a function ends with: the library hands over what that gives as it is, with
 * sequences of one or none, and those are left to it
 */
export type Compile = (syntax: Syntax, lastCall?: boolean) => Evaluate;
