import { Budget } from './budget.ts';
import { Combiner } from './combine.ts';
import type { Joiner } from './concatenate.ts';
import { join } from './concatenate.ts';
import { Environment } from './environment.ts';
import { emptyObject } from './fields.ts';
import { inHashOrder } from './hash-order.ts';
import { hidesLower } from './merge.ts';
import type { ListNode, ObjectNode, Origin } from './node.ts';
import type { ConcatenationNode, Marks, MergeNode, Raw, ReferenceNode, Settled } from './raw.ts';
import { rawEntries, rawItems } from './raw.ts';
import { broken, ResolveProblems } from './resolve-problems.ts';
import type { Session } from './session.ts';
import type { Task } from './trampoline.ts';
import { runTask } from './trampoline.ts';

/** Thrown where a substitution comes back to itself; the substitution that led there catches it. */
class Cycle extends Error {}

const cycle = new Cycle();

/** What a task costs, in steps: the work of copying so many entries. */
const TASK_STEPS = 8;

/** Undefined: an optional substitution found nothing. */
type Resolved = Raw | undefined;

/** A field that has to be resolved. */
interface Waiting {
  key: string;
  child: Raw;
  value: Resolved;
}

/**
 * Resolves the substitutions of a tree. Results are kept, so each is resolved once. Written as tasks instead of
 * recursive calls: chains and nesting can be as long as they like.
 *
 * The rules are those of the reference: a substitution looks at the final value, resolving only what lies on its path.
 * While a definition of a field that has several is being resolved, that field shows only its earlier definitions.
 */
export class Resolver {
  readonly #root: ObjectNode;
  readonly #marks: Marks;
  readonly #environment: Environment;
  readonly #problems: ResolveProblems;
  readonly #budget: Budget;
  readonly #containers = new Map<Raw, Settled>();
  /** Results for the sake of one path only, by node and path. */
  readonly #partials = new Map<Raw, Map<string, Resolved>>();
  /** Whether the last result holds a merge that showed only a part of itself, so that it must not be kept. */
  #tainted = false;

  constructor(root: ObjectNode, session: Session, env: Record<string, string | undefined>) {
    this.#root = root;
    this.#marks = session.marks;
    this.#environment = new Environment(env);
    this.#problems = new ResolveProblems(session.problems);
    this.#budget = new Budget(session, this.#problems);
  }

  /** @throws TooMuchWork */
  resolve(): ObjectNode {
    const result = runTask(this.#object(this.#root));
    return result?.kind === 'object' ? result : emptyObject(this.#root.origin);
  }

  /** The result for an unresolved node that has been resolved before. */
  #known(node: Raw): Settled | undefined {
    switch (node.kind) {
      case 'reference':
      case 'concatenation':
      case 'merge':
        return node.settled;
      case 'broken':
        return { value: node };
      default:
        return this.#containers.get(node);
    }
  }

  /** The work for an unresolved node. */
  #task(node: Raw): Task<Resolved> {
    this.#budget.step(TASK_STEPS);
    switch (node.kind) {
      case 'object':
        return this.#object(node);
      case 'list':
        return this.#list(node);
      case 'reference':
        return this.#reference(node, undefined);
      case 'concatenation':
        return this.#concatenation(node);
      case 'merge':
        return this.#merge(node, undefined);
      default:
        throw new TypeError(`a ${node.kind} needs no resolving`);
    }
  }

