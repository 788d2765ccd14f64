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

  /** Reads a key into `frame.path`. Returns false if the key is missing or invalid and reported. */
  read(frame: Frame): boolean {
    const cursor = this.#cursor;
    const { lexer } = cursor;
    if (this.#json ? lexer.kind !== Token.string : !isKeyToken(lexer.kind)) {
      const hint = this.#json
        ? 'JSON keys must be in double quotes'
        : 'write fields as key = value, separated by commas or line breaks';
      cursor.report('missing-key', `expected a key, but found ${cursor.found()}`, hint);
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
    // The space is a part of the key, because a substitution is a simple value. The reported mistake is the
    // substitution.
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
