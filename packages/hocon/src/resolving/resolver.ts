import { emptyObject } from '../merging/fields.ts';
import { hidesLower } from '../merging/merge.ts';
import type { Session } from '../parsing/session.ts';
import type { ListNode, ObjectNode } from '../tree/node.ts';
import type { ConcatenationNode, MergeNode, Raw, ReferenceNode, Settled } from '../tree/raw.ts';
import { rawEntries, rawItems } from '../tree/raw.ts';
import { Environment } from './environment.ts';
import { inHashOrder } from './hash-order.ts';
import { Lookup } from './lookup.ts';
import type { Resolved } from './resolution.ts';
import { lowerLayers, Resolution, shownOf, TASK_STEPS } from './resolution.ts';
import { broken } from './resolve-problems.ts';
import { joinTexts, ResolvedJoin } from './resolved-join.ts';
import type { Task } from './trampoline.ts';
import { runTask } from './trampoline.ts';

/** Thrown if a substitution refers to itself. The substitution that started the cycle catches it. */
class Cycle extends Error {}

const cycle = new Cycle();

/** A field that must be resolved. */
interface Waiting {
  key: string;
  child: Raw;
  value: Resolved;
}

/**
 * Resolves the substitutions of a tree. Results are cached, so each substitution is resolved once. The work is done in
 * tasks instead of recursive calls, so chains and nesting have no length limit. Work that needs no other task is done
 * immediately.
 * The rules are those of the reference: a substitution refers to the final value, and only resolves values on its path.
 * While one of several definitions of a field is being resolved, only the earlier definitions of that field are
 * visible.
 */
export class Resolver {
  readonly #resolution: Resolution;
  readonly #environment: Environment;
  readonly #lookup: Lookup;

