import { quote, renderKey } from '../lexing/path.ts';
import type { SyntaxPart, SyntaxTree } from '../syntax/syntax-tree.ts';
import { ArgumentError } from '../tree/arguments.ts';
import type { ConfigNode, PlainValue } from '../tree/node.ts';
import { fromValue } from '../values/from-value.ts';
import { isNode, render } from './render.ts';

/** How a text is written, so that new values look like the values around them. */
export interface TextStyle {
  json: boolean;
  /** The text between a key and its value. */
  separator: string;
  /** True to write all strings in quotes. */
  quotes: boolean;
  /** The white space that indents one level. */
  unit: string;
}

/** Returns the style that most of a text is written in. */
export function styleOf({ text, root }: SyntaxTree, json: boolean): TextStyle {
  const counts = { colon: 0, equals: 0, spaced: 0, quoted: 0, unquoted: 0 };
  const work: SyntaxPart[] = root === undefined ? [] : [root];
  for (let part = work.pop(); part !== undefined; part = work.pop()) {
    if (part.kind === 'list') for (const { parts } of part.items) work.push(...parts);
    else if (part.kind === 'object') {
      for (const { separator, value } of part.fields) {
        if (separator !== undefined && value !== undefined) {
          counts[text[separator.from] === ':' ? 'colon' : 'equals']++;
          if (separator.to < value.from) counts.spaced++;
        }
        if (value !== undefined) work.push(...value.parts);
      }
    } else if (part.kind === 'string') counts.quoted++;
    else if (part.kind === 'unquoted') counts.unquoted++;
  }
  const isCompact = counts.spaced * 2 < counts.colon + counts.equals;
  const sign = json || counts.colon >= counts.equals ? ':' : '=';
  const spaced = sign === ':' ? ': ' : ' = ';
  return {
    json,
    separator: isCompact ? sign : spaced,
    quotes: json || (counts.quoted > 0 && counts.unquoted === 0),
    unit: /(?:^|\n)([ \t]+)[^\s]/.exec(text)?.[1] ?? '  ',
  };
}

/** The text of one value in the style of the text around it. */
export class ValueWriter {
  readonly #style: TextStyle;
  /** The maximum length of an object or list on one line. */
  readonly #width: number;

  constructor(style: TextStyle, width: number) {
    this.#style = style;
    this.#width = width;
  }

  /** @param indent the white space at the start of the line of the value */
  write(value: PlainValue | ConfigNode, indent: string): string {
    return this.#node(toNode(value), indent, 0);
  }

  key(path: readonly string[]): string {
    if (this.#style.json) return quote(path[0] ?? '');
    return path[0] === 'include' ? path.map(quote).join('.') : renderPathOf(path);
  }

  field(path: readonly string[], value: PlainValue | ConfigNode, indent: string): string {
    let node = toNode(value);
    const { json, separator } = this.#style;
    const { origin } = node;
    if (json) {
      for (const key of path.slice(1).reverse()) {
        node = { kind: 'object', entries: new Map([[key, node]]), keys: new Map([[key, origin]]), origin };
      }
    }
    return `${this.key(path)}${separator}${this.#node(node, indent, 0)}`;
  }

  #node(node: ConfigNode, indent: string, depth: number): string {
    if (node.kind === 'string') return this.#string(node.value);
    if (node.kind !== 'object' && node.kind !== 'list') return render(node);
    if (depth > 200) return render(node, { indent: 0 });
    const inner = indent + this.#style.unit;
    const isObject = node.kind === 'object';
    const [open, close] = isObject ? ['{', '}'] : ['[', ']'];
    const write = (at: string): string[] => {
      if (!isObject) return node.items.map((item) => this.#node(item, at, depth + 1));
      return Array.from(node.entries, ([key, child]) => {
        return `${this.key([key])}${this.#style.separator}${this.#node(child, at, depth + 1)}`;
      });
    };
    const parts = write(inner);
    if (parts.length === 0) return open + close;
    const space = isObject ? ' ' : '';
    const line = `${open}${space}${parts.join(', ')}${space}${close}`;
    if (!line.includes('\n') && line.length <= this.#width) return line;
    const comma = this.#style.json ? ',' : '';
    return `${open}\n${inner}${parts.join(`${comma}\n${inner}`)}\n${indent}${close}`;
  }

  #string(value: string): string {
    const isPlain = /^[A-Za-z_][\w.-]*$/.test(value) && !/^(?:true|false|null|include)/.test(value);
    return isPlain && !this.#style.quotes ? value : quote(value);
  }
}

function renderPathOf(path: readonly string[]): string {
  return path.map(renderKey).join('.');
}

export function toNode(value: PlainValue | ConfigNode): ConfigNode {
  if (value === undefined) throw new ArgumentError('the value must not be undefined');
  return isNode(value) ? value : fromValue(value);
}