  *#object(node: ObjectNode): Task<Resolved> {
    const marks = this.#marks;
    const waiting: Waiting[] = [];
    let tainted = false;
    this.#budget.step(node.entries.size);
    for (const [key, child] of rawEntries(node)) {
      if (marks.isUnresolved(child)) waiting.push({ key, child, value: undefined });
    }
    for (const field of inHashOrder(waiting, node.entries.size)) {
      const shown = this.#shown(field.child);
      if (shown !== field.child) tainted = true;
      if (shown === undefined) continue;
      const known = marks.isUnresolved(shown) ? this.#known(shown) : { value: shown };
      field.value = known === undefined ? yield this.#task(shown) : known.value;
      if (known === undefined && this.#tainted) tainted = true;
    }
    const result = emptyObject(node.origin);
    let size = 0;
    let next = 0;
    for (const [key, child] of rawEntries(node)) {
      let value: Resolved = child;
      if (waiting[next]?.key === key) {
        value = waiting[next++]?.value;
        if (value === undefined || value.kind === 'broken') continue;
        size += this.#budget.sizeOf(value);
        if (!this.#budget.fits(value, size, node.keys.get(key)!)) continue;
      }
      rawEntries(result).set(key, value);
      result.keys.set(key, node.keys.get(key)!);
    }
    if (marks.opaque.has(node)) marks.opaque.add(result);
    this.#tainted = tainted;
    if (!tainted) this.#containers.set(node, { value: result });
    return result;
  }

  *#list(node: ListNode): Task<Resolved> {
    const result: ListNode = { kind: 'list', items: [], origin: node.origin };
    const items = rawItems(result);
    let tainted = false;
    let size = 0;
    this.#budget.step(node.items.length);
    for (const item of rawItems(node)) {
      let value: Resolved = item;
      if (this.#marks.isUnresolved(item)) {
        const known = this.#known(item);
        value = known === undefined ? yield this.#task(item) : known.value;
        if (known === undefined && this.#tainted) tainted = true;
      }
      if (value === undefined || value.kind === 'broken') continue;
      if (value !== item) size += this.#budget.sizeOf(value);
      if (value === item || this.#budget.fits(value, size, item.origin)) items.push(value);
    }
    this.#tainted = tainted;
    if (!tainted) this.#containers.set(node, { value: result });
    return result;
  }

  *#concatenation(node: ConcatenationNode): Task<Resolved> {
    const values: Raw[] = [];
    const combiner = new Combiner(this.#marks);
    let isBroken = false;
    for (const piece of node.pieces) {
      let value: Resolved = piece;
      if (this.#marks.isUnresolved(piece)) {
        const known = this.#known(piece);
        value = known === undefined ? yield this.#task(piece) : known.value;
      }
      if (value?.kind === 'broken') isBroken = true;
      else if (value !== undefined) values.push(value);
      // An object written here has no path of its own: nobody else can refer to it.
      if (piece.kind === 'object' && value?.kind === 'object') combiner.adopt(value);
    }
    const value = isBroken ? broken(node.origin) : this.#joined(values, node, combiner);
    node.settled = { value };
    this.#tainted = false;
    return value;
  }

  #joined(values: Raw[], node: ConcatenationNode, combiner: Combiner): Resolved {
    let joined = values[0];
    if (values.length < 2) return joined;
    const { origin } = node;
    const joiner = this.#joiner(combiner, origin);
    for (const value of values.slice(1)) {
      const both = join(joined!, value, this.#marks, joiner);
      if (both === undefined) return this.#problems.notJoinable(joined!, value, origin);
      joined = both.kind === 'string' ? this.#budget.admit({ ...both, origin }, origin) : both;
      if (joined.kind === 'broken') return joined;
    }
    return joined;
  }

  /** Joins values that may stand elsewhere too: by copying. What is joined stands where the concatenation does. */
  #joiner(combiner: Combiner, origin: Origin): Joiner {
    return {
      objects: (left, right) => {
        const both = this.#over(combiner, right, left);
        if (combiner.owns(both)) both.origin = origin;
        return both;
      },
      lists: (_left, first, _right, second) => {
        this.#budget.step((first.length + second.length) >> 2);
        return { kind: 'list', items: first.concat(second) as ListNode['items'], origin };
      },
    };
  }

  /** One value laid over another. */
  #over(combiner: Combiner, upper: Raw, lower: Raw): Raw {
    const before = combiner.steps;
    const result = combiner.combine(upper, lower);
    this.#budget.step(combiner.steps - before);
    return result;
  }

