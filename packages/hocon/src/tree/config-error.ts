import type { ConfigNode, Origin } from './node.ts';
import type { ProblemKind } from './problem.ts';

/** The properties of a {@link ConfigError} in addition to its message. */
export interface ErrorDetails {
  origin?: Origin | undefined;
  hint?: string | undefined;
}

/** The error for a value that is missing or has the wrong type. The message contains its position. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  /** One of `Missing`, `Null`, `WrongType`, `BadValue` and `BadPath`. */
  readonly kind: ProblemKind;
  readonly path: string;
  /** The position of the value. Undefined if the value is missing. */
  readonly origin: Origin | undefined;
  /** A hint that says what the user can do. */
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

/** Returns a description of a value for messages. */
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
