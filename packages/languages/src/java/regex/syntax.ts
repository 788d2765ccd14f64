import type { CharSet } from './char-set.ts';

/**
 * The syntax tree of a Java pattern. The sets and assertions already include the effect of the flags.
 */
export type Node =
  | { readonly type: 'empty' }
  /** One code point of a set. A letter of the pattern is a set with one member. */
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
  /** The body of a lookbehind with a fixed length, which is matched forwards from its start. */
  | { readonly type: 'forward'; readonly body: Node; readonly length: number };

/** A capturing group. `index` is its number in Java. */
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

/** A back-reference to the group with this number. */
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
