import { describe } from './config-error.ts';
import type { PathLike } from './getters.ts';
import { elementsOf, getPath } from './getters.ts';
import { Lexer } from './lexer.ts';
import { defaultLimits } from './limits.ts';
import type { ConfigNode, PlainValue } from './node.ts';
import { parse } from './parse.ts';
import { Parser } from './parser.ts';
import { quote, renderPath } from './path.ts';
import { ProblemList } from './problem.ts';
import { Marks } from './raw.ts';
import { render } from './render.ts';
import type { FieldSpan } from './session.ts';
import { Token } from './token.ts';

/**
 * Changes one value of a text and nothing else: comments, order and layout of the rest stay. A value that is there is
 * replaced in its place; else the field is added to the innermost object that is written out, or at the end. The edited
 * text is parsed again: where another definition would hide the new value, it is added at the end instead.
 *
 * @param path a path expression or its elements; elements of lists have no path
 * @throws ConfigError of kind `BadPath`
 * @throws RangeError when the text cannot be edited: it has mistakes around the place, or other values do not go
 *   together with the new one
 */
export function setValue(text: string, path: PathLike, value: PlainValue | ConfigNode): string {
  const editor = new Editor(text, elementsOf(path), value);
  for (const edited of editor.candidates()) if (editor.isRight(edited)) return edited;
  throw new RangeError(`${renderPath(elementsOf(path))} cannot be set: ${editor.obstacle()}`);
}

/** An object that is written out with braces, and what is known of the fields directly in it. */
interface Place {
  depth: number;
  open: number;
  close: number;
}

class Editor {
  readonly #text: string;
  readonly #path: readonly string[];
  readonly #value: PlainValue | ConfigNode;
  readonly #json: boolean;
  readonly #spans: FieldSpan[] = [];

  constructor(text: string, path: readonly string[], value: PlainValue | ConfigNode) {
    this.#text = text;
    this.#path = path;
    this.#value = value;
    this.#json = text.trim() !== '' && parse(text, { format: 'json' }).problems.length === 0;
    const session = {
      limits: defaultLimits,
      problems: new ProblemList(0),
      marks: new Marks(),
      marksWords: false,
      textLength: text.length,
      include: () => undefined,
    };
    const onField = (span: FieldSpan) => {
      if (!span.inList) this.#spans.push(span);
    };
    const format = this.#json ? 'json' : 'hocon';
    new Parser({ text, file: undefined, format, prefix: [], onField }, session).parse();
  }

