import type { ConfigNode, ListNode, ObjectNode, Origin, Replaced, StringNode } from './node.ts';

/** `${path}` or `${?path}`. The first `prefix` elements of the path are where the file was included. */
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

/** The result of resolving a node, kept with it. Undefined: an optional substitution found nothing. */
export interface Settled {
  value: Raw | undefined;
}

/** Adjacent values that cannot be joined before their substitutions are known. */
export interface ConcatenationNode {
  kind: 'concatenation';
  pieces: Raw[];
  origin: Origin;
  /** Of `a += 1`: the list that is appended, when nothing in it waits for a substitution and nothing else is around. */
  append?: ListNode;
  settled?: Settled;
}

/** Definitions of one field that cannot be merged before their substitutions are known. Latest definition last. */
export interface MergeNode {
  kind: 'merge';
  stack: Raw[];
  /** How many layers of the stack count, from below; all when it is not set. */
  height?: number;
  origin: Origin;
  settled?: Settled;
  /** Of a merge that is the lower part of another one: that one. */
  head?: MergeNode;
  /** While one of the layers is being resolved: what the merge shows of itself, if anything. */
  shown?: Settled | undefined;
  /** How many of the lowest layers have been resolved, all of them without mistakes. */
  resolvedLayers?: number;
}

/** Stands for a value that has been reported as a problem: everything made from it has no value either. */
export interface BrokenNode {
  kind: 'broken';
  origin: Origin;
}

/** A value before resolving. Literal values are the final nodes already, so that plain text is built only once. */
export type Raw = ConfigNode | ReferenceNode | ConcatenationNode | MergeNode | BrokenNode;

/**
 * Facts about nodes that only merging and resolving need. They are kept beside the nodes because the nodes are handed
 * out as they are.
 */
export class Marks {
  /** Objects and lists with something unresolved below them (or that had, before it was overridden). */
  readonly unresolved = new Set<ObjectNode | ListNode>();
  /** Objects that have hidden a value that is no object: nothing further below may show through. */
  readonly opaque = new Set<ObjectNode>();
  /** Strings that were one unquoted word. Dropped after a list or an object. */
  readonly unquoted = new Set<StringNode>();
  /** The first elements of the paths of all substitutions. */
  readonly substituted = new Set<string>();
  /** Definitions that took the place of others, see `noteReplaced`. */
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

/** The entries of an object that may hold unresolved values. */
export function rawEntries(node: ObjectNode): Map<string, Raw> {
  return node.entries as Map<string, Raw>;
}

/** The items of a list that may hold unresolved values. */
export function rawItems(node: ListNode): Raw[] {
  return node.items as Raw[];
}
