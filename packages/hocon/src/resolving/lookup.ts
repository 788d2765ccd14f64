import { emptyObject } from '../merging/fields.ts';
import type { ObjectNode } from '../tree/node.ts';
import type { MergeNode, Raw, ReferenceNode } from '../tree/raw.ts';
import { rawEntries } from '../tree/raw.ts';
import type { Resolution, Resolved } from './resolution.ts';
import { shownOf, TASK_STEPS } from './resolution.ts';
import type { Task } from './trampoline.ts';

/** The work that a look-up needs. With `rest`, only the part of a value on that path is resolved. */
export interface Work {
  task(node: Raw): Task<Resolved>;
  reference(node: ReferenceNode, rest: string[]): Task<Resolved>;
  merge(node: MergeNode, rest: string[]): Task<Resolved>;
}

/** Finds the values at paths of the config while it is being resolved. */
export class Lookup {
  readonly #resolution: Resolution;
  readonly #work: Work;
  /** The results for single paths, by node and path. */
  readonly #partials = new Map<Raw, Map<string, Resolved>>();

  constructor(resolution: Resolution, work: Work) {
    this.#resolution = resolution;
    this.#work = work;
  }

  /** Returns the value at a path that only leads through plain objects. */
  findPlain(path: string[]): Resolved {
    let at: Raw = this.#resolution.root;
    for (const key of path) {
      if (at.kind !== 'object') return undefined;
      const child = rawEntries(at).get(key);
      if (child === undefined || (child.kind === 'merge' && child.shown !== undefined)) return undefined;
      at = child;
    }
    return at;
  }

  /** Returns the value at a path, not resolved yet. */
  *find(path: string[]): Task<Resolved> {
    let at: Raw = this.#resolution.root;
    for (let i = 0; i < path.length; i++) {
      if (at.kind === 'reference' || at.kind === 'concatenation' || at.kind === 'merge') {
        const partial: Resolved = yield this.partial(at, path.slice(i));
        if (partial === undefined || partial.kind === 'broken') return partial;
        at = partial;
      }
      if (at.kind === 'broken') return at;
      if (at.kind !== 'object') return undefined;
      const child = rawEntries(at).get(path[i]!);
      const shown: Resolved = child && shownOf(child);
      if (shown === undefined) return undefined;
      at = shown;
    }
    return at;
  }

  /**
   * Returns the part of a value that is needed to look up `rest` in it. For an object, this is an object with at most
   * the one key.
   */
  *partial(node: Raw, rest: string[]): Task<Resolved> {
    const resolution = this.#resolution;
    const { budget } = resolution;
    resolution.tainted = false;
    // The steps grow with the length of the path: its rest is copied and compared on each level.
    budget.step(TASK_STEPS / 2 + (rest.length >> 2));
    if (node.kind === 'object') return yield this.#partialObject(node, rest);
    if (!resolution.marks.isUnresolved(node)) return node;
    const settled = resolution.known(node);
    if (settled !== undefined) return settled.value;
    if (node.kind === 'concatenation') return yield this.#work.task(node);
    if (node.kind !== 'reference' && node.kind !== 'merge') return node;
    // Keys may contain any character, so no separator would be safe.
    const key = JSON.stringify(rest);
    const known = this.#partials.get(node);
    if (known?.has(key)) return known.get(key);
    budget.step(TASK_STEPS);
    const work = node.kind === 'reference' ? this.#work.reference(node, rest) : this.#work.merge(node, rest);
    const result: Resolved = yield work;
    if (resolution.tainted) return result;
    const keep = this.#partials.get(node) ?? new Map<string, Resolved>();
    this.#partials.set(node, keep.set(key, result));
    return result;
  }

  *#partialObject(node: ObjectNode, rest: string[]): Task<Resolved> {
    const resolution = this.#resolution;
    const { marks } = resolution;
    const key = rest[0]!;
    const thin = emptyObject(node.origin);
    if (marks.opaque.has(node)) marks.opaque.add(thin);
    const child = rawEntries(node).get(key);
    if (child === undefined) return thin;
    const shown = shownOf(child);
    let tainted = shown !== child;
    let value: Resolved = shown;
    if (shown !== undefined && rest.length > 1 && marks.isUnresolved(shown)) {
      value = yield this.partial(shown, rest.slice(1));
      if (resolution.tainted) tainted = true;
    }
    resolution.tainted = tainted;
    if (value === undefined || value.kind === 'broken') return value === undefined ? thin : value;
    rawEntries(thin).set(key, value);
    thin.keys.set(key, node.keys.get(key)!);
    if (marks.isUnresolved(value)) marks.unresolved.add(thin);
    return thin;
  }
}
