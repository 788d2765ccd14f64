import type { ConfigNode, Origin } from './node.ts';
import type { ProblemKind } from './problem.ts';

/** The properties of a {@link ConfigError} in addition to its message. */
export interface ErrorDetails {
  origin?: Origin | undefined;
  hint?: string | undefined;
}

/** Thrown for a value that is missing, or of another type than required. The message has its position. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  /** `Missing`, `Null`, `WrongType`, `BadValue` or `BadPath`. */
  readonly kind: ProblemKind;
  readonly path: string;
  /** The position of the value; undefined if it is missing. */
  readonly origin: Origin | undefined;
  /** What to do about it. */
  readonly hint: string | undefined;

  constructor(kind: ProblemKind, path: string, message: string, { origin, hint }: ErrorDetails = {}) {
    super(origin === undefined ? message : `${at(origin)}${message}`);
    this.kind = kind;
    this.path = path;
    this.origin = origin;
    this.hint = hint;
  }
}

function at({ file, line, column }: Origin): string {
  return `${file === undefined ? 'line ' : `${file}:`}${line}:${column}: `;
}

/** A value in words, for messages. */
export function describe(node: ConfigNode): string {
  switch (node.kind) {
    case 'object':
      return 'an object';
    case 'list':
      return 'a list';
    case 'null':
      return 'null';
    case 'string':
      return `the string ${shorten(JSON.stringify(node.value))}`;
    case 'number':
      return `the number ${node.text}`;
    default:
      return `the boolean ${node.value}`;
  }
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
