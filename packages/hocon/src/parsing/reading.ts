import { Token } from '../lexing/token.ts';
import { InPlaceJoiner } from '../merging/draft.ts';
import type { ProblemCode } from '../tree/problem.ts';
import type { BracketRepairs } from './bracket-repairs.ts';
import { Cursor } from './cursor.ts';
import type { Frame } from './frame.ts';
import { FrameStack, Step } from './frame.ts';
import { Repairer } from './repairer.ts';
import type { Session, Source } from './session.ts';

/** A text that is being read: the position, and the recovery after a mistake. */
export class Reading {
  readonly source: Source;
  readonly session: Session;
  readonly json: boolean;
  readonly cursor: Cursor;
  readonly frames: FrameStack;
  /** Set if the brackets of the text are known to be unbalanced. */
  readonly repairer: Repairer | undefined;
  /** True if reading has stopped early because the brackets are unbalanced. */
  isStuck = false;

  constructor(source: Source, session: Session, repairs: BracketRepairs | undefined) {
    this.source = source;
    this.session = session;
    this.json = source.format === 'json';
    this.cursor = new Cursor(source, session.problems, repairs?.stringEnds);
    this.frames = new FrameStack(new InPlaceJoiner(session.marks), source.prefix.length);
    this.repairer = repairs && new Repairer(repairs, this.cursor, session.problems);
  }

  /** Ends the current field or element. */
  leave(frame: Frame): void {
    if (frame.appends) this.frames.listDepth--;
    frame.draft.clear();
    frame.step = Step.start;
  }

  /** Ends the current field or element without a value. */
  drop(frame: Frame): void {
    this.leave(frame);
    frame.appends = false;
    frame.afterComma = false;
  }

  /** Reports the current token and continues after the broken field or element. */
  fail(frame: Frame, code: ProblemCode, message: string, hint?: string): void {
    this.cursor.report(code, message, hint);
    this.recover(frame);
  }

  /** Skips to the end of the field or element: a line break or comma outside brackets, or a closing bracket. */
  recover(frame: Frame): void {
    const { repairer } = this;
    const { lexer } = this.cursor;
    this.drop(frame);
    for (let depth = 0; lexer.kind !== Token.end; lexer.next()) {
      const { kind } = lexer;
      if (repairer !== undefined && repairer.closes > 0) {
        const here = Math.min(depth, repairer.closes);
        repairer.close(here);
        depth -= here;
        if (depth === 0) return;
      }
      if (kind === Token.openCurly || kind === Token.openSquare) depth++;
      else if (kind === Token.closeCurly || kind === Token.closeSquare) {
        if (repairer?.isStray) continue;
        if (depth > 0) depth--;
        else if (this.frames.isOpen(kind === Token.closeCurly ? 'object' : 'list') || repairer?.isSwapped) return;
      } else if (depth === 0 && (kind === Token.comma || (kind === Token.newline && !this.json))) {
        lexer.next();
        return;
      }
    }
  }

  /**
   * Reports unbalanced brackets.
   * @param frame the object or list that is not closed, if this is the mistake
   * @returns true if reading continues, which needs repairs
   */
  misfit(code: ProblemCode, message: string, hint: string, frame?: Frame): boolean {
    if (this.repairer !== undefined && frame !== undefined) this.repairer.reportUnclosed(frame);
    else this.cursor.report(code, message, hint);
    if (this.repairer !== undefined) return true;
    this.isStuck = true;
    this.stop();
    return false;
  }

  tooDeep(): void {
    const { depth } = this.session.limits;
    this.cursor.report('too-deep', `values are nested deeper than ${depth} levels`, 'flatten the config');
    this.stop();
  }

  /** Skips the rest of the text. */
  stop(): void {
    this.cursor.abandon();
    this.frames.clear();
  }
}
