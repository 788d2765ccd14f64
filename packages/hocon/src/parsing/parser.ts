import { isKeyToken, Token } from '../lexing/token.ts';
import { emptyObject } from '../merging/fields.ts';
import type { ListNode, ObjectNode } from '../tree/node.ts';
import type { BracketRepairs } from './bracket-repairs.ts';
import { FieldWriter } from './field-writer.ts';
import type { Frame } from './frame.ts';
import { innerLevel, Step } from './frame.ts';
import { readIncludeField } from './include-field.ts';
import { KeyReader } from './key-reader.ts';
import { Reading } from './reading.ts';
import type { Repairer } from './repairer.ts';
import type { Session, Source } from './session.ts';
import { ValueReader } from './value-reader.ts';

/**
 * Parses a text into a tree, without resolving it. Mistakes are reported to the session, and parsing continues with the
 * next field or element. Nesting is kept on an explicit stack, so that no text can overflow the call stack.
 * At unbalanced brackets the parser stops, as the reference does, and {@link isStuck} is true. A second parser, with
 * repairs, then reads the whole text.
 */
export class Parser {
  readonly #reading: Reading;
  readonly #keys: KeyReader;
  readonly #values: ValueReader;
  readonly #writer: FieldWriter;

  constructor(source: Source, session: Session, repairs?: BracketRepairs) {
    this.#reading = new Reading(source, session, repairs);
    const { cursor, json, frames } = this.#reading;
    this.#keys = new KeyReader(cursor, session, json);
    this.#values = new ValueReader(this.#reading);
    this.#writer = new FieldWriter(source, session, frames);
  }

  /**
   * True if the brackets are unbalanced, or if a token ends before the text says so. The text was not read completely.
   */
  get isStuck(): boolean {
    return this.#reading.isStuck || this.#reading.cursor.lexer.hasGaps;
  }

  /** True if the text was read up to its end, and not only up to a mistake that includes the rest. */
  get isWhole(): boolean {
    return !this.isStuck && !this.#reading.cursor.lexer.cutOff;
  }

  parse(): ObjectNode {
    const { cursor, json, frames } = this.#reading;
    cursor.advancePastNewlines();
    const root = emptyObject(cursor.origin());
    const { kind } = cursor.lexer;
    if (kind === Token.openSquare) {
      cursor.report(
        'root-not-object',
        'the text is a list, but a config must be an object',
        'add a key before the list',
      );
      this.#open({ kind: 'list', items: [], origin: root.origin });
    } else if (kind === Token.openCurly) this.#open(root);
    else if (json) {
      const what = kind === Token.end ? 'the text is empty' : `a JSON text must start with {, not ${cursor.found()}`;
      cursor.report('not-json', what, 'write the config as one object in braces');
      return root;
    } else frames.push(root, false);
    this.#run();
    this.#readAfterEnd(root);
    return root;
  }

