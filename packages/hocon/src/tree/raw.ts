import type { ConfigNode, ListNode, ObjectNode, Origin, Replaced, StringNode } from './node.ts';

/**
 * A substitution `${path}` or `${?path}`. The first `prefix` elements of the path are the path at which the file was
 * included.
 */
export interface ReferenceNode {
  kind: 'reference';
  path: string[];
  optional: boolean;
  prefix: number;
  origin: Origin;
  settled?: Settled;
  /** Set while the resolver follows the substitution. */
  followed?: boolean;
}

/** The cached result of resolving a node. Undefined if an optional substitution found nothing. */
export interface Settled {
  value: Raw | undefined;
}

/** Adjacent values that cannot be joined before their substitutions are known. */
export interface ConcatenationNode {
  kind: 'concatenation';
  pieces: Raw[];
  origin: Origin;
  /** For `a += 1`: the appended list, if nothing in it waits for a substitution and no other value is around it. */
  append?: ListNode;
  settled?: Settled;
}

/**
 * Definitions of one field that cannot be merged before their substitutions are known. The latest definition is last.
 */
export interface MergeNode {
  kind: 'merge';
  stack: Raw[];
  /** The number of layers of the stack that are used, from the bottom. Absent means all. */
  height?: number;
  origin: Origin;
  settled?: Settled;
  /** For a merge that is the lower part of another merge: the other merge. */
  head?: MergeNode;
  /** The visible part of the merge while one of its layers is being resolved. */
  shown?: Settled | undefined;
  /** The number of the lowest layers that have been resolved without mistakes. */
  resolvedLayers?: number;
}

/** Replaces a value that has been reported as a problem. Values that are made from it do not exist either. */
export interface BrokenNode {
  kind: 'broken';
  origin: Origin;
}

/** A value before resolving. Literal values are already the final nodes, so that plain text is built only once. */
export type Raw = ConfigNode | ReferenceNode | ConcatenationNode | MergeNode | BrokenNode;

/**
 * Facts about nodes that only merging and resolving need. They are stored separately, because the nodes are part of the
 * result.
 */
export class Marks {
  /** Objects and lists that contain unresolved values, or contained some before these were overridden. */
  readonly unresolved = new Set<ObjectNode | ListNode>();
  /** Objects that have hidden a value that is not an object. Nothing below that value is visible. */
  readonly opaque = new Set<ObjectNode>();
  /** Strings that were one unquoted word. They are dropped after a list or an object. */
  readonly unquoted = new Set<StringNode>();
  /** The first elements of the paths of all substitutions. */
  readonly substituted = new Set<string>();
  /** The definitions that replaced other definitions, see `noteReplaced`. */
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

/** Returns the entries of an object that may contain unresolved values. */
export function rawEntries(node: ObjectNode): Map<string, Raw> {
  return node.entries as Map<string, Raw>;
}

/** Returns the items of a list that may contain unresolved values. */
export function rawItems(node: ListNode): Raw[] {
  return node.items as Raw[];
}
