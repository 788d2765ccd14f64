/** A node of the syntax tree of the library's parser, with the properties that this evaluator uses. */
export interface Syntax {
  readonly type: string;
  readonly value?: unknown;
  readonly steps?: readonly Syntax[];
  readonly stages?: readonly Stage[];
  readonly predicate?: readonly Stage[];
  readonly group?: Group;
  readonly lhs?: Syntax | Group['lhs'];
  readonly rhs?: Syntax;
  readonly expression?: Syntax;
  readonly expressions?: readonly Syntax[];
  readonly condition?: Syntax;
  readonly then?: Syntax;
  readonly else?: Syntax;
  readonly procedure?: Syntax;
  readonly arguments?: readonly Syntax[];
  readonly body?: Syntax;
  readonly thunk?: boolean;
  readonly terms?: readonly { readonly descending: boolean; readonly expression: Syntax }[];
  readonly consarray?: boolean;
  readonly keepArray?: boolean;
  readonly keepSingletonArray?: boolean;
}

/** A condition or index in brackets. */
export interface Stage {
  readonly type: string;
  readonly expr: Syntax;
}

/** An object constructor: pairs of a key expression and a value expression. */
export interface Group {
  readonly lhs: readonly (readonly [Syntax, Syntax])[];
}

/**
 * Thrown for everything that the library must evaluate: unknown syntax during compilation, and unusual values and
 * errors during evaluation.
 */
export class LeftToLibrary extends Error {
  override readonly name = 'LeftToLibrary';
}

const LEFT = new LeftToLibrary('left to the library');

/** Throws `LeftToLibrary`. One error object is reused, because a stack trace costs more than most expressions. */
export function leave(): never {
  throw LEFT;
}
