import { Token } from '../lexing/token.ts';
import type { ProblemList } from '../tree/problem.ts';
import type { BracketRepairs } from './bracket-repairs.ts';
import type { Cursor } from './cursor.ts';
import type { Frame } from './frame.ts';

/** Applies the repairs of brackets while a text is read, and reports them. */
export class Repairer {
  readonly #repairs: BracketRepairs;
  readonly #cursor: Cursor;
  readonly #problems: ProblemList;
  /** The position of the last repairs, and the number of objects and lists that were ended there. */
  #at = -1;
  #closed = 0;

  constructor(repairs: BracketRepairs, cursor: Cursor, problems: ProblemList) {
    this.#repairs = repairs;
    this.#cursor = cursor;
    this.#problems = problems;
  }

  /** The number of objects and lists that must still be ended before the current token. */
  get closes(): number {
    const { start } = this.#cursor.lexer;
    const closes = this.#repairs.closes.get(start) ?? 0;
    return start === this.#at ? closes - this.#closed : closes;
  }

  /** Counts objects and lists that were ended here. */
  close(count: number): void {
    const { start } = this.#cursor.lexer;
    if (start !== this.#at) this.#closed = 0;
    this.#at = start;
    this.#closed += count;
  }

  /** True if the current token is an extra closing bracket. */
  get isStray(): boolean {
    return this.#repairs.strays.has(this.#cursor.lexer.start);
  }

  /** True if the current token is a closing bracket of the wrong kind. */
  get isSwapped(): boolean {
    return this.#repairs.swaps.has(this.#cursor.lexer.start);
  }

  /** Reports an object or list that is not closed, at its start. */
  reportUnclosed({ node }: Frame): void {
    const { lexer } = this.#cursor;
    const [what, close] = node.kind === 'list' ? ['list', ']'] : ['object', '}'];
    const message = `the ${what} that begins on line ${node.origin.line} is not closed`;
    const before = lexer.kind === Token.end ? '' : ` before the ${this.#cursor.found()} on line ${lexer.line}`;
    this.#problems.add('unclosed-bracket', node.origin, message, `close it with ${close}${before}`);
  }
}
