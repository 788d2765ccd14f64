import type { Lexer } from './lexer.ts';
import { PathBuilder } from './path.ts';
import type { TokenProblem } from './token.ts';
import { isKeyToken, Token } from './token.ts';

/** A position in a text from which reading can continue. */
export interface Position {
  at: number;
  line: number;
  lineStart: number;
}

/** The result of reading `${...}`. */
export interface Substitution {
  optional: boolean;
  /** The path, or the error of the path. */
  path: string[] | string;
  /** Set if the text is not a valid substitution. */
  problem?: TokenProblem;
  /** The position at which the problem is reported. Absent if it is the start. */
  noticed?: Position;
  /** The position after the substitution. */
  next: Position;
  /** The position from which reading should continue if the closing brace is probably missing. */
  gap?: Position | undefined;
  /** Set if the text of the config ended inside the substitution. */
  cutOff?: true;
}

const UNCLOSED: TokenProblem = {
  code: 'unclosed-substitution',
  message: 'this substitution is not closed',
  hint: 'close ${ with }',
};

/**
 * Reads a substitution. Its content is read by the rules of the whole language, and is only then checked to be a path.
 * Therefore, a substitution without a closing brace may extend far. The gap is the probable position of the missing
 * brace: at the end of the line, at a comma or at a closing bracket.
 * @param inner a lexer for paths, positioned after the opening `${`
 * @param start the position of the opening `${`
 * @param budget the maximum number of tokens
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
  /** The first position at which the substitution should probably end. */
  #gap: (Position & { isNewline: boolean }) | undefined;
  /** True if the text after the gap cannot belong to the substitution. */
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

  /** Checks a token for signs that the closing brace is missing. */
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
      return { ...whole, path: 'it is not closed at the end of its path', gap: this.#gap };
    return { ...whole, path: this.#wrong ?? this.#builder.finish() };
  }

  /** Returns true if the brace is on a separate line and the path is not. Such a brace closes something else. */
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

  /**
   * Returns a substitution with a mistake inside. This mistake is reported first, because the text after it is unknown.
   */
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

  /** Returns the position after the closing brace if the brace is on this line. */
  #afterBrace(): Position | undefined {
    const rest = /[^\n}]*\}/y;
    rest.lastIndex = this.#inner.end;
    const end = rest.test(this.#inner.source) ? rest.lastIndex : this.#inner.end;
    return { ...this.#inner.position(), at: end };
  }
}

/** Returns true for a token between a key and its value. */
function isFieldSign(kind: number): boolean {
  return kind === Token.equals || kind === Token.colon || kind === Token.plusEquals || kind === Token.openCurly;
}
