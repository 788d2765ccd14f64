import { Cursor } from './cursor.ts';
import { TokenPath } from './evaluate.ts';
import { type FilterContext, type MakeMatcher, readFilter } from './filter-parser.ts';
import { readLiteral } from './literal.ts';
import type { Argument, PathFunction, Token } from './tokens.ts';

/**
 * The context of a path, which decides what may follow it: nothing, the rest of a filter, or the rest of an argument
 * list.
 */
type Place = 'whole' | 'filter' | 'argument';

// A name after a dot may contain almost any character. Inside a filter or an argument list it ends where the filter or
// list continues.
const NAMES: Readonly<Record<Place, RegExp>> = {
  whole: /[^.[(\s]+/y,
  filter: /(?:[^.[(\s<>=~!)\]&|,]|&(?!&)|\|(?!\|))+/y,
  argument: /[^.[(\s,)]+/y,
};

const INTEGER = /-?\d+/y;

/** Reads paths and their parts. */
export class PathParser {
  readonly #functions: ReadonlyMap<string, PathFunction>;
  readonly #filters: FilterContext;

  constructor(functions: ReadonlyMap<string, PathFunction>, makeMatcher: MakeMatcher) {
    this.#functions = functions;
    this.#filters = { makeMatcher, readPath: (cursor) => this.#path(cursor, 'filter') };
  }

  /** Compiles a path. A leading `$.` is optional. */
  parse(path: string): TokenPath {
    const cursor = new Cursor(path).skipBlanks();
    if (cursor.done) cursor.fail('The path is empty');
    const compiled =
      cursor.char === '$' || cursor.char === '@'
        ? this.#path(cursor, 'whole')
        : new TokenPath(this.#ordered(this.#first(cursor)), true);
    if (!cursor.skipBlanks().done) {
      cursor.fail(`Unexpected ${cursor.char}; a name with blanks needs the form ['a name']`);
    }
    return compiled;
  }

  /** Reads the tokens of a path that begins with a name, as after a dot. */
  #first(cursor: Cursor): Token[] {
    if (cursor.char === '.') cursor.fail('A path begins with $ or a name');
    const tokens = [this.#step(cursor, 'whole')];
    this.#steps(cursor, 'whole', tokens);
    return tokens;
  }

  /** Reads a path from its `$` or `@`. */
  #path(cursor: Cursor, place: Place): TokenPath {
    const tokens: Token[] = [];
    const fromRoot = cursor.char === '$';
    cursor.position++;
    if (place === 'whole' && !cursor.done && !/[.[\s]/.test(cursor.char)) cursor.fail('Expected . or [ after $');
    this.#steps(cursor, place, tokens);
    return new TokenPath(this.#ordered(tokens), fromRoot);
  }

  /** Reads the steps of a path. */
  #steps(cursor: Cursor, place: Place, tokens: Token[]): void {
    for (;;) {
      const dots = cursor.takeMatch(/\.+/y).length;
      if (dots > 2) cursor.fail('More than two dots', cursor.position - 1);
      if (dots === 2) tokens.push({ type: 'scan' });
      if (dots === 0 && cursor.char !== '[') return;
      tokens.push(this.#step(cursor, place));
    }
  }

  /** Reads a bracket, a wildcard, a name or a call. */
  #step(cursor: Cursor, place: Place): Token {
    if (cursor.char === '[') return this.#bracket(cursor);
    if (cursor.take('*')) return { type: 'wildcard' };
    const start = cursor.position;
    const name = cursor.takeMatch(NAMES[place]);
    if (name === '') cursor.fail('Expected a name, * or [');
    return cursor.char === '(' ? this.#call(cursor, name, start) : { type: 'property', names: [name] };
  }

  #call(cursor: Cursor, name: string, start: number): Token {
    const call = this.#functions.get(name);
    if (call === undefined) {
      cursor.fail(`Unknown function ${name}, known are ${[...this.#functions.keys()].join(' ')}`, start);
    }
    const args: Argument[] = [];
    cursor.position++;
    if (!cursor.skipBlanks().take(')')) {
      do args.push(this.#argument(cursor.skipBlanks()));
      while (cursor.skipBlanks().take(','));
      cursor.expect(')');
    }
    return { type: 'function', call, args };
  }

  /** Reads a literal, or a path that is applied to the whole document. */
  #argument(cursor: Cursor): Argument {
    if (cursor.char === '$' || cursor.char === '@') {
      const path = this.#path(cursor, 'argument');
      return (_, root) => path.evaluate(root, root) ?? null;
    }
    const value = readLiteral(cursor);
    return () => value;
  }

  #bracket(cursor: Cursor): Token {
    const start = cursor.position;
    cursor.position++;
    const { char } = cursor.skipBlanks();
    let token: Token;
    if (char === "'" || char === '"') token = this.#names(cursor);
    else if (cursor.take('*')) token = { type: 'wildcard' };
    else if (cursor.take('?')) token = { type: 'filter', test: readFilter(cursor, this.#filters) };
    else if (/[-\d:]/.test(char)) token = this.#indexes(cursor);
    else cursor.fail(`Expected a quoted name, a number, *, : or ?(...) after [`, cursor.done ? start : cursor.position);
    cursor.expect(']');
    return token;
  }

  #names(cursor: Cursor): Token {
    const names: string[] = [];
    do {
      const { char } = cursor.skipBlanks();
      if (char !== "'" && char !== '"') cursor.fail('Expected a quoted name');
      names.push(cursor.takeQuoted());
    } while (cursor.skipBlanks().take(','));
    return { type: 'property', names };
  }

  #indexes(cursor: Cursor): Token {
    const first = this.#integer(cursor);
    if (cursor.skipBlanks().char === ':') return this.#slice(cursor, first);
    const indexes = [first ?? cursor.fail('Expected a number')];
    while (cursor.skipBlanks().take(',')) indexes.push(this.#integer(cursor) ?? cursor.fail('Expected a number'));
    return { type: 'index', indexes };
  }

  #slice(cursor: Cursor, from: number | undefined): Token {
    cursor.expect(':');
    const to = this.#integer(cursor);
    const step = cursor.skipBlanks().take(':') ? this.#integer(cursor) : undefined;
    if (step !== undefined && step < 1) cursor.fail('The step of a slice must be positive', cursor.position - 1);
    return { type: 'slice', from, to, step: step ?? 1 };
  }

  #integer(cursor: Cursor): number | undefined {
    const text = cursor.skipBlanks().takeMatch(INTEGER);
    return text === '' ? undefined : Number(text);
  }

  /**
   * Moves a function at the end of a path that begins with `..`: it is applied to all results of the path together.
   * `$..price.sum()` is `$.sum($..price)`. `length` counts the children: `$.length($..price.*)`.
   */
  #ordered(tokens: Token[]): Token[] {
    const last = tokens.at(-1);
    if (tokens[0]?.type !== 'scan' || last?.type !== 'function') return tokens;
    const scanned = tokens.slice(0, -1);
    if (last.call === this.#functions.get('length')) scanned.push({ type: 'wildcard' });
    const path = new TokenPath(scanned, false);
    const call: PathFunction = (model, args) => last.call(path.all(model, model), args);
    return [{ ...last, call }];
  }
}
