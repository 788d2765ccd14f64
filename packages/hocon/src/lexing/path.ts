import { Lexer } from './lexer.ts';
import { Token } from './token.ts';

/** The error for an invalid path expression. */
export class PathError extends Error {
  override name = 'PathError';
  readonly code = 'bad-path';
  readonly kind = 'BadPath';
}

/**
 * Builds the elements of a path from the tokens of an expression. A path is a concatenation that is split at its dots.
 */
export class PathBuilder {
  readonly elements: string[] = [];
  #current = '';
  #mayBeEmpty = false;
  #hasEmpty = false;
  #started = false;

  /** Adds the text of a token. Dots in quotes do not split the path. */
  add(text: string, quoted: boolean): void {
    this.#started = true;
    if (quoted) {
      this.#current += text;
      if (this.#current === '') this.#mayBeEmpty = true;
      return;
    }
    let from = 0;
    for (let dot = text.indexOf('.'); dot >= 0; dot = text.indexOf('.', from)) {
      this.#current += text.slice(from, dot);
      this.#push();
      from = dot + 1;
    }
    this.#current += text.slice(from);
  }

  #push(): void {
    if (this.#current === '' && !this.#mayBeEmpty) this.#hasEmpty = true;
    this.elements.push(this.#current);
    this.#current = '';
    this.#mayBeEmpty = false;
  }

  /** Returns the elements, or the error of the expression. */
  finish(): string[] | string {
    if (!this.#started) return 'a path is missing here';
    this.#push();
    if (this.#hasEmpty) return 'a path must not start or end with a dot or have two dots in a row';
    return this.elements;
  }
}

const PLAIN = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/;

/**
 * Parses a path expression such as `a.b."c.d"` into its elements.
 * @throws PathError if the expression is invalid
 */
export function parsePath(expression: string): string[] {
  if (PLAIN.test(expression)) return expression.split('.');
  const lexer = new Lexer(expression.trim(), false);
  lexer.inPath = true;
  const builder = new PathBuilder();
  let wasSimple = false;
  for (lexer.next(); lexer.kind !== Token.end; lexer.next()) {
    if (lexer.kind < Token.string || lexer.kind >= Token.substitution) {
      const what = lexer.kind === Token.problem ? lexer.problem?.message : 'it has a character that needs quotes';
      throw new PathError(`"${expression}" is not a path: ${what}`);
    }
    if (wasSimple && lexer.spaceStart < lexer.start) builder.add(lexer.space(), false);
    builder.add(lexer.text, lexer.kind === Token.string);
    wasSimple = true;
  }
  const elements = builder.finish();
  if (typeof elements === 'string') throw new PathError(`"${expression}" is not a path: ${elements}`);
  return elements;
}

/** Returns path elements as an expression that {@link parsePath} can parse. */
export function renderPath(elements: readonly string[]): string {
  return elements.map(renderKey).join('.');
}

/** Returns one key as written in an expression. It has quotes unless it only contains letters, digits, `-` and `_`. */
export function renderKey(key: string): string {
  return /^[\p{L}\p{Nd}_-]+$/u.test(key) && !/[\ud800-\udfff]/.test(key) ? key : quote(key);
}

/** Matches texts that need no escapes inside quotes: printable ASCII without the quote and the backslash. */
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/;

/** Returns a string in quotes, with the escapes of JSON. */
export function quote(text: string): string {
  if (NEEDS_NO_ESCAPE.test(text)) return `"${text}"`;
  return JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
