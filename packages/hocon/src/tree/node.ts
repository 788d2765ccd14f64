/** A position in a text. Lines and columns count from 1, columns in UTF-16 code units. */
export interface Origin {
  file: string | undefined;
  line: number;
  column: number;
}

/** A value of the tree. Plain data: it survives `structuredClone`. Subtrees may be shared, so do not change nodes. */
export type ConfigNode = ObjectNode | ListNode | StringNode | NumberNode | BooleanNode | NullNode;

export interface ObjectNode {
  kind: 'object';
  entries: Map<string, ConfigNode>;
  /** The position of the winning definition of each key. */
  keys: Map<string, Origin>;
  origin: Origin;
  /** Of the root of a text: the keys at its top that its substitutions name, found or not. */
  substituted?: Set<string>;
  /** Of the root of a text: values that replace another value of the same file, probably by mistake. */
  replaced?: readonly Replaced[];
}

/** A field that is defined twice in one file, with different values. */
export interface Replaced {
  key: string;
  /** The position of the key that counts. */
  by: Origin;
  /** The position of the key whose value is lost. */
  before: Origin;
}

export interface ListNode {
  kind: 'list';
  items: ConfigNode[];
  origin: Origin;
}

export interface StringNode {
  kind: 'string';
  value: string;
  origin: Origin;
  /** The value, or a part of it, came from the environment. */
  fromEnv?: true;
}

export interface NumberNode {
  kind: 'number';
  /** A `bigint` only where a number would lose digits. */
  value: number | bigint;
  /** The text as written, `1.50` or `007`. */
  text: string;
  /** True if the reference stores it as floating point, which it never does for whole numbers of 64 bits. */
  float: boolean;
  origin: Origin;
  fromEnv?: true;
}

export interface BooleanNode {
  kind: 'boolean';
  value: boolean;
  origin: Origin;
  fromEnv?: true;
}

export interface NullNode {
  kind: 'null';
  origin: Origin;
}

/**
 * A floating-point value that is a whole number (`1e30`) or not finite. In plain values it is separate from the
 * integers. Arithmetic on it works through `valueOf`.
 */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  valueOf(): number {
    return this.value;
  }

  toJSON(): number {
    return this.value;
  }
}

/** A plain value: the result of {@link toValue}. Objects have no prototype. */
export type PlainValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Float
  | PlainValue[]
  | { [key: string]: PlainValue };