  /** Whether an edited text has the new value at the path, without new mistakes. */
  isRight(edited: string): boolean {
    const format = this.#json ? 'json' : 'hocon';
    const { root, problems } = parse(edited, { format });
    const found = getPath(root, this.#path);
    if (found === undefined || problems.length > parse(this.#text, { format }).problems.length) return false;
    return render(found, { indent: 0, sorted: true }) === render(this.#value, { indent: 0, sorted: true });
  }

  /** What keeps the new value from its place, once no candidate was right. */
  obstacle(): string {
    const { root, problems } = parse(this.#text, { format: this.#json ? 'json' : 'hocon' });
    for (let depth = 1; this.#json && depth < this.#path.length; depth++) {
      const above = this.#path.slice(0, depth);
      const found = getPath(root, above);
      if (found !== undefined && found.kind !== 'object')
        return `${renderPath(above)} is ${describe(found)}, not an object`;
    }
    return problems.length > 0 ? 'correct the mistakes of the text first' : 'other values need the one that is there';
  }

  *candidates(): Generator<string> {
    const last = this.#spans.findLast(({ path, appends }) => !appends && samePath(path, this.#path));
    if (last !== undefined) {
      const written = this.#write(this.#value, this.#indentAt(last.keyStart));
      // A field without a separator needs one for a value without braces.
      const separator = /[^\s=:]\s*$/.test(this.#text.slice(last.keyStart, last.valueStart)) ? '= ' : '';
      yield this.#splice(last.valueStart, last.valueEnd, separator + written);
    }
    for (const place of this.#places()) yield this.#insert(place);
    yield this.#append();
  }

  /** The objects written out on the way to the path, innermost and latest first. */
  #places(): Place[] {
    const places: Place[] = [];
    for (const { path, node, valueStart, valueEnd, appends } of this.#spans) {
      const above = path.length < this.#path.length && samePath(path, this.#path.slice(0, path.length));
      const braces = this.#text.charAt(valueStart) === '{' && this.#text.charAt(valueEnd - 1) === '}';
      if (above && !appends && node.kind === 'object' && braces) {
        places.push({ depth: path.length, open: valueStart, close: valueEnd - 1 });
      }
    }
    const root = this.#rootBraces();
    if (root !== undefined) places.unshift(root);
    return places.reverse().sort((a, b) => b.depth - a.depth);
  }

  #rootBraces(): Place | undefined {
    const lexer = new Lexer(this.#text, this.#json);
    const next = () => {
      lexer.next();
      return lexer.kind;
    };
    let kind = next();
    while (kind === Token.newline) kind = next();
    if (kind !== Token.openCurly) return undefined;
    const open = lexer.start;
    let close = -1;
    for (; kind !== Token.end; kind = next()) if (kind === Token.closeCurly) close = lexer.start;
    return close < 0 ? undefined : { depth: 0, open, close };
  }

  #insert({ depth, open, close }: Place): string {
    const inside = this.#spans.filter(({ keyStart, valueEnd }) => keyStart > open && valueEnd <= close);
    const first = inside.reduce((least, { keyStart }) => Math.min(least, keyStart), close);
    const end = inside.reduce((most, { valueEnd }) => Math.max(most, valueEnd), -1);
    if (end < 0) return this.#splice(close, close, ` ${this.#field(depth, '')} `);
    const comma = this.#json ? ',' : '';
    if (!this.#text.slice(open, first).includes('\n')) return this.#splice(end, end, `, ${this.#field(depth, '')}`);
    const indent = this.#indentAt(first);
    const field = `${comma}\n${indent}${this.#field(depth, indent)}`;
    // Behind a comment or comma that follows the last field on its line.
    const rest = this.#json
      ? 0
      : (/^[^\S\n]*,?[^\S\n]*(?:(?:#|\/\/)[^\n]*)?(?=\n)/.exec(this.#text.slice(end))?.[0].length ?? 0);
    return this.#splice(end + rest, end + rest, field);
  }

  /** At the end of a text without braces. */
  #append(): string {
    const text = this.#text;
    return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${this.#field(0, '')}\n`;
  }

  /** The field as it is written inside an object at this depth. */
  #field(depth: number, indent: string): string {
    const path = this.#path.slice(depth);
    if (!this.#json) {
      const key = path[0] === 'include' ? path.map(quote).join('.') : renderPath(path);
      return `${key} = ${this.#write(this.#value, indent)}`;
    }
    const [key = '', ...rest] = path;
    const value = rest.reduceRight<PlainValue | ConfigNode>(
      (inner, name) => JSON.parse(`{${quote(name)}:${render(inner, { indent: 0 })}}`),
      this.#value,
    );
    return `${quote(key)}: ${this.#write(value, indent)}`;
  }

  #write(value: PlainValue | ConfigNode, indent: string): string {
    return render(value, { format: 'json' }).replaceAll('\n', `\n${indent}`);
  }

  /** The white space at the start of the line. */
  #indentAt(offset: number): string {
    const line = this.#text.slice(this.#text.lastIndexOf('\n', offset - 1) + 1, offset);
    return /^\s*/.exec(line)![0];
  }

  #splice(start: number, end: number, replacement: string): string {
    return this.#text.slice(0, start) + replacement + this.#text.slice(end);
  }
}

function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, i) => key === b[i]);
}
