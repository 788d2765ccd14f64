import { Combiner } from './combine.ts';
import type { Joiner } from './concatenate.ts';
import { join } from './concatenate.ts';
import { Environment } from './environment.ts';
import { Extents } from './extent.ts';
import { inHashOrder } from './hash-order.ts';
import type { ListNode, ObjectNode } from './node.ts';
import { renderPath } from './path.ts';
import type { ConcatenationNode, MergeNode, Raw, ReferenceNode } from './raw.ts';
import { rawEntries, rawItems } from './raw.ts';
import type { Session } from './session.ts';
import type { Task } from './trampoline.ts';
import { runTask } from './trampoline.ts';

/** Thrown where a substitution comes back to itself; the substitution that led there catches it. */
class Cycle extends Error {}

/** Thrown when the text asks for more work than the limit. */
export class TooMuchWork extends Error {}

/** Undefined: an optional substitution found nothing. */
type Resolved = Raw | undefined;

/** In place of a merge that is hidden from itself. */
const nothing = Symbol('nothing');

/**
 * Resolves the substitutions of a tree. Results are kept by node, so each is resolved once; the tree itself stays as it
 * is. Written as tasks instead of recursive calls: chains and nesting can be as long as they like.
 *
 * The rules are those of the reference: a substitution looks at the final value, resolving only what lies on its path.
 * While a definition of a field that has several is being resolved, that field shows only its earlier definitions.
 */
export class Resolver {
  readonly #root: ObjectNode;
  readonly #session: Session;
  readonly #environment: Environment;
  readonly #extents = new Extents();
  readonly #results = new Map<Raw, Resolved>();
  /** Results for the sake of one path only, by node and path. */
  readonly #partials = new Map<Raw, Map<string, Resolved>>();
  readonly #inProgress = new Set<ReferenceNode>();
  /** What merges show of themselves while one of their layers is being resolved. */
  readonly #visible = new Map<MergeNode, Raw | typeof nothing>();
  /** Whether the last result holds a merge that showed only a part of itself, so that it must not be kept. */
  #tainted = false;
  #steps = 0;

  constructor(root: ObjectNode, session: Session, env: Record<string, string>) {
    this.#root = root;
    this.#session = session;
    this.#environment = new Environment(env);
  }

