import type { ObjectNode } from '../tree/node.ts';
import type { Marks, Raw } from '../tree/raw.ts';
import { rawEntries } from '../tree/raw.ts';
import { hidesLower } from './merge.ts';

/** The steps for copying an object, without its entries. */
const COPY_STEPS = 16;

/**
 * Merges values while the tree is resolved. Unlike `layOver`, it never changes a node that it receives, because the
 * node may also be used in other places. It extends objects that it has created itself, so n layers need n steps.
 */
export class Combiner {
  readonly #marks: Marks;
  #own: Set<ObjectNode> | undefined;
  /** The number of visited entries. Copies of objects count more. */
  steps = 0;

  constructor(marks: Marks) {
    this.#marks = marks;
  }

  /** Allows changes to an object that is not used in other places. */
  adopt(node: ObjectNode): void {
    this.#own ??= new Set();
    this.#own.add(node);
  }

  /** Returns true if this combiner may change an object. */
  owns(node: Raw): boolean {
    return node.kind === 'object' && this.#own?.has(node) === true;
  }

  combine(upper: Raw, lower: Raw): Raw {
    const marks = this.#marks;
    if (hidesLower(upper, marks)) return upper;
    const waits = lower.kind === 'merge' || lower.kind === 'reference' || lower.kind === 'concatenation';
    if (upper.kind === 'object' && !waits) {
      if (lower.kind === 'object') return this.#objects(upper, lower);
      if (!marks.isUnresolved(upper)) {
        const opaque: ObjectNode = { ...upper };
        marks.opaque.add(opaque);
        return opaque;
      }
    }
    const stack = [...layers(lower), ...layers(upper)];
    return { kind: 'merge', stack, origin: upper.origin };
  }

  /** Merges two objects, level by level without recursion. */
  #objects(upper: ObjectNode, lower: ObjectNode): ObjectNode {
    const result = this.#owned(upper);
    const pairs: Pair[] = [{ into: result, from: lower, outer: undefined }];
    for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
      const { into, from } = pair;
      const entries = rawEntries(into);
      if (this.#marks.opaque.has(from)) this.#marks.opaque.add(into);
      this.steps += from.entries.size;
      for (const [key, value] of rawEntries(from)) {
        const above = entries.get(key);
        if (above?.kind === 'object' && value.kind === 'object' && !hidesLower(above, this.#marks)) {
          const inner = this.#owned(above);
          entries.set(key, inner);
          pairs.push({ into: inner, from: value, outer: pair });
          continue;
        }
        const combined = above === undefined ? value : this.combine(above, value);
        entries.set(key, combined);
        if (above === undefined) into.keys.set(key, from.keys.get(key)!);
        if (this.#marks.isUnresolved(combined)) this.#mark(pair);
      }
    }
    return result;
  }

  /** Marks an object and the objects around it as unresolved. */
  #mark(pair: Pair): void {
    for (let at: Pair | undefined = pair; at !== undefined; at = at.outer) {
      if (this.#marks.unresolved.has(at.into)) return;
      this.#marks.unresolved.add(at.into);
    }
  }

  #owned(node: ObjectNode): ObjectNode {
    if (this.owns(node)) return node;
    this.steps += COPY_STEPS + node.entries.size;
    const copy: ObjectNode = { ...node, entries: new Map(node.entries), keys: new Map(node.keys) };
    if (this.#marks.isUnresolved(node)) this.#marks.unresolved.add(copy);
    this.adopt(copy);
    return copy;
  }
}

/** Two objects that are being merged, and the pair of objects around them. */
interface Pair {
  into: ObjectNode;
  from: ObjectNode;
  outer: Pair | undefined;
}

function layers(node: Raw): Raw[] {
  return node.kind === 'merge' ? node.stack.slice(0, node.height) : [node];
}
