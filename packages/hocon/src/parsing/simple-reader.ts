import { Token } from '../lexing/token.ts';
import type { Origin, StringNode } from '../tree/node.ts';
import type { Raw } from '../tree/raw.ts';
import type { Cursor } from './cursor.ts';
import type { Session } from './session.ts';

/** Creates values from single tokens. */
export class SimpleReader {
  readonly #cursor: Cursor;
  readonly #session: Session;
  readonly #prefix: string[];

  constructor(cursor: Cursor, session: Session, prefix: string[]) {
    this.#cursor = cursor;
    this.#session = session;
    this.#prefix = prefix;
  }

  /**
   * Returns the current token as a value.
   * @param isFurther true if other pieces of the value are before the token
   */
  read(kind: number, isFurther: boolean): Raw {
    const { lexer } = this.#cursor;
    if (kind === Token.unquoted) return this.#word(lexer.text, isFurther);
    const origin = this.#cursor.origin();
    switch (kind) {
      case Token.string:
        return { kind: 'string', value: lexer.text, origin };
      case Token.number:
        return { kind: 'number', value: lexer.number, text: lexer.text, float: lexer.float, origin };
      case Token.null:
        return { kind: 'null', origin };
      case Token.substitution:
        return this.#reference(origin);
      default:
        return { kind: 'boolean', value: kind === Token.true, origin };
    }
  }

  /**
   * Returns an unquoted string. It is marked as unquoted if this matters: next to a list or object, or in a
   * substitution.
   */
  #word(value: string, isFurther: boolean): StringNode {
    const node: StringNode = { kind: 'string', value, origin: this.#cursor.origin() };
    if (isFurther || this.#session.marksWords) this.#session.marks.unquoted.add(node);
    return node;
  }

  #reference(origin: Origin): Raw {
    const { path, optional } = this.#cursor.lexer;
    const prefix = this.#prefix;
    if (typeof path !== 'string') {
      const { substituted } = this.#session.marks;
      // A name in an included text is looked up below the include first, and then at the top level.
      for (const key of [path[0], prefix[0]]) if (key !== undefined) substituted.add(key);
      return { kind: 'reference', path: prefix.concat(path), optional, prefix: prefix.length, origin };
    }
    const message = `this substitution has no path: ${path}`;
    const hint = 'write ${a.b.c}, with double quotes around names with special characters';
    this.#session.problems.add('bad-path', origin, message, hint);
    return { kind: 'broken', origin };
  }

  /** Returns the white space before the token, as a piece of the value. */
  space(): Raw {
    return this.#word(this.#cursor.lexer.space(), true);
  }
}
