import { isKeyToken, Token } from '../lexing/token.ts';
import type { ProblemCode } from '../tree/problem.ts';
import type { Frame } from './frame.ts';
import { Step } from './frame.ts';
import type { Reading } from './reading.ts';
import { SimpleReader } from './simple-reader.ts';

/** Reads the values of fields and elements, and the separators between them. */
export class ValueReader {
  readonly #reading: Reading;
  readonly #simple: SimpleReader;

  constructor(reading: Reading) {
    this.#reading = reading;
    this.#simple = new SimpleReader(reading.cursor, reading.session, reading.source.prefix);
  }

  /**
   * Reads the pieces of a value up to its end, or up to an object or list, which must be read next.
   * @returns true if an object or list starts here
   */
  read(frame: Frame): boolean {
    const { cursor, json } = this.#reading;
    const { lexer } = cursor;
    const { draft } = frame;
    for (;;) {
      const { kind } = lexer;
      if (json && (!draft.empty || kind === Token.unquoted || kind === Token.substitution)) break;
      if (kind >= Token.string) {
        if (draft.start < 0) draft.start = lexer.start;
        this.#addSimple(frame, kind);
        draft.lastIsSimple = true;
        draft.end = lexer.end;
        lexer.next();
      } else if (kind === Token.openCurly || kind === Token.openSquare) {
        if (kind === Token.openCurly && draft.lastIsSimple && this.#isNextField(frame)) {
          this.#noValue(frame, 'cannot-concatenate');
          return false;
        }
        if (draft.start < 0) draft.start = lexer.start;
        return true;
      } else break;
    }
    if (draft.empty) {
      const hint = json
        ? 'a JSON value is a string in double quotes, a number, true, false, null, a list or an object'
        : 'write "" for an empty string, or null';
      this.#reading.fail(frame, 'missing-value', `expected a value, but found ${cursor.found()}`, hint);
    } else frame.step = Step.after;
    return false;
  }

  #addSimple(frame: Frame, kind: number): void {
    const { lexer } = this.#reading.cursor;
    const { draft } = frame;
    const spaced = draft.lastIsSimple && lexer.spaceStart < lexer.start;
    if (draft.lastIsSimple && kind !== Token.substitution) {
      if (draft.addText(spaced ? lexer.space() + lexer.text : lexer.text)) return;
    }
    if (spaced) draft.add(this.#simple.space());
    draft.add(this.#simple.read(kind, !draft.empty));
  }

  /**
   * Reports a token that follows a value without a separator.
   * @returns `next`: the value is valid, and the next field or element starts at the current token
   */
  endWithoutSeparator(frame: Frame, kind: number): 'next' | 'skip' | 'dropped' {
    const { cursor, json } = this.#reading;
    const message = `expected a comma, a line break or the end, but found ${cursor.found()}`;
    const isSeparator = kind === Token.equals || kind === Token.colon || kind === Token.plusEquals;
    if (isSeparator && frame.node.kind === 'list') {
      this.#fieldInList(frame, message);
      return 'dropped';
    }
    if (isSeparator && this.#isNextField(frame)) {
      this.#noValue(frame, 'missing-value');
      return 'dropped';
    }
    let hint = 'separate fields and elements with a comma or a line break';
    if (json) hint = 'separate fields and elements with a comma';
    else if (isSeparator) hint = `put double quotes around the value if the ${cursor.found()} belongs to it`;
    cursor.report(json ? 'not-json' : 'unexpected-token', message, hint);
    // If only the comma is missing, the value is complete.
    if (!(json || frame.bare) || isSeparator || kind === Token.problem) {
      this.#reading.recover(frame);
      return 'dropped';
    }
    const begins = frame.node.kind === 'list' ? kind >= Token.openCurly : isKeyToken(kind);
    return begins ? 'next' : 'skip';
  }

  /**
   * Reports the first field in a list, as in `[1, a = 2]`. If the brackets show that a `]` is missing before the field,
   * reports that instead.
   */
  #fieldInList(frame: Frame, message: string): void {
    const reading = this.#reading;
    const hint = 'close the list with ] before the next field, or put the fields into braces';
    const code = reading.json ? 'not-json' : 'unexpected-token';
    if (frame.hasFields || reading.misfit(code, message, hint)) {
      frame.hasFields = true;
      reading.recover(frame);
    }
  }

  /** Reports a field without a value. Continues with the next field, which was read as its value. */
  #noValue(frame: Frame, code: ProblemCode): void {
    const { cursor } = this.#reading;
    const message = `the key "${frame.path.join('.')}" has no value before the next field`;
    const hint = 'write "" for an empty string, or null';
    // The reference reports one of them at the sign after the second key, and the other at that key.
    if (code === 'missing-value') cursor.report(code, message, hint);
    cursor.goBack(frame.draft.start);
    if (code !== 'missing-value') cursor.report(code, message, hint);
    this.#reading.drop(frame);
  }

  /** Returns true if the token that was read as the value is the key of another field on a separate line. */
  #isNextField({ draft, node }: Frame): boolean {
    const { source, lineStart, start } = this.#reading.cursor.lexer;
    return (
      node.kind === 'object' &&
      draft.start >= lineStart &&
      source.slice(lineStart, draft.start).trim() === '' &&
      !/[$[\]{}]/.test(source.slice(draft.start, start))
    );
  }
}