  #run(): void {
    const { frames, repairer } = this.#reading;
    for (let frame = frames.top; frame !== undefined; frame = frames.top) {
      if (frame.step === Step.value) this.#value(frame);
      else if (frame.step === Step.after) this.#separator(frame);
      else if (repairer === undefined || !this.#repair(frame, repairer)) {
        if (frame.node.kind === 'object') this.#field(frame, frame.node);
        else this.#element(frame);
      }
    }
  }

  /** Reads the text after the closing bracket of the config, after the brackets have been repaired. */
  #readAfterEnd(root: ObjectNode): void {
    const reading = this.#reading;
    const { cursor, frames } = reading;
    for (let isFirst = true; ; isFirst = false) {
      cursor.skipNewlines();
      if (cursor.lexer.kind === Token.end) return;
      const message = `expected the end of the config, but found ${cursor.found()}`;
      const hint = 'remove the text after the last closing bracket, or this bracket';
      if (isFirst && !reading.misfit('unexpected-token', message, hint)) return;
      frames.push(root, false);
      if (!isKeyToken(cursor.lexer.kind)) reading.recover(frames.top!);
      this.#run();
    }
  }

  /** Starts an object or list at its opening bracket. */
  #open(node: ObjectNode | ListNode): void {
    this.#reading.frames.push(node, true);
    this.#reading.cursor.lexer.next();
  }

  /** Ends the innermost object or list and adds it to the value around it. */
  #close(frame: Frame): void {
    const { frames, cursor } = this.#reading;
    frames.pop();
    const outer = frames.top;
    if (outer === undefined) return;
    outer.draft.add(frame.node);
    outer.draft.lastIsSimple = false;
    outer.draft.end = cursor.lexer.end;
    if (outer.bare) outer.step = Step.after;
  }

  /** Ends the innermost object or list at its closing bracket. */
  #closeAtBracket(frame: Frame): void {
    const { cursor, json } = this.#reading;
    if (json && frame.afterComma) {
      cursor.report('not-json', `JSON allows no comma before ${cursor.found()}`, 'remove the comma');
    }
    this.#close(frame);
    cursor.lexer.next();
  }

  #field(frame: Frame, node: ObjectNode): void {
    const reading = this.#reading;
    const { cursor, json, session } = reading;
    const { lexer } = cursor;
    cursor.skipNewlines();
    const { kind } = lexer;
    if (kind === Token.closeCurly && frame.braces) this.#closeAtBracket(frame);
    else if (kind === Token.end) this.#end(frame);
    else if (kind === Token.closeSquare || kind === Token.closeCurly) this.#misfit();
    else if (kind === Token.unquoted && lexer.text === 'include' && !json) readIncludeField(reading, frame, node);
    else if (!this.#keys.read(frame)) reading.recover(frame);
    else if (frame.level + frame.path.length - 1 > session.limits.depth) reading.tooDeep();
    else this.#keySeparator(frame);
  }

  #element(frame: Frame): void {
    const { cursor } = this.#reading;
    cursor.skipNewlines();
    const { kind } = cursor.lexer;
    if (kind === Token.closeSquare) this.#closeAtBracket(frame);
    else if (kind === Token.end) this.#end(frame);
    else if (kind === Token.closeCurly) this.#misfit();
    else {
      frame.draft.clear();
      frame.step = Step.value;
    }
  }

  /** Handles the end of the text, which may be inside an object or list. */
  #end(frame: Frame): void {
    const { lexer } = this.#reading.cursor;
    const { kind, origin } = frame.node;
    // A string or substitution without an end has swallowed the brackets of its line.
    if (frame.braces && !(lexer.cutOff && origin.line === lexer.line)) {
      const [what, close] = kind === 'list' ? ['list', ']'] : ['object', '}'];
      const message = `the text ends inside the ${what} that begins on line ${origin.line}`;
      if (!this.#reading.misfit('unclosed-bracket', message, `close it with ${close}`, frame)) return;
    }
    this.#close(frame);
  }

  /** Reports a closing bracket that does not match. */
  #misfit(): void {
    const { cursor } = this.#reading;
    const message = `the ${cursor.found()} has no opening bracket`;
    if (this.#reading.misfit('unexpected-close', message, 'remove it')) cursor.lexer.next();
  }

  #keySeparator(frame: Frame): void {
    const { cursor, json, frames, session } = this.#reading;
    const { lexer } = cursor;
    cursor.skipNewlines();
    const { kind } = lexer;
    frame.appends = kind === Token.plusEquals && !json;
    frame.bare = kind === Token.openCurly && !json;
    frame.draft.clear();
    if (frame.appends) {
      if (frames.listDepth > 0) {
        const hint = 'write the whole list with =';
        session.problems.add('append-in-list', frame.keyOrigin, '+= does not work inside a list', hint);
      }
      frames.listDepth++;
    } else if (!frame.bare && kind !== Token.colon && (kind !== Token.equals || json)) {
      const message = `expected a value after the key "${frame.path.join('.')}", but found ${cursor.found()}`;
      cursor.report('missing-separator', message, json ? 'write a colon' : 'write =, : or { after the key');
      // If the word is alone on its line, the next line is a separate field.
      if (json || lexer.line === frame.keyOrigin.line || !isKeyToken(kind)) this.#reading.recover(frame);
      return;
    }
    if (!frame.bare) cursor.advancePastNewlines();
    frame.step = Step.value;
  }

  #value(frame: Frame): void {
    if (!this.#values.read(frame)) return;
    const { cursor, session } = this.#reading;
    if (innerLevel(frame) > session.limits.depth) {
      this.#reading.tooDeep();
      return;
    }
    const origin = cursor.origin();
    this.#open(cursor.lexer.kind === Token.openCurly ? emptyObject(origin) : { kind: 'list', items: [], origin });
  }

  /** Checks the token after a value. The value is only added if this token can end it. */
  #separator(frame: Frame): void {
    const { cursor, json } = this.#reading;
    const { lexer } = cursor;
    const newline = lexer.kind === Token.newline;
    cursor.skipNewlines();
    const { kind } = lexer;
    frame.afterComma = kind === Token.comma;
    if (frame.afterComma) {
      this.#accept(frame);
      lexer.next();
    } else if (kind === Token.closeCurly || kind === Token.closeSquare || kind === Token.end) this.#accept(frame);
    else if (newline && !json) this.#accept(frame);
    else {
      const end = this.#values.endWithoutSeparator(frame, kind);
      if (end !== 'dropped') this.#accept(frame);
      if (end === 'skip') this.#reading.recover(frame);
    }
  }

  /** Applies the repairs at the current token. */
  #repair(frame: Frame, repairer: Repairer): boolean {
    const { cursor } = this.#reading;
    cursor.skipNewlines();
    if (repairer.closes > 0) {
      repairer.close(1);
      if (!frame.braces) return false;
      repairer.reportUnclosed(frame);
      this.#closeEarly(frame);
      return true;
    }
    const message = `the ${cursor.found()} has no opening bracket`;
    if (repairer.isSwapped && frame.braces) {
      cursor.report('unexpected-close', message, `write ${frame.node.kind === 'list' ? ']' : '}'} here`);
      this.#close(frame);
    } else if (repairer.isStray) cursor.report('unexpected-close', message, 'remove it');
    else return false;
    cursor.lexer.next();
    return true;
  }

  /** Ends the innermost object or list without a bracket. The value around it is then complete. */
  #closeEarly(frame: Frame): void {
    const { frames, cursor } = this.#reading;
    this.#close(frame);
    const outer = frames.top;
    if (outer === undefined) return;
    outer.draft.end = cursor.lexer.spaceStart;
    this.#accept(outer);
  }

  /** Adds the finished value to its object or list. */
  #accept(frame: Frame): void {
    const { start, end, clash } = frame.draft;
    if (clash !== undefined) {
      const message = 'a list or an object cannot be joined with a value of another type';
      const hint = 'separate the values with a comma or a line break';
      this.#reading.session.problems.add('cannot-concatenate', clash, message, hint);
    }
    const value = frame.draft.take();
    this.#reading.leave(frame);
    this.#writer.write(frame, value, start, end);
  }
}
