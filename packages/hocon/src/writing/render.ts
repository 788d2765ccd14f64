import { quote, renderKey } from '../lexing/path.ts';
import { ArgumentError } from '../tree/arguments.ts';
import { ConfigError } from '../tree/config-error.ts';
import type { ConfigNode, PlainValue } from '../tree/node.ts';
import { Float } from '../tree/node.ts';
import { floatText } from '../tree/number.ts';
import { fromValue } from '../values/from-value.ts';

export interface RenderOptions {
  /** The format. `json` by default. `hocon` omits quotes and braces if possible. */
  format?: 'json' | 'hocon';
  /** True to sort the keys of every object by UTF-16 code units. */
  sorted?: boolean;
  /** The number of spaces for each level. 0 writes everything on one line. 2 by default. */
  indent?: number;
}

/**
 * Returns a tree or a plain value as text that parses to an equal value. Infinity is written as `1e999`. Values that
 * are nested deeper than the limit of {@link parse} are written too.
 * @throws ConfigError of kind `BadValue` for values that a config cannot contain, see {@link fromValue}
 * @throws ArgumentError for options of the wrong type
 */
export function render(input: ConfigNode | PlainValue | undefined, options: RenderOptions = {}): string {
  const { format = 'json', indent = 2 } = options;
  if (format !== 'json' && format !== 'hocon') {
    throw new ArgumentError(`the option format must be "json" or "hocon", not ${JSON.stringify(format)}`);
  }
  if (!Number.isInteger(indent) || indent < 0) {
    throw new ArgumentError(`the option indent must be a whole number of spaces, not ${String(indent)}`);
  }
  return new Renderer(options).write(isNode(input) ? input : fromValue(input));
}

/** Returns true if an input is a node. A plain value may have fields with the same names, but of other types. */
export function isNode(input: ConfigNode | PlainValue | undefined): input is ConfigNode {
  if (typeof input !== 'object' || input === null || Array.isArray(input) || input instanceof Float) return false;
  const { kind, origin } = input;
  if (typeof origin !== 'object' || origin === null || !('line' in origin)) return false;
  switch (kind) {
    case 'object':
      return 'entries' in input && input.entries instanceof Map;
    case 'list':
      return 'items' in input && Array.isArray(input.items);
    case 'string':
    case 'boolean':
      return 'value' in input && typeof input.value === kind;
    case 'number':
      return 'text' in input && typeof input.text === 'string';
    default:
      return kind === 'null';
  }
}

/** The remaining output, last first: text, or a value at a depth. */
type Pending = string | { node: ConfigNode; depth: number };

class Renderer {
  readonly #hocon: boolean;
  readonly #sorted: boolean;
  readonly #indent: number;

  constructor(options: RenderOptions) {
    this.#hocon = options.format === 'hocon';
    this.#sorted = options.sorted ?? false;
    this.#indent = options.indent ?? 2;
  }

  write(root: ConfigNode): string {
    const out: string[] = [];
    const pending: Pending[] = [];
    if (this.#hocon && root.kind === 'object' && this.#indent > 0) this.#fields(root, 0, pending, false);
    else pending.push({ node: root, depth: 0 });
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (typeof next === 'string') out.push(next);
      else if (next.node.kind === 'object') this.#fields(next.node, next.depth, pending, true);
      else if (next.node.kind === 'list') this.#items(next.node.items, next.depth, pending);
      else out.push(this.#scalar(next.node));
    }
    return out.join('');
  }

  #fields(node: ConfigNode & { kind: 'object' }, depth: number, pending: Pending[], braces: boolean): void {
    const inner = braces ? depth + 1 : depth;
    const keys = [...node.entries.keys()];
    if (this.#sorted) keys.sort();
    if (braces && keys.length === 0) {
      pending.push('{}');
      return;
    }
    const parts: Pending[] = braces ? ['{'] : [];
    keys.forEach((key, i) => {
      const child = node.entries.get(key)!;
      const first = i === 0;
      if (braces || !first) parts.push(first ? this.#newline(inner) : this.#between(inner));
      parts.push(this.#key(key, child), { node: child, depth: inner });
    });
    if (braces) parts.push(this.#newline(depth), '}');
    else parts.push('\n');
    for (const part of parts.reverse()) pending.push(part);
  }

  #key(key: string, child: ConfigNode): string {
    if (this.#hocon) {
      // The bare word would start an include statement.
      const name = key === 'include' ? quote(key) : renderKey(key);
      return `${name}${child.kind === 'object' && this.#indent > 0 ? ' ' : ' = '}`;
    }
    return `${quote(key)}${this.#indent > 0 ? ': ' : ':'}`;
  }

  #items(items: ConfigNode[], depth: number, pending: Pending[]): void {
    if (items.length === 0) {
      pending.push('[]');
      return;
    }
    const parts: Pending[] = ['['];
    items.forEach((node, i) => {
      parts.push(i === 0 ? this.#newline(depth + 1) : this.#between(depth + 1), { node, depth: depth + 1 });
    });
    parts.push(this.#newline(depth), ']');
    for (const part of parts.reverse()) pending.push(part);
  }

  #newline(depth: number): string {
    return this.#indent > 0 ? `\n${' '.repeat(depth * this.#indent)}` : '';
  }

  #between(depth: number): string {
    if (this.#indent === 0) return this.#hocon ? ', ' : ',';
    return this.#hocon ? this.#newline(depth) : `,${this.#newline(depth)}`;
  }

  #scalar(node: Exclude<ConfigNode, { kind: 'object' | 'list' }>): string {
    switch (node.kind) {
      case 'string':
        return quote(node.value);
      case 'null':
        return 'null';
      case 'boolean':
        return String(node.value);
      default:
        return numberText(node.value, node.float);
    }
  }
}

/** Returns a number as text that parses to the same number. Infinity is a number too large for 64 bits. */
function numberText(value: number | bigint, float: boolean): string {
  if (typeof value === 'number') {
    if (Number.isNaN(value)) throw new ConfigError('BadValue', '', 'a number is NaN, which a config cannot contain');
    if (!Number.isFinite(value)) return value > 0 ? '1e999' : '-1e999';
    if (float && Number.isInteger(value)) return floatText(value);
  }
  return String(value);
}
