import type { ProblemCode } from '../tree/problem.ts';

/** The kinds of tokens. The kinds from `string` to `substitution` are simple values, which can be concatenated. */
export const Token = {
  end: 0,
  newline: 1,
  comma: 2,
  equals: 3,
  plusEquals: 4,
  colon: 5,
  openCurly: 6,
  closeCurly: 7,
  openSquare: 8,
  closeSquare: 9,
  /** Only in a path, where a comment is a mistake. In other places, comments are skipped. */
  comment: 10,
  problem: 11,
  string: 12,
  unquoted: 13,
  number: 14,
  true: 15,
  false: 16,
  null: 17,
  substitution: 18,
} as const;

export type TokenKind = (typeof Token)[keyof typeof Token];

/** The tokens of one character, by character code. 0 for characters that are not a token. */
export const singleToken = new Uint8Array(128);
for (const [c, kind] of [
  [',', Token.comma],
  ['=', Token.equals],
  [':', Token.colon],
  ['{', Token.openCurly],
  ['}', Token.closeCurly],
  ['[', Token.openSquare],
  [']', Token.closeSquare],
] as const) {
  singleToken[c.charCodeAt(0)] = kind;
}

/** The error of a token. */
export interface TokenProblem {
  code: ProblemCode;
  message: string;
  hint: string | undefined;
  /** An error of the surrounding token. It is reported after this one. */
  within?: { code: ProblemCode; message: string; hint: string | undefined; line: number; column: number };
}

/** Returns true for a simple value that can be a part of a key. */
export function isKeyToken(kind: number): boolean {
  return kind >= Token.string && kind !== Token.substitution;
}
