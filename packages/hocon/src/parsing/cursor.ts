import { Lexer } from '../lexing/lexer.ts';
import { Token } from '../lexing/token.ts';
import type { Origin } from '../tree/node.ts';
import type { ProblemCode, ProblemList } from '../tree/problem.ts';
import type { Source } from './session.ts';

/** The current token of a text. Describes it and its position in reports. */
export class Cursor {
  readonly lexer: Lexer;
  readonly #problems: ProblemList;
  readonly #file: string | undefined;

  /** @param stringEnds given for a text with mistakes, see {@link Lexer} */
  constructor({ text, file, format }: Source, problems: ProblemList, stringEnds?: ReadonlyMap<number, number>) {
    this.lexer = new Lexer(text, format === 'json', stringEnds);
    this.#file = file;
    this.#problems = problems;
  }

  skipNewlines(): void {
    while (this.lexer.kind === Token.newline) this.lexer.next();
  }

  advancePastNewlines(): void {
    this.lexer.next();
    this.skipNewlines();
  }

  /** Returns to an earlier token of the same line. */
  goBack(at: number): void {
    const { line, lineStart } = this.lexer;
    this.lexer.seek({ at, line, lineStart });
    this.lexer.next();
  }

  /** Skips the rest of the text. */
  abandon(): void {
    this.lexer.jumpToEnd();
    this.lexer.next();
    this.lexer.cutOff = true;
  }

  /** Returns the position of the token. */
  origin(): Origin {
    const { line, start, lineStart } = this.lexer;
    return { file: this.#file, line, column: start - lineStart + 1 };
  }

  /** Returns a description of the token for messages. */
  found(): string {
    const { kind, source, start, end } = this.lexer;
    if (kind === Token.end) return 'the end of the text';
    if (kind === Token.newline) return 'a line break';
    return end - start > 40 ? `${source.slice(start, start + 40)}…` : source.slice(start, end);
  }

  /** Reports a problem at the token. If the token itself has a problem, reports that one. */
  report(code: ProblemCode, message: string, hint?: string): void {
    const { problem, kind } = this.lexer;
    if (kind === Token.problem && problem !== undefined) {
      this.#problems.add(problem.code, this.origin(), problem.message, problem.hint);
      const { within } = problem;
      if (within === undefined) return;
      const { line, column } = within;
      this.#problems.add(within.code, { file: this.#file, line, column }, within.message, within.hint);
    } else this.#problems.add(code, this.origin(), message, hint);
  }
}