  /** @throws TooMuchWork */
  resolve(): ObjectNode {
    const result = runTask(this.#object(this.#root));
    return result?.kind === 'object' ? result : { ...this.#root, entries: new Map(), keys: new Map() };
  }

  #count(steps: number): void {
    this.#steps += steps;
    if (this.#steps > this.#session.limits.steps) throw new TooMuchWork();
  }

  /** The whole value of a node. */
  *#full(node: Raw): Task<Resolved> {
    this.#tainted = false;
    if (!this.#session.marks.isUnresolved(node)) return node;
    if (this.#results.has(node)) return this.#results.get(node);
    this.#count(1);
    let result: Resolved;
    switch (node.kind) {
      case 'object':
        result = yield this.#object(node);
        break;
      case 'list':
        result = yield this.#list(node);
        break;
      case 'reference':
        result = yield this.#reference(node, undefined);
        break;
      case 'concatenation':
        result = yield this.#concatenation(node);
        break;
      case 'merge':
        result = yield this.#merge(node, undefined);
        break;
      default:
        return node;
    }
    if (!this.#tainted) this.#results.set(node, result);
    return result;
  }

  *#object(node: ObjectNode): Task<Resolved> {
    const { marks } = this.#session;
    const result: ObjectNode = { kind: 'object', entries: new Map(), keys: new Map(), origin: node.origin };
    const entries = rawEntries(result);
    let tainted = false;
    this.#count(node.entries.size);
    const values = new Map<string, Resolved>();
    const waiting = [...rawEntries(node)].filter(([, child]) => marks.isUnresolved(child));
    for (const [key, child] of inHashOrder(waiting, node.entries.size)) {
      const shown = this.#shown(child);
      if (shown !== child) tainted = true;
      if (shown !== undefined) values.set(key, yield this.#full(shown));
      if (this.#tainted) tainted = true;
    }
    for (const [key, child] of rawEntries(node)) {
      const value = marks.isUnresolved(child) ? values.get(key) : child;
      if (value === undefined || value.kind === 'broken') continue;
      entries.set(key, value);
      result.keys.set(key, node.keys.get(key)!);
    }
    this.#tainted = tainted;
    if (marks.opaque.has(node)) marks.opaque.add(result);
    return this.#measured(result);
  }

  *#list(node: ListNode): Task<Resolved> {
    const result: ListNode = { kind: 'list', items: [], origin: node.origin };
    const items = rawItems(result);
    let tainted = false;
    this.#count(node.items.length);
    for (const item of rawItems(node)) {
      const value: Resolved = yield this.#full(item);
      if (this.#tainted) tainted = true;
      if (value !== undefined && value.kind !== 'broken') items.push(value);
    }
    this.#tainted = tainted;
    return this.#measured(result);
  }

  /** Refuses a result that is too large. */
  #measured(node: Raw): Raw {
    const { limits, problems } = this.#session;
    const { size, depth } = this.#extents.of(node);
    if (size <= limits.size && depth <= limits.depth) return node;
    const message =
      size > limits.size
        ? `substitutions make this value larger than ${limits.size} values and characters`
        : `substitutions nest this value more than ${limits.depth} deep`;
    problems.add('result-too-large', node.origin, message, 'refer to large values less often');
    return { kind: 'broken', origin: node.origin };
  }

  *#concatenation(node: ConcatenationNode): Task<Resolved> {
    const values: Raw[] = [];
    let broken = false;
    for (const piece of node.pieces) {
      const value: Resolved = yield this.#full(piece);
      if (value?.kind === 'broken') broken = true;
      else if (value !== undefined) values.push(value);
    }
    this.#tainted = false;
    return broken ? { kind: 'broken', origin: node.origin } : this.#joined(values, node);
  }

  #joined(values: Raw[], node: ConcatenationNode): Resolved {
    const { marks, problems } = this.#session;
    const joiner = this.#joiner();
    let joined: Resolved;
    for (const value of values) {
      if (joined === undefined) {
        joined = value;
        continue;
      }
      const both = join(joined, value, marks, joiner);
      if (both === undefined) {
        const message = `${inWords(joined)} cannot be joined with ${inWords(value)}`;
        problems.add('cannot-join', node.origin, message, 'join values of one type only: texts, lists or objects');
        return { kind: 'broken', origin: node.origin };
      }
      joined = this.#measured(both);
      if (joined.kind === 'broken') return joined;
    }
    return joined;
  }

  #joiner(): Joiner {
    const { marks } = this.#session;
    const combiner = new Combiner(marks);
    return {
      objects: (left, right) => this.#counted(combiner, right, left),
      lists: (left, first, _right, second) => {
        this.#count(first.length + second.length);
        return { kind: 'list', items: first.concat(second) as ListNode['items'], origin: left.origin };
      },
    };
  }

  #counted(combiner: Combiner, upper: Raw, lower: Raw): Raw {
    const before = combiner.steps;
    const result = combiner.combine(upper, lower);
    this.#count(combiner.steps - before);
    return result;
  }

  /** The value of a substitution, or only as much of it as lies on the path `rest`. */
  *#reference(node: ReferenceNode, rest: string[] | undefined): Task<Resolved> {
    if (this.#inProgress.has(node)) throw new Cycle();
    this.#inProgress.add(node);
    let result: Resolved;
    try {
      let found: Resolved = yield this.#find(node.path);
      const own = node.path.slice(node.prefix);
      if (found === undefined && node.prefix > 0) found = yield this.#find(own);
      found ??= this.#environment.find(own, node.origin);
      if (found !== undefined) result = yield rest === undefined ? this.#full(found) : this.#partial(found, rest);
    } catch (error) {
      if (!(error instanceof Cycle)) throw error;
      this.#tainted = false;
      if (!node.optional) return this.#cyclic(node);
    } finally {
      this.#inProgress.delete(node);
    }
    this.#tainted = false;
    return result === undefined && !node.optional ? this.#missing(node) : result;
  }

