import { PathBuilder } from '../lexing/path.ts';
import { isKeyToken, Token } from '../lexing/token.ts';
import type { Cursor } from './cursor.ts';
import type { Frame } from './frame.ts';
import type { Session } from './session.ts';

/** Reads the keys of fields. */
export class KeyReader {
  readonly #cursor: Cursor;
  readonly #session: Session;
  readonly #json: boolean;

  constructor(cursor: Cursor, session: Session, json: boolean) {
    this.#cursor = cursor;
    this.#session = session;
    this.#json = json;
  }

  /** Reads a key into `frame.path`. False if it is missing or invalid, which is already reported. */
  read(frame: Frame): boolean {
    const cursor = this.#cursor;
    const { lexer } = cursor;
    if (this.#json ? lexer.kind !== Token.string : !isKeyToken(lexer.kind)) {
      const hint = this.#json
        ? 'JSON keys must be in double quotes'
        : 'write fields as key = value, and separate them by commas or line breaks';
      cursor.report('missing-key', `a key is expected here, not ${cursor.found()}`, hint);
      return false;
    }
    frame.keyOrigin = cursor.origin();
    frame.keyStart = lexer.start;
    const { kind, text } = lexer;
    lexer.next();
    if (this.#json || (!isKeyToken(lexer.kind) && (kind === Token.string || !text.includes('.')))) {
      frame.path = [text];
      return true;
    }
    return this.#readPath(frame, kind, text);
  }

  #readPath(frame: Frame, firstKind: number, firstText: string): boolean {
    const { lexer } = this.#cursor;
    const builder = new PathBuilder();
    builder.add(firstText, firstKind === Token.string);
    while (isKeyToken(lexer.kind)) {
      if (lexer.spaceStart < lexer.start) builder.add(lexer.space(), false);
      builder.add(lexer.text, lexer.kind === Token.string);
      lexer.next();
    }
    // The space counts, because a substitution is a simple value. The substitution is the reported mistake then.
    if (lexer.kind === Token.substitution && lexer.spaceStart < lexer.start) builder.add(lexer.space(), false);
    const path = builder.finish();
    if (typeof path === 'string') {
      const message = `this key is not a path: ${path}`;
      this.#session.problems.add('bad-key', frame.keyOrigin, message, 'put double quotes around the key');
      return false;
    }
    frame.path = path;
    return true;
  }
}