  /** The value of a substitution, or only as much of it as lies on the path `rest`. */
  *#reference(node: ReferenceNode, rest: string[] | undefined): Task<Resolved> {
    if (node.followed) throw cycle;
    node.followed = true;
    let value: Resolved;
    try {
      const own = node.prefix > 0 ? node.path.slice(node.prefix) : node.path;
      let found: Resolved = this.#findPlain(node.path) ?? (yield this.#find(node.path));
      if (found === undefined && node.prefix > 0) found = yield this.#find(own);
      found ??= this.#environment.find(own, node.origin);
      if (found === undefined) value = undefined;
      else if (rest !== undefined) value = yield this.#partial(found, rest);
      else {
        value = found;
        if (this.#marks.isUnresolved(found)) {
          const known = this.#known(found);
          value = known === undefined ? yield this.#task(found) : known.value;
        }
      }
      if (value === undefined && !node.optional) value = this.#problems.missing(node);
    } catch (error) {
      if (!(error instanceof Cycle)) throw error;
      value = node.optional ? undefined : this.#problems.cyclic(node);
    } finally {
      node.followed = false;
    }
    if (rest === undefined) {
      if (value !== undefined && value.kind !== 'broken') value = this.#budget.admit(value, node.origin);
      node.settled = { value };
    }
    this.#tainted = false;
    return value;
  }

  /** The value at a path when only plain objects lie on it. */
  #findPlain(path: string[]): Resolved {
    let at: Raw = this.#root;
    for (const key of path) {
      if (at.kind !== 'object') return undefined;
      const child = rawEntries(at).get(key);
      if (child === undefined || (child.kind === 'merge' && child.shown !== undefined)) return undefined;
      at = child;
    }
    return at;
  }

  /** The value at a path of the whole config, itself not resolved yet. */
  *#find(path: string[]): Task<Resolved> {
    let at: Raw = this.#root;
    for (let i = 0; i < path.length; i++) {
      if (at.kind === 'reference' || at.kind === 'concatenation' || at.kind === 'merge') {
        const partial: Resolved = yield this.#partial(at, path.slice(i));
        if (partial === undefined || partial.kind === 'broken') return partial;
        at = partial;
      }
      if (at.kind === 'broken') return at;
      if (at.kind !== 'object') return undefined;
      const child = rawEntries(at).get(path[i]!);
      const shown: Resolved = child && this.#shown(child);
      if (shown === undefined) return undefined;
      at = shown;
    }
    return at;
  }

  /** A merge whose layer is being resolved shows only the layers below that one. */
  #shown(node: Raw): Resolved {
    let shown: Resolved = node;
    while (shown?.kind === 'merge' && shown.shown !== undefined) shown = shown.shown.value;
    return shown;
  }

  /** As much of a value as is needed to look up `rest` in it: an object with at most that one key, if it is one. */
  *#partial(node: Raw, rest: string[]): Task<Resolved> {
    this.#tainted = false;
    // The rest of the path is copied and compared on each of its levels.
    this.#budget.step(TASK_STEPS / 2 + (rest.length >> 2));
    if (node.kind === 'object') return yield this.#partialObject(node, rest);
    if (!this.#marks.isUnresolved(node)) return node;
    const settled = this.#known(node);
    if (settled !== undefined) return settled.value;
    if (node.kind === 'concatenation') return yield this.#task(node);
    if (node.kind !== 'reference' && node.kind !== 'merge') return node;
    // No separator would do, as keys may hold any character.
    const key = JSON.stringify(rest);
    const known = this.#partials.get(node);
    if (known?.has(key)) return known.get(key);
    this.#budget.step(TASK_STEPS);
    const result: Resolved = yield node.kind === 'reference' ? this.#reference(node, rest) : this.#merge(node, rest);
    if (this.#tainted) return result;
    const keep = this.#partials.get(node) ?? new Map<string, Resolved>();
    this.#partials.set(node, keep.set(key, result));
    return result;
  }

  *#partialObject(node: ObjectNode, rest: string[]): Task<Resolved> {
    const marks = this.#marks;
    const key = rest[0]!;
    const thin = emptyObject(node.origin);
    if (marks.opaque.has(node)) marks.opaque.add(thin);
    const child = rawEntries(node).get(key);
    if (child === undefined) return thin;
    const shown = this.#shown(child);
    let tainted = shown !== child;
    let value: Resolved = shown;
    if (shown !== undefined && rest.length > 1 && marks.isUnresolved(shown)) {
      value = yield this.#partial(shown, rest.slice(1));
      if (this.#tainted) tainted = true;
    }
    this.#tainted = tainted;
    if (value === undefined || value.kind === 'broken') return value === undefined ? thin : value;
    rawEntries(thin).set(key, value);
    thin.keys.set(key, node.keys.get(key)!);
    if (marks.isUnresolved(value)) marks.unresolved.add(thin);
    return thin;
  }

  /** The layers of a field over each other, latest first. All are resolved: a missing one counts even when hidden. */
  *#merge(node: MergeNode, rest: string[] | undefined): Task<Resolved> {
    const { stack, height = stack.length } = node;
    const combiner = new Combiner(this.#marks);
    const head = node.head ?? node;
    const shownBefore = head.shown;
    let merged: Resolved;
    let tainted = false;
    let isBroken = false;
    for (let i = height - 1; i >= 0; i--) {
      const layer = stack[i]!;
      let value: Resolved = layer;
      this.#budget.step();
      this.#tainted = false;
      if (layer.kind === 'reference' || layer.kind === 'concatenation') {
        // A field that refers to itself in each layer goes as deep as it has layers: that takes memory, too.
        this.#budget.step(2 * TASK_STEPS);
        head.shown = { value: lowerLayers(node, i) };
      }
      try {
        if (rest !== undefined) value = yield this.#partial(layer, rest);
        else if (this.#marks.isUnresolved(layer)) {
          const known = this.#known(layer);
          value = known === undefined ? yield this.#task(layer) : known.value;
        }
      } finally {
        head.shown = shownBefore;
      }
      if (this.#tainted) tainted = true;
      if (value?.kind === 'broken') isBroken = true;
      else if (value !== undefined) merged = merged === undefined ? value : this.#over(combiner, merged, value);
      // What is hidden and was resolved on the way to a higher layer has nothing to add.
      if (i <= (head.resolvedLayers ?? 0) && merged !== undefined && hidesLower(merged, this.#marks)) break;
    }
    if (isBroken) merged = broken(node.origin);
    if (rest === undefined && !tainted) {
      node.settled = { value: merged };
      if (!isBroken) head.resolvedLayers = Math.max(head.resolvedLayers ?? 0, height);
    }
    this.#tainted = tainted;
    return merged;
  }
}

function lowerLayers(node: MergeNode, height: number): Resolved {
  const { stack, origin, head = node } = node;
  return height < 2 ? stack.slice(0, height)[0] : { kind: 'merge', stack, height, head, origin };
}
