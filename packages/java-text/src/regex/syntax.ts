import type { CharSet } from './char-set.ts';

/**
 * The meaning of a Java pattern, without its notation: flags are already applied to the sets and assertions that they
 * change.
 */
export type Node =
  | { readonly type: 'empty' }
  /** One code point of a set; a letter of the pattern is a set of one. */
  | { readonly type: 'set'; readonly set: CharSet }
  | { readonly type: 'sequence'; readonly items: readonly Node[] }
  | { readonly type: 'alternation'; readonly options: readonly Node[] }
  | GroupNode
  | { readonly type: 'atomic'; readonly body: Node }
  | LookNode
  /** A condition on the position, as JavaScript source. */
  | { readonly type: 'assertion'; readonly source: string }
  /** A grapheme cluster, `\X`. */
  | { readonly type: 'grapheme' }
  | RepeatNode
  | ReferenceNode
  /** A body of fixed length in a lookbehind, matched forwards from that distance. */
  | { readonly type: 'forward'; readonly body: Node; readonly length: number };

/** A capturing group; `index` is Java's number of it. */
export interface GroupNode {
  readonly type: 'group';
  readonly index: number;
  readonly body: Node;
}

export interface LookNode {
  readonly type: 'look';
  readonly backward: boolean;
  readonly negative: boolean;
  readonly body: Node;
  readonly position: number;
}

export interface RepeatNode {
  readonly type: 'repeat';
  readonly body: Node;
  readonly min: number;
  readonly max: number;
  readonly mode: 'greedy' | 'lazy' | 'possessive';
  readonly position: number;
}

/** A back-reference to the group of that number. */
export interface ReferenceNode {
  readonly type: 'reference';
  readonly index: number;
  readonly ignoreCase: boolean;
  readonly position: number;
}

/** The parsed pattern. */
export interface Syntax {
  readonly root: Node;
  readonly groupCount: number;
  /** Number of each named group. */
  readonly names: ReadonlyMap<string, number>;
}