  #cyclic(node: ReferenceNode): Raw {
    const message = `\${${renderPath(node.path)}} leads back to itself`;
    const hint = 'give the value without the substitution, or write ${?...} where it may be missing';
    this.#session.problems.add('cyclic-substitution', node.origin, message, hint);
    return { kind: 'broken', origin: node.origin };
  }

  #missing(node: ReferenceNode): Raw {
    const path = renderPath(node.path.slice(node.prefix));
    const hint = `define ${path}, or write \${?${path}} where it may be missing`;
    this.#session.problems.add('undefined-substitution', node.origin, `\${${path}} is not defined`, hint);
    return { kind: 'broken', origin: node.origin };
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
    let shown: Raw | typeof nothing | undefined = node;
    while (shown.kind === 'merge') {
      const visible: Raw | typeof nothing | undefined = this.#visible.get(shown);
      if (visible === undefined) break;
      if (visible === nothing) return undefined;
      shown = visible;
    }
    return shown;
  }

  /** As much of a value as is needed to look up `rest` in it: an object with at most that one key, if it is one. */
  *#partial(node: Raw, rest: string[]): Task<Resolved> {
    this.#tainted = false;
    switch (node.kind) {
      case 'object':
        return yield this.#partialObject(node, rest);
      case 'concatenation':
        return yield this.#full(node);
      case 'reference':
      case 'merge':
        break;
      default:
        return node;
    }
    if (this.#results.has(node)) return this.#results.get(node);
    const key = rest.join('\0');
    const known = this.#partials.get(node);
    if (known?.has(key)) return known.get(key);
    this.#count(1);
    const result: Resolved = yield node.kind === 'reference' ? this.#reference(node, rest) : this.#merge(node, rest);
    if (this.#tainted) return result;
    const keep = this.#partials.get(node) ?? new Map<string, Resolved>();
    this.#partials.set(node, keep.set(key, result));
    return result;
  }

  *#partialObject(node: ObjectNode, rest: string[]): Task<Resolved> {
    const { marks } = this.#session;
    const key = rest[0]!;
    const thin: ObjectNode = { kind: 'object', entries: new Map(), keys: new Map(), origin: node.origin };
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
    const { marks } = this.#session;
    const { stack } = node;
    const combiner = new Combiner(marks);
    let merged: Resolved;
    let tainted = false;
    let broken = false;
    for (let i = stack.length - 1; i >= 0; i--) {
      const layer = stack[i]!;
      const waits = layer.kind === 'reference' || layer.kind === 'concatenation';
      const before = this.#visible.get(node);
      if (waits) this.#visible.set(node, lowerLayers(node, i));
      let value: Resolved;
      try {
        value = yield rest === undefined ? this.#full(layer) : this.#partial(layer, rest);
      } finally {
        if (before !== undefined) this.#visible.set(node, before);
        else if (waits) this.#visible.delete(node);
      }
      if (this.#tainted) tainted = true;
      if (value === undefined) continue;
      if (value.kind === 'broken') {
        broken = true;
        continue;
      }
      merged = merged === undefined ? value : this.#counted(combiner, merged, value);
    }
    this.#tainted = tainted;
    if (broken) return { kind: 'broken', origin: node.origin };
    return merged !== undefined && rest === undefined ? this.#measured(merged) : merged;
  }
}

function lowerLayers(node: MergeNode, count: number): Raw | typeof nothing {
  if (count === 0) return nothing;
  if (count === 1) return node.stack[0]!;
  return { kind: 'merge', stack: node.stack.slice(0, count), origin: node.origin };
}

function inWords(node: Raw): string {
  switch (node.kind) {
    case 'object':
      return 'an object';
    case 'list':
      return 'a list';
    case 'null':
      return 'null';
    default:
      return `a ${node.kind}`;
  }
}
