import { Lexer } from '../lexing/lexer.ts';
import { quote, renderPath } from '../lexing/path.ts';
import { Token } from '../lexing/token.ts';
import type { ParseResult } from '../loading/parse.ts';
import { parse } from '../loading/parse.ts';
import { checkOptions, type ParseOptions } from '../loading/parse-options.ts';
import { Parser } from '../parsing/parser.ts';
import type { FieldSpan } from '../parsing/session.ts';
import { checkText } from '../tree/arguments.ts';
import { ConfigError, describe } from '../tree/config-error.ts';
import { defaultLimits } from '../tree/limits.ts';
import type { ConfigNode, PlainValue } from '../tree/node.ts';
import type { Problem } from '../tree/problem.ts';
import { ProblemList } from '../tree/problem.ts';
import { Marks } from '../tree/raw.ts';
import type { PathLike } from '../values/tree-path.ts';
import { elementsOf, getPath } from '../values/tree-path.ts';
import { EditError } from './edit-error.ts';
import { render } from './render.ts';

/**
 * Changes only one value of a text. Comments, order and layout of the rest are kept. An existing value is replaced in
 * place. A new field is added to the innermost object that has braces in the text, or at the end. The edited text is
 * parsed again: if another definition would hide the new value, the value is added at the end instead. Strict JSON
 * stays strict JSON.
 * @param path a path expression or its elements; elements of lists have no path
 * @param options the options of {@link parse} that the text needs; the limits apply to the edited text
 * @throws EditError if the value cannot be set: the brackets of the text are unbalanced, or the text would have more
 * mistakes than before, because other values conflict with the new one
 * @throws ConfigError of kind `BadPath` for an invalid path, or `BadValue` for a value that a config cannot contain
 * @throws ArgumentError for the same arguments as {@link parse}
 */
export function setValue(
  text: string,
  path: PathLike,
  value: PlainValue | ConfigNode,
  options: ParseOptions = {},
): string {
  checkText(text, 'the text');
  checkOptions(options);
  const elements = elementsOf(path);
  if (elements.length === 0)
    throw new ConfigError('BadPath', '', 'the path of the value is empty', { hint: 'name a field' });
  if (options.format === 'properties')
    throw new EditError('only HOCON and JSON can be edited, not properties', undefined);
  const editor = new Editor(text, elements, value, options);
  for (const edited of editor.candidates()) if (editor.isRight(edited)) return edited;
  throw editor.refusal();
}

/** An object with braces in the text, and the positions of its direct fields. */
interface Place {
  depth: number;
  open: number;
  close: number;
}

class Editor {
  readonly #text: string;
  readonly #path: readonly string[];
  readonly #value: PlainValue | ConfigNode;
  readonly #written: string;
  readonly #options: ParseOptions;
  readonly #json: boolean;
  readonly #before: ParseResult;
  readonly #spans: FieldSpan[] = [];
  /** The problem that prevents reading the whole text. Nothing can be added to such a text. */
  readonly #stuck: Problem | undefined;
  /** The problem of the edited text. */
  #newProblem: Problem | undefined;

  constructor(text: string, path: readonly string[], value: PlainValue | ConfigNode, options: ParseOptions) {
    this.#text = text;
    this.#path = path;
    this.#value = value;
    this.#written = render(value, { indent: 0, sorted: true });
    this.#json = text.trim() !== '' && parse(text, { format: 'json' }).problems.length === 0;
    this.#options = { ...options, format: this.#json ? 'json' : 'hocon' };
    this.#before = parse(text, this.#options);
    const problems = new ProblemList(1);
    const session = {
      limits: { ...defaultLimits, ...options.limits },
      problems,
      marks: new Marks(),
      marksWords: false,
      joinsAppends: false,
      textLength: text.length,
      includedText: 0,
      files: 0,
      include: () => undefined,
    };
    const onField = (span: FieldSpan) => {
      if (!span.inList) this.#spans.push(span);
    };
    const format = this.#json ? 'json' : 'hocon';
    const parser = new Parser({ text, file: options.file, format, prefix: [], known: {}, onField }, session);
    parser.parse();
    if (!parser.isWhole) this.#stuck = this.#before.problems[0];
  }

  /** Returns true if an edited text has the new value at the path, without new mistakes. */
  isRight(edited: string): boolean {
    const { root, problems } = parse(edited, this.#options);
    const found = getPath(root, this.#path);
    if (problems.length > this.#before.problems.length) {
      const known = new Set(this.#before.problems.map(({ code, message }) => `${code} ${message}`));
      this.#newProblem ??= problems.find(({ code, message }) => !known.has(`${code} ${message}`)) ?? problems[0];
      return false;
    }
    return found !== undefined && render(found, { indent: 0, sorted: true }) === this.#written;
  }

  /** Returns the error after all candidates have failed. It says why the new value cannot be set. */
  refusal(): EditError {
    const problem = this.#stuck ?? this.#newProblem;
    return new EditError(`${renderPath(this.#path)} cannot be set: ${this.#obstacle()}`, problem);
  }

  #obstacle(): string {
    for (let depth = 1; this.#json && depth < this.#path.length; depth++) {
      const above = this.#path.slice(0, depth);
      const found = getPath(this.#before.root, above);
      if (found !== undefined && found.kind !== 'object')
        return `${renderPath(above)} is ${describe(found)}, not an object`;
    }
    if (this.#stuck !== undefined) {
      return `first correct the mistake on line ${this.#stuck.line}: ${this.#stuck.message}`;
    }
    if (this.#newProblem !== undefined) {
      const { line, message } = this.#newProblem;
      return `the new text would have a mistake on line ${line}: ${message}`;
    }
    return 'a definition in an include or an override would replace it';
  }

  *candidates(): Generator<string> {
    const last = this.#spans.findLast(({ path, appends }) => !appends && samePath(path, this.#path));
    if (last !== undefined) {
      const written = this.#write(this.#value, this.#indentAt(last.keyStart));
      // A field without a separator needs one for a value without braces.
      const separator = /[^\s=:]\s*$/.test(this.#text.slice(last.keyStart, last.valueStart)) ? '= ' : '';
      yield this.#splice(last.valueStart, last.valueEnd, separator + written);
    }
    if (this.#stuck !== undefined) return;
    for (const place of this.#places()) yield this.#insert(place);
    yield this.#append();
  }

  /** Returns the objects with braces on the way to the path, innermost and latest first. */
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
    // The field is added after a comma or comment on the line of the last field.
    const rest = this.#json
      ? 0
      : (/^[^\S\n]*,?[^\S\n]*(?:(?:#|\/\/)[^\n]*)?(?=\n)/.exec(this.#text.slice(end))?.[0].length ?? 0);
    return this.#splice(end + rest, end + rest, field);
  }

  /** Adds the field at the end of a text without braces. */
  #append(): string {
    const text = this.#text;
    return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${this.#field(0, '')}\n`;
  }

  /** Returns the text of the field inside an object at this depth. */
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

  /** Returns the white space at the start of the line. */
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
