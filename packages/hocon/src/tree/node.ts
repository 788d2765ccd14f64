/** A position in a text. Lines and columns start at 1. Columns count UTF-16 code units. */
export interface Origin {
  file: string | undefined;
  line: number;
  column: number;
}

/**
 * A value of the tree. Plain data, so `structuredClone` can copy it. Subtrees may be shared, so do not change nodes.
 */
export type ConfigNode = ObjectNode | ListNode | StringNode | NumberNode | BooleanNode | NullNode;

export interface ObjectNode {
  kind: 'object';
  entries: Map<string, ConfigNode>;
  /** The position of the definition that is used, by key. */
  keys: Map<string, Origin>;
  origin: Origin;
  /** For the root of a text: its keys that substitutions name, whether they are found or not. */
  substituted?: Set<string>;
  /** For the root of a text: values that replace another value of the same file, probably by mistake. */
  replaced?: readonly Replaced[];
}

/** A field with two definitions in one file that have different values. */
export interface Replaced {
  key: string;
  /** The position of the key whose value is used. */
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
  /** Set if the value, or a part of it, came from the environment. */
  fromEnv?: true;
}

export interface NumberNode {
  kind: 'number';
  /** The value. A `bigint` if a number would lose digits. */
  value: number | bigint;
  /** The text as written, such as `1.50` or `007`. */
  text: string;
  /** True if the reference stores the value as floating point. It never does for whole numbers of 64 bits. */
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
 * A floating-point value that is a whole number (`1e30`) or not finite. In plain values, this type distinguishes it
 * from integers. Arithmetic works through `valueOf`.
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

/** A plain value, the result of {@link toValue}. Objects have no prototype. */
export type PlainValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Float
  | PlainValue[]
  | { [key: string]: PlainValue };