  constructor(root: ObjectNode, session: Session, env: Record<string, string | undefined>) {
    this.#resolution = new Resolution(root, session);
    this.#environment = new Environment(env);
    this.#lookup = new Lookup(this.#resolution, {
      task: (node) => this.#task(node),
      reference: (node, rest) => this.#reference(node, rest),
      merge: (node, rest) => this.#merge(node, rest),
    });
  }

  /**
   * Resolves the tree.
   * @throws TooMuchWork if the tree needs too much work
   */
  resolve(): ObjectNode {
    const { root } = this.#resolution;
    const result = runTask(this.#object(root));
    return result?.kind === 'object' ? result : emptyObject(root.origin);
  }

  /** Returns the task for an unresolved node. */
  #task(node: Raw): Task<Resolved> {
    this.#resolution.budget.step(TASK_STEPS);
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

  /** Returns the result for an unresolved node if it is known or needs no other task. */
  #atOnce(node: Raw): Settled | undefined {
    const known = this.#resolution.known(node);
    if (known !== undefined) return known;
    if (node.kind === 'reference') return this.#referenceAtOnce(node);
    return node.kind === 'concatenation' ? this.#concatenationAtOnce(node) : undefined;
  }

  /** Resolves a substitution immediately if it refers to a plain value on a plain path. Most substitutions do. */
  #referenceAtOnce(node: ReferenceNode): Settled | undefined {
    if (node.followed) return undefined;
    const { marks, budget } = this.#resolution;
    let found = this.#lookup.findPlain(node.path);
    if (found !== undefined && marks.isUnresolved(found)) found = this.#resolution.known(found)?.value;
    if (found === undefined || found.kind === 'broken') return undefined;
    budget.step(TASK_STEPS / 2);
    node.settled = { value: budget.admit(found, node.origin) };
    return node.settled;
  }

  #concatenationAtOnce(node: ConcatenationNode): Settled | undefined {
    const { marks, budget } = this.#resolution;
    for (const piece of node.pieces) {
      if (marks.isUnresolved(piece) && this.#atOnce(piece) === undefined) return undefined;
    }
    budget.step(TASK_STEPS / 2);
    const values = node.pieces.map((piece) =>
      marks.isUnresolved(piece) ? this.#resolution.known(piece)?.value : piece,
    );
    return this.#joined(node, values);
  }

  *#object(node: ObjectNode): Task<Resolved> {
    const resolution = this.#resolution;
    const { marks, budget } = resolution;
    const waiting: Waiting[] = [];
    let tainted = false;
    budget.step(node.entries.size);
    for (const [key, child] of rawEntries(node)) {
      if (marks.isUnresolved(child)) waiting.push({ key, child, value: undefined });
    }
    for (const field of inHashOrder(waiting, node.entries.size)) {
      const shown = shownOf(field.child);
      if (shown !== field.child) tainted = true;
      if (shown === undefined) continue;
      const known = marks.isUnresolved(shown) ? this.#atOnce(shown) : { value: shown };
      field.value = known === undefined ? yield this.#task(shown) : known.value;
      if (known === undefined && resolution.tainted) tainted = true;
    }
    const { origin } = node;
    const result: ObjectNode = { kind: 'object', entries: new Map(node.entries), keys: new Map(node.keys), origin };
    let size = 0;
    for (const { key, value } of waiting) {
      if (value !== undefined && value.kind !== 'broken') {
        size += budget.sizeOf(value);
        if (budget.fits(value, size, node.keys.get(key)!)) {
          rawEntries(result).set(key, value);
          continue;
        }
      }
      result.entries.delete(key);
      result.keys.delete(key);
    }
    if (marks.opaque.has(node)) marks.opaque.add(result);
    resolution.keep(node, result, tainted);
    return result;
  }

  *#list(node: ListNode): Task<Resolved> {
    const resolution = this.#resolution;
    const { marks, budget } = resolution;
    const result: ListNode = { kind: 'list', items: [], origin: node.origin };
    const items = rawItems(result);
    let tainted = false;
    let size = 0;
    budget.step(node.items.length);
    for (const item of rawItems(node)) {
      let value: Resolved = item;
      if (marks.isUnresolved(item)) {
        const known = this.#atOnce(item);
        value = known === undefined ? yield this.#task(item) : known.value;
        if (known === undefined && resolution.tainted) tainted = true;
      }
      if (value === undefined || value.kind === 'broken') continue;
      if (value !== item) size += budget.sizeOf(value);
      if (value === item || budget.fits(value, size, item.origin)) items.push(value);
    }
    resolution.keep(node, result, tainted);
    return result;
  }

  *#concatenation(node: ConcatenationNode): Task<Resolved> {
    const values: Resolved[] = [];
    for (const piece of node.pieces) {
      let value: Resolved = piece;
      if (this.#resolution.marks.isUnresolved(piece)) {
        const known = this.#atOnce(piece);
        value = known === undefined ? yield this.#task(piece) : known.value;
      }
      values.push(value);
    }
    const { value } = this.#joined(node, values);
    this.#resolution.tainted = false;
    return value;
  }

  /** Joins the values of the pieces of a concatenation. */
  #joined(node: ConcatenationNode, values: Resolved[]): Settled {
    const { origin, pieces } = node;
    node.settled = { value: joinTexts(values, origin, this.#resolution) };
    if (node.settled.value !== undefined) return node.settled;
    node.settled.value = broken(origin);
    if (values.some((value) => value?.kind === 'broken')) return node.settled;
    const join = new ResolvedJoin(this.#resolution);
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (value !== undefined && !join.add(value, pieces[i]!.kind === 'object', origin)) break;
    }
    node.settled.value = join.value;
    return node.settled;
  }

  /** Returns the value of a substitution, or only the part of it on the path `rest`. */
  *#reference(node: ReferenceNode, rest: string[] | undefined): Task<Resolved> {
    if (node.followed) throw cycle;
    node.followed = true;
    const { budget, problems, marks } = this.#resolution;
    const lookup = this.#lookup;
    let value: Resolved;
    try {
      const own = node.prefix > 0 ? node.path.slice(node.prefix) : node.path;
      let found: Resolved = lookup.findPlain(node.path) ?? (yield lookup.find(node.path));
      if (found === undefined && node.prefix > 0) found = yield lookup.find(own);
      found ??= this.#environment.find(own, node.origin);
      if (found === undefined) value = undefined;
      else if (rest !== undefined) value = yield lookup.partial(found, rest);
      else {
        value = found;
        if (marks.isUnresolved(found)) {
          const known = this.#atOnce(found);
          value = known === undefined ? yield this.#task(found) : known.value;
        }
      }
      if (value === undefined && !node.optional) value = problems.missing(node);
    } catch (error) {
      if (!(error instanceof Cycle)) throw error;
      value = node.optional ? undefined : problems.cyclic(node);
    } finally {
      node.followed = false;
    }
    if (rest === undefined) {
      if (value !== undefined && value.kind !== 'broken') value = budget.admit(value, node.origin);
      node.settled = { value };
    }
    this.#resolution.tainted = false;
    return value;
  }

  /**
   * Merges the layers of a field, latest first. All layers are resolved: a missing one is an error even if it is
   * hidden.
   */
  *#merge(node: MergeNode, rest: string[] | undefined): Task<Resolved> {
    const resolution = this.#resolution;
    const { marks, budget } = resolution;
    const { stack, height = stack.length } = node;
    const join = new ResolvedJoin(resolution);
    const head = node.head ?? node;
    const shownBefore = head.shown;
    let tainted = false;
    let isBroken = false;
    for (let i = height - 1; i >= 0; i--) {
      const layer = stack[i]!;
      let value: Resolved = layer;
      budget.step();
      resolution.tainted = false;
      if (layer.kind === 'reference' || layer.kind === 'concatenation') {
        // If a field refers to itself in each layer, the depth is the number of layers, which also needs memory.
        budget.step(2 * TASK_STEPS);
        head.shown = { value: lowerLayers(node, i) };
      }
      try {
        if (rest !== undefined) value = yield this.#lookup.partial(layer, rest);
        else if (marks.isUnresolved(layer)) {
          const known = this.#atOnce(layer);
          value = known === undefined ? yield this.#task(layer) : known.value;
        }
      } finally {
        head.shown = shownBefore;
      }
      if (resolution.tainted) tainted = true;
      if (value?.kind === 'broken') isBroken = true;
      else if (value !== undefined) join.layOver(value);
      // If the layers above already replace this value completely, lower layers add nothing.
      if (i <= (head.resolvedLayers ?? 0) && join.value !== undefined && hidesLower(join.value, marks)) break;
    }
    const merged = isBroken ? broken(node.origin) : join.value;
    if (rest === undefined && !tainted) {
      node.settled = { value: merged };
      if (!isBroken) head.resolvedLayers = Math.max(head.resolvedLayers ?? 0, height);
    }
    resolution.tainted = tainted;
    return merged;
  }
}
