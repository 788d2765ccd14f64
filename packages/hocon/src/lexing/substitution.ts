import type { Lexer } from './lexer.ts';
import { PathBuilder } from './path.ts';
import type { TokenProblem } from './token.ts';
import { isKeyToken, Token } from './token.ts';

/** A position in a text where reading can continue. */
export interface Position {
  at: number;
  line: number;
  lineStart: number;
}

/** The result of reading `${...}`. */
export interface Substitution {
  optional: boolean;
  /** The path, or its error. */
  path: string[] | string;
  /** Set if this is not a substitution. */
  problem?: TokenProblem;
  /** The position at which the problem is reported, if that is not the start. */
  noticed?: Position;
  /** Where it ends. */
  next: Position;
  /** The position where reading should continue if the closing brace seems to be missing. */
  gap?: Position | undefined;
  /** The text of the config ended inside. */
  cutOff?: true;
}

const UNCLOSED: TokenProblem = {
  code: 'unclosed-substitution',
  message: 'this substitution is not closed',
  hint: 'close ${ with }',
};

/**
 * Reads any substitution. Its content is read by the rules of the whole language and only then checked to be a path, so
 * a substitution without a closing brace may extend far. The gap is the probable position of the missing brace: at the
 * end of the line, at a comma or at a closing bracket.
 * @param inner a lexer for paths, positioned after the opening `${`
 * @param start the offset of the opening `${`
 * @param budget how many tokens may be read
 */
export function readSubstitution(inner: Lexer, start: Position, budget: number): Substitution {
  return new Reading(inner, start).read(budget);
}

class Reading {
  readonly #inner: Lexer;
  readonly #start: Position;
  readonly #builder = new PathBuilder();
  readonly #optional: boolean;
  #wrong: string | undefined;
  /** The first position where the substitution may have been meant to end. */
  #gap: (Position & { isNewline: boolean }) | undefined;
  /** What follows the gap cannot belong to the substitution. */
  #isTorn = false;
  #brackets = 0;

  constructor(inner: Lexer, start: Position) {
    this.#inner = inner;
    this.#start = start;
    this.#optional = inner.source.charAt(start.at) === '?';
    inner.cutOff = false;
    inner.seek({ ...start, at: start.at + (this.#optional ? 1 : 0) });
  }

  read(budget: number): Substitution {
    const inner = this.#inner;
    let wasSimple = false;
    let depth = 0;
    for (let left = budget; ; left--) {
      inner.next();
      const { kind } = inner;
      if (kind === Token.problem) return this.#problem();
      if (kind === Token.end || left < 0) return this.#unclosed(kind === Token.end);
      if (kind === Token.closeCurly && depth-- === 0) return this.#closed();
      this.#watch(kind);
      if (kind === Token.substitution) {
        depth++;
        this.#wrong ??= 'a substitution cannot be inside a substitution';
      } else if (isKeyToken(kind)) {
        if (wasSimple && inner.spaceStart < inner.start) this.#builder.add(inner.space(), false);
        this.#builder.add(inner.text, kind === Token.string);
      } else {
        const c = kind === Token.newline ? 'a line break' : `"${inner.source.charAt(inner.start)}"`;
        this.#wrong ??= `${c} cannot be in a path without quotes`;
      }
      wasSimple = isKeyToken(kind);
    }
  }

  /** Looks for signs that the closing brace is missing. */
  #watch(kind: number): void {
    const inner = this.#inner;
    if (kind === Token.openSquare) this.#brackets++;
    else if (kind === Token.closeSquare) this.#brackets--;
    const isNewline = kind === Token.newline;
    if (this.#gap === undefined) {
      const ends = isNewline || kind === Token.comma || kind === Token.substitution || this.#brackets < 0;
      if (ends) this.#gap = { at: inner.spaceStart, line: inner.line, lineStart: inner.lineStart, isNewline };
      return;
    }
    if (isFieldSign(kind)) this.#isTorn = true;
    else if (this.#gap.isNewline) this.#isTorn ||= !isKeyToken(kind) && !isNewline;
    else if (isNewline) this.#isTorn = true;
  }

  #closed(): Substitution {
    const whole = { optional: this.#optional, next: this.#inner.position() };
    if (this.#isTorn || this.#closesOther())
      return { ...whole, path: 'it is not closed where its path ends', gap: this.#gap };
    return { ...whole, path: this.#wrong ?? this.#builder.finish() };
  }

  /** Whether the brace is on a separate line, but not the path: it closes something else. */
  #closesOther(): boolean {
    const { source, lineStart, start } = this.#inner;
    if (this.#gap?.isNewline !== true || source.slice(lineStart, start).trim() !== '') return false;
    return source.slice(this.#start.at, this.#gap.at).trim() !== '' || source.slice(this.#gap.at, start).trim() === '';
  }

  #unclosed(isEnd: boolean): Substitution {
    const next = this.#inner.position();
    const unclosed = { optional: this.#optional, path: [], problem: UNCLOSED, next, gap: this.#gap };
    return isEnd ? { ...unclosed, cutOff: true } : unclosed;
  }

  /** A mistake inside. It is reported first, because nothing after it is known. */
  #problem(): Substitution {
    const inner = this.#inner;
    const noticed = { at: inner.start, line: inner.line, lineStart: inner.lineStart };
    const problem = inner.problem ?? UNCLOSED;
    const whole = { optional: this.#optional, path: [], noticed, problem, next: inner.position() };
    if (this.#gap === undefined)
      return inner.cutOff ? { ...whole, cutOff: true } : { ...whole, gap: this.#afterBrace() };
    const { at, line, lineStart } = this.#start;
    const within = { ...UNCLOSED, line, column: at - '${'.length - lineStart + 1 };
    return { ...whole, problem: { ...problem, within }, gap: this.#gap };
  }

  /** The position after the closing brace, if that is on the line. */
  #afterBrace(): Position | undefined {
    const rest = /[^\n}]*\}/y;
    rest.lastIndex = this.#inner.end;
    const end = rest.test(this.#inner.source) ? rest.lastIndex : this.#inner.end;
    return { ...this.#inner.position(), at: end };
  }
}

/** A token between a key and its value. */
function isFieldSign(kind: number): boolean {
  return kind === Token.equals || kind === Token.colon || kind === Token.plusEquals || kind === Token.openCurly;
}
