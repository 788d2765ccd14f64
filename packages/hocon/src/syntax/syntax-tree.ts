/** A part of a text, as offsets. `to` is exclusive. */
export interface Span {
  from: number;
  to: number;
}

/** The written form of an object, list or simple value. A text and its syntax tree contain the same characters. */
export type SyntaxPart = ObjectSyntax | ListSyntax | ScalarSyntax;

/** A value as written: one part, or several parts that are concatenated. */
export interface ValueSyntax extends Span {
  parts: SyntaxPart[];
}

export interface ObjectSyntax extends Span {
  kind: 'object';
  /** False for a config without braces around it. */
  braces: boolean;
  /** True if the closing brace exists. */
  closed: boolean;
  /** The fields in the order of the text, including several definitions of one key. */
  fields: FieldSyntax[];
}

export interface ListSyntax extends Span {
  kind: 'list';
  /** True if the closing bracket exists. */
  closed: boolean;
  items: ValueSyntax[];
}

export interface ScalarSyntax extends Span {
  kind: 'string' | 'unquoted' | 'number' | 'boolean' | 'null' | 'substitution' | 'mistake';
  /** The content of a string, otherwise the text as written. */
  text: string;
}

/** A field, also one that is not finished: the separator and the value may be missing. */
export interface FieldSyntax extends Span {
  key: KeySyntax;
  /** The position of `=`, `:` or `+=`. Undefined for `key { … }` and if it is missing. */
  separator: Span | undefined;
  /** True for `+=`. */
  appends: boolean;
  /** True for an include statement. It has no path. */
  include: boolean;
  value: ValueSyntax | undefined;
}

export interface KeySyntax extends Span {
  /** The elements of the key. Empty for an include statement, a missing key and an invalid one. */
  path: readonly string[];
  /** True if the whole key is one string in quotes. */
  quoted: boolean;
}

/** The positions of everything that is written in a text. */
export interface SyntaxTree {
  text: string;
  /** The config. Undefined for a text that is a list. */
  root: ObjectSyntax | undefined;
  /** The positions of the comments, without the white space at their ends. */
  comments: Span[];
  /** False if brackets or strings are not closed, or do not match. The tree then assumes their probable positions. */
  balanced: boolean;
}

/** Returns the only part of a value if it is an object. */
export function objectOf(value: ValueSyntax | undefined): ObjectSyntax | undefined {
  const part = value?.parts.length === 1 ? value.parts[0] : undefined;
  return part?.kind === 'object' ? part : undefined;
}

/** Returns the only part of a value if it is a list. */
export function listOf(value: ValueSyntax | undefined): ListSyntax | undefined {
  const part = value?.parts.length === 1 ? value.parts[0] : undefined;
  return part?.kind === 'list' ? part : undefined;
}
