import type { ConfigNode, ListNode, ObjectNode, Origin, Replaced, StringNode } from './node.ts';

/** `${path}` or `${?path}`. The first `prefix` elements of the path are the path at which the file was included. */
export interface ReferenceNode {
  kind: 'reference';
  path: string[];
  optional: boolean;
  prefix: number;
  origin: Origin;
  settled?: Settled;
  /** Set while the resolver follows it. */
  followed?: boolean;
}

/** The result of resolving a node, cached with it. Undefined: an optional substitution found nothing. */
export interface Settled {
  value: Raw | undefined;
}

/** Adjacent values that cannot be joined before their substitutions are known. */
export interface ConcatenationNode {
  kind: 'concatenation';
  pieces: Raw[];
  origin: Origin;
  /**
   * Of `a += 1`: the list that is appended, if nothing in it waits for a substitution and nothing else is around it.
   */
  append?: ListNode;
  settled?: Settled;
}

/** Definitions of one field that cannot be merged before their substitutions are known. Latest definition last. */
export interface MergeNode {
  kind: 'merge';
  stack: Raw[];
  /** How many layers of the stack count, from the bottom; all if it is not set. */
  height?: number;
  origin: Origin;
  settled?: Settled;
  /** Of a merge that is the lower part of another one: the other one. */
  head?: MergeNode;
  /** While one of the layers is being resolved: the visible part of the merge, if any. */
  shown?: Settled | undefined;
  /** How many of the lowest layers have been resolved, all without mistakes. */
  resolvedLayers?: number;
}

/** Replaces a value that has been reported as a problem: values made from it do not exist either. */
export interface BrokenNode {
  kind: 'broken';
  origin: Origin;
}

/** A value before resolving. Literal values are already the final nodes, so that plain text is built only once. */
export type Raw = ConfigNode | ReferenceNode | ConcatenationNode | MergeNode | BrokenNode;

/**
 * Facts about nodes that only merging and resolving need. They are stored separately because the nodes are part of the
 * result.
 */
export class Marks {
  /** Objects and lists with something unresolved below them (or that had, before it was overridden). */
  readonly unresolved = new Set<ObjectNode | ListNode>();
  /** Objects that have hidden a value that is not an object: nothing below it may be visible. */
  readonly opaque = new Set<ObjectNode>();
  /** Strings that were one unquoted word. Dropped after a list or an object. */
  readonly unquoted = new Set<StringNode>();
  /** The first elements of the paths of all substitutions. */
  readonly substituted = new Set<string>();
  /** Definitions that replaced others, see `noteReplaced`. */
  readonly replaced: Replaced[] = [];

  isUnresolved(node: Raw): boolean {
    switch (node.kind) {
      case 'object':
      case 'list':
        return this.unresolved.size > 0 && this.unresolved.has(node);
      case 'reference':
      case 'concatenation':
      case 'merge':
      case 'broken':
        return true;
      default:
        return false;
    }
  }
}

/** The entries of an object that may contain unresolved values. */
export function rawEntries(node: ObjectNode): Map<string, Raw> {
  return node.entries as Map<string, Raw>;
}

/** The items of a list that may contain unresolved values. */
export function rawItems(node: ListNode): Raw[] {
  return node.items as Raw[];
}
