/** An XPath expression that is invalid, or not supported here. */
export class XPathError extends Error {
  override readonly name = 'XPathError';
}

export type Axis =
  | 'ancestor'
  | 'ancestor-or-self'
  | 'attribute'
  | 'child'
  | 'descendant'
  | 'descendant-or-self'
  | 'following'
  | 'following-sibling'
  | 'namespace'
  | 'parent'
  | 'preceding'
  | 'preceding-sibling'
  | 'self';

/** Which nodes of an axis a step selects. `name` is undefined for `*`, and for any target of an instruction. */
export type NodeTest =
  | { readonly kind: 'name'; readonly name: string | undefined }
  /** A name with a prefix: no namespaces are bound, so it matches nothing. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'node' | 'text' | 'comment' }
  | { readonly kind: 'instruction'; readonly name: string | undefined };

export interface Step {
  readonly axis: Axis;
  readonly test: NodeTest;
  readonly predicates: readonly Syntax[];
}

export type BinaryOperator =
  | 'or'
  | 'and'
  | '='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '+'
  | '-'
  | '*'
  | 'div'
  | 'mod'
  | '|';

/** A parsed expression. */
export type Syntax =
  | { readonly type: 'literal'; readonly value: string | number }
  | { readonly type: 'binary'; readonly operator: BinaryOperator; readonly left: Syntax; readonly right: Syntax }
  | { readonly type: 'negation'; readonly operand: Syntax }
  | { readonly type: 'call'; readonly name: string; readonly args: readonly Syntax[] }
  /** Steps from the root, from the result of an expression, or (`from` undefined) from the context node. */
  | { readonly type: 'path'; readonly from: 'root' | Syntax | undefined; readonly steps: readonly Step[] }
  | { readonly type: 'filter'; readonly operand: Syntax; readonly predicates: readonly Syntax[] };
