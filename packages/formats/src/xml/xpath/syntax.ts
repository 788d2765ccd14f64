/** The error for an XPath expression that is invalid or not supported. */
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

/** The test of a step on the nodes of its axis. `name` is undefined for `*`, and for any processing instruction. */
export type NodeTest =
  | { readonly kind: 'name'; readonly name: string | undefined }
  /** A name with a prefix that no namespace has. It matches nothing. */
  | { readonly kind: 'nothing' }
  /** A name in a namespace. `name` is undefined for any name. */
  | {
      readonly kind: 'qualified';
      readonly prefix: string;
      readonly namespace: string;
      readonly name: string | undefined;
    }
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
  /** Steps from the root, from the result of an expression, or from the context node (`from` is undefined). */
  | { readonly type: 'path'; readonly from: 'root' | Syntax | undefined; readonly steps: readonly Step[] }
  | { readonly type: 'filter'; readonly operand: Syntax; readonly predicates: readonly Syntax[] };
