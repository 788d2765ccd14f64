import type { BracketRepairs } from './bracket-repairs.ts';
import { Cursor } from './cursor.ts';
import { InPlaceJoiner } from './draft.ts';
import { FieldWriter } from './field-writer.ts';
import { emptyObject, putField } from './fields.ts';
import type { Frame } from './frame.ts';
import { FrameStack, innerLevel, Step } from './frame.ts';
import { readInclude } from './include-statement.ts';
import { KeyReader } from './key-reader.ts';
import { hasUnresolved } from './merge.ts';
import type { ListNode, ObjectNode } from './node.ts';
import type { ProblemCode } from './problem.ts';
import { rawEntries } from './raw.ts';
import { Repairer } from './repairer.ts';
import type { Session, Source } from './session.ts';
import { SimpleReader } from './simple-reader.ts';
import { isKeyToken, Token } from './token.ts';

/**
 * Reads a text into a tree, without resolving. Mistakes are reported to the session; reading goes on with the next
 * field or element. Nesting is kept on a stack of its own, so that no text can overflow the call stack.
 *
 * Where brackets do not fit it stops, as the reference does: {@link isStuck}. A second reading, with the repairs that
 * the text needs, then gets through.
 */
export class Parser {
  readonly #session: Session;
  readonly #source: Source;
  readonly #json: boolean;
  readonly #cursor: Cursor;
  readonly #frames: FrameStack;
  readonly #keys: KeyReader;
  readonly #simple: SimpleReader;
  readonly #writer: FieldWriter;
  readonly #repairer: Repairer | undefined;
  #isStuck = false;

  constructor(source: Source, session: Session, repairs?: BracketRepairs) {
    this.#source = source;
    this.#session = session;
    this.#json = source.format === 'json';
    this.#cursor = new Cursor(source, session.problems, repairs?.stringEnds);
    this.#repairer = repairs && new Repairer(repairs, this.#cursor, session.problems);
    this.#keys = new KeyReader(this.#cursor, session, this.#json);
    this.#simple = new SimpleReader(this.#cursor, session, source.prefix);
    this.#frames = new FrameStack(new InPlaceJoiner(session.marks), source.prefix.length);
    this.#writer = new FieldWriter(source, session, this.#frames);
  }

  /** The brackets did not fit, or something ends before the text says so: what has been read is not all. */
  get isStuck(): boolean {
    return this.#isStuck || this.#cursor.lexer.hasGaps;
  }

  /** Everything has been read, up to the end of the text and not only up to where a mistake swallows the rest. */
  get isWhole(): boolean {
    return !this.isStuck && !this.#cursor.lexer.cutOff;
  }

  parse(): ObjectNode {
    const cursor = this.#cursor;
    cursor.advancePastNewlines();
    const root = emptyObject(cursor.origin());
    const { kind } = cursor.lexer;
    if (kind === Token.openSquare) {
      cursor.report(
        'root-not-object',
        'the text is a list, but a config must be an object',
        'put the list under a key',
      );
      this.#open({ kind: 'list', items: [], origin: root.origin }, true);
    } else if (kind === Token.openCurly) this.#open(root, true);
    else if (this.#json) {
      const what = kind === Token.end ? 'the text is empty' : `a JSON text must start with {, not ${cursor.found()}`;
      cursor.report('not-json', what, 'write the config as one object in braces');
      return root;
    } else this.#frames.push(root, false);
    this.#run();
    this.#readBehindEnd(root);
    return root;
  }

  #run(): void {
    for (let frame = this.#frames.top; frame !== undefined; frame = this.#frames.top) {
      if (frame.step === Step.value) this.#value(frame);
      else if (frame.step === Step.after) this.#separator(frame);
      else if (this.#repairer === undefined || !this.#repair(frame, this.#repairer)) {
        if (frame.node.kind === 'object') this.#field(frame, frame.node);
        else this.#element(frame);
      }
    }
  }

  /** What follows the closing bracket of the whole. It is read all the same, once the brackets have been repaired. */
  #readBehindEnd(root: ObjectNode): void {
    const cursor = this.#cursor;
    for (let isFirst = true; ; isFirst = false) {
      cursor.skipNewlines();
      if (cursor.lexer.kind === Token.end) return;
      const message = `the config has ended, but ${cursor.found()} follows`;
      const hint = 'remove what stands after the last closing bracket, or that bracket';
      if (isFirst && !this.#stuck('unexpected-token', message, hint)) return;
      this.#frames.push(root, false);
      if (!isKeyToken(cursor.lexer.kind)) this.#recover(this.#frames.top!);
      this.#run();
    }
  }

  /** Begins an object or list at its opening bracket. */
  #open(node: ObjectNode | ListNode, braces: boolean): void {
    this.#frames.push(node, braces);
    this.#cursor.lexer.next();
  }

  /** Ends the innermost object or list and gives it to the value around it. */
  #close(frame: Frame): void {
    this.#frames.pop();
    const outer = this.#frames.top;
    if (outer === undefined) return;
    outer.draft.add(frame.node);
    outer.draft.lastIsSimple = false;
    outer.draft.end = this.#cursor.lexer.end;
    if (outer.bare) outer.step = Step.after;
  }

  /** Ends the innermost object or list without a bracket: nothing more belongs to the value around it. */
  #closeEarly(frame: Frame): void {
    this.#close(frame);
    const outer = this.#frames.top;
    if (outer === undefined) return;
    outer.draft.end = this.#cursor.lexer.spaceStart;
    this.#accept(outer);
  }

  #field(frame: Frame, node: ObjectNode): void {
    const { lexer } = this.#cursor;
    this.#cursor.skipNewlines();
    const { kind } = lexer;
    if (kind === Token.closeCurly) this.#closeCurly(frame);
    else if (kind === Token.end) this.#end(frame);
    else if (kind === Token.closeSquare) this.#misfit();
    else if (kind === Token.unquoted && lexer.text === 'include' && !this.#json) this.#include(frame, node);
    else if (!this.#keys.read(frame)) this.#recover(frame);
    else if (frame.level + frame.path.length - 1 > this.#session.limits.depth) this.#tooDeep();
    else this.#keySeparator(frame);
  }

  #closeCurly(frame: Frame): void {
    const cursor = this.#cursor;
    if (!frame.braces) {
      this.#misfit();
      return;
    }
    if (this.#json && frame.afterComma) cursor.report('not-json', 'JSON allows no comma before }', 'remove the comma');
    this.#close(frame);
    cursor.lexer.next();
  }

  /** The text has ended, maybe inside of an object or list. */
  #end(frame: Frame): void {
    const { lexer } = this.#cursor;
    // A string or substitution that reaches the end has swallowed the brackets of its line.
    if (frame.braces && !(lexer.cutOff && frame.node.origin.line === lexer.line)) {
      const [what, close] = frame.node.kind === 'list' ? ['list', ']'] : ['object', '}'];
      const message = `the text ends inside the ${what} that begins on line ${frame.node.origin.line}`;
      if (!this.#stuck('unclosed-bracket', message, `close it with ${close}`, frame)) return;
    }
    this.#close(frame);
  }

  #keySeparator(frame: Frame): void {
    const cursor = this.#cursor;
    const { lexer } = cursor;
    cursor.skipNewlines();
    const { kind } = lexer;
    frame.appends = kind === Token.plusEquals && !this.#json;
    frame.bare = kind === Token.openCurly && !this.#json;
    frame.draft.clear();
    if (frame.appends) {
      if (this.#frames.listDepth > 0) {
        const hint = 'write the whole list with =';
        this.#session.problems.add('append-in-list', frame.keyOrigin, '+= does not work inside a list', hint);
      }
      this.#frames.listDepth++;
    } else if (!frame.bare && kind !== Token.colon && (kind !== Token.equals || this.#json)) {
      const message = `the key "${frame.path.join('.')}" is followed by ${cursor.found()}`;
      cursor.report('missing-separator', message, this.#json ? 'write a colon' : 'a key is followed by =, : or {');
      // A word alone on its line: the next line is a field by itself.
      if (this.#json || lexer.line === frame.keyOrigin.line || !isKeyToken(kind)) this.#recover(frame);
      return;
    }
    if (!frame.bare) cursor.advancePastNewlines();
    frame.step = Step.value;
  }

  #element(frame: Frame): void {
    const cursor = this.#cursor;
    cursor.skipNewlines();
    const { kind } = cursor.lexer;
    if (kind === Token.closeSquare) {
      if (this.#json && frame.afterComma)
        cursor.report('not-json', 'JSON allows no comma before ]', 'remove the comma');
      this.#close(frame);
      cursor.lexer.next();
    } else if (kind === Token.end) this.#end(frame);
    else if (kind === Token.closeCurly) this.#misfit();
    else {
      frame.draft.clear();
      frame.step = Step.value;
    }
  }

  /** Reads the pieces of a value up to the end of the line, or up to an object or list, which is read first. */
  #value(frame: Frame): void {
    const { lexer } = this.#cursor;
    const { draft } = frame;
    for (;;) {
      const { kind } = lexer;
      if (this.#json && (!draft.empty || kind === Token.unquoted || kind === Token.substitution)) break;
      if (kind >= Token.string) {
        if (draft.start < 0) draft.start = lexer.start;
        this.#addSimple(frame, kind);
        draft.lastIsSimple = true;
        draft.end = lexer.end;
        lexer.next();
      } else if (kind === Token.openCurly || kind === Token.openSquare) {
        if (kind === Token.openCurly && draft.lastIsSimple && this.#isNextField(frame)) {
          this.#noValue(frame, 'cannot-concatenate');
          return;
        }
        if (draft.start < 0) draft.start = lexer.start;
        if (innerLevel(frame) > this.#session.limits.depth) {
          this.#tooDeep();
          return;
        }
        const origin = this.#cursor.origin();
        this.#open(kind === Token.openCurly ? emptyObject(origin) : { kind: 'list', items: [], origin }, true);
        return;
      } else break;
    }
    if (draft.empty) {
      const hint = this.#json
        ? 'a JSON value is a text in double quotes, a number, true, false, null, a list or an object'
        : 'write "" for an empty text, or null';
      this.#fail(frame, 'missing-value', `a value is expected here, not ${this.#cursor.found()}`, hint);
    } else frame.step = Step.after;
  }

  #addSimple(frame: Frame, kind: number): void {
    const { lexer } = this.#cursor;
    const { draft } = frame;
    const spaced = draft.lastIsSimple && lexer.spaceStart < lexer.start;
    if (draft.lastIsSimple && kind !== Token.substitution) {
      if (draft.addText(spaced ? lexer.space() + lexer.text : lexer.text)) return;
    }
    if (spaced) draft.add(this.#simple.space());
    draft.add(this.#simple.read(kind, !draft.empty));
  }

  /** After a value: what follows must end it. Only then the value counts. */
  #separator(frame: Frame): void {
    const cursor = this.#cursor;
    const { lexer } = cursor;
    const newline = lexer.kind === Token.newline;
    cursor.skipNewlines();
    const { kind } = lexer;
    frame.afterComma = kind === Token.comma;
    if (frame.afterComma) {
      this.#accept(frame);
      lexer.next();
    } else if (kind === Token.closeCurly || kind === Token.closeSquare || kind === Token.end) this.#accept(frame);
    else if (newline && !this.#json) this.#accept(frame);
    else this.#noSeparator(frame, kind);
  }

  #noSeparator(frame: Frame, kind: number): void {
    const cursor = this.#cursor;
    const message = `a comma, a line break or the end is expected here, not ${cursor.found()}`;
    const isSeparator = kind === Token.equals || kind === Token.colon || kind === Token.plusEquals;
    if (frame.node.kind === 'list' && isSeparator) {
      const hint = 'close the list with ] before the next field, or put the fields into braces';
      if (frame.hasFields || this.#stuck(this.#json ? 'not-json' : 'unexpected-token', message, hint)) {
        frame.hasFields = true;
        this.#recover(frame);
      }
      return;
    }
    if (isSeparator && this.#isNextField(frame)) {
      this.#noValue(frame, 'missing-value');
      return;
    }
    let hint = 'separate fields and elements with a comma or a line break';
    if (this.#json) hint = 'separate fields and elements with a comma';
    else if (isSeparator) hint = `put double quotes around the value if the ${cursor.found()} belongs to it`;
    cursor.report(this.#json ? 'not-json' : 'unexpected-token', message, hint);
    // The value is whole where only the comma is missing.
    const begins = frame.node.kind === 'list' ? kind >= Token.openCurly : isKeyToken(kind);
    if ((this.#json || frame.bare) && kind !== Token.problem && !isSeparator) {
      this.#accept(frame);
      if (begins) return;
    }
    this.#recover(frame);
  }

  /** Reports a field without a value and goes on with the next one, which was taken for its value. */
  #noValue(frame: Frame, code: ProblemCode): void {
    const message = `the key "${frame.path.join('.')}" has no value before the next field`;
    if (code === 'cannot-concatenate') this.#cursor.goBack(frame.draft.start);
    this.#cursor.report(code, message, 'write "" for an empty text, or null');
    if (code !== 'cannot-concatenate') this.#cursor.goBack(frame.draft.start);
    this.#leave(frame);
    frame.appends = false;
  }

  /** Whether what has been taken for the value is the key of a further field, on a line of its own. */
  #isNextField({ draft, node }: Frame): boolean {
    const { source, lineStart, start } = this.#cursor.lexer;
    return (
      node.kind === 'object' &&
      draft.start >= lineStart &&
      source.slice(lineStart, draft.start).trim() === '' &&
      !/[$[\]{}]/.test(source.slice(draft.start, start))
    );
  }

  /** A closing bracket that does not fit. */
  #misfit(): void {
    const cursor = this.#cursor;
    const message = `there is a ${cursor.found()} that closes nothing`;
    if (this.#stuck('unexpected-close', message, 'remove it')) cursor.lexer.next();
  }

  /**
   * Reports brackets that do not fit.
   *
   * @param frame the object or list that is not closed, if that is the mistake
   * @returns whether reading goes on: not without repairs
   */
  #stuck(code: ProblemCode, message: string, hint: string, frame?: Frame): boolean {
    const cursor = this.#cursor;
    if (this.#repairer !== undefined) {
      if (frame === undefined) cursor.report(code, message, hint);
      else this.#repairer.reportUnclosed(frame);
      return true;
    }
    cursor.report(code, message, hint);
    this.#isStuck = true;
    this.#stop();
    return false;
  }

  /** Does what the repairs ask for at the current token, if anything. */
  #repair(frame: Frame, repairer: Repairer): boolean {
    const cursor = this.#cursor;
    cursor.skipNewlines();
    if (repairer.closes > 0) {
      repairer.close(1);
      if (!frame.braces) return false;
      repairer.reportUnclosed(frame);
      this.#closeEarly(frame);
      return true;
    }
    if (repairer.isSwapped && frame.braces) {
      const close = frame.node.kind === 'list' ? ']' : '}';
      cursor.report('unexpected-close', `there is a ${cursor.found()} that closes nothing`, `write ${close} here`);
      this.#close(frame);
    } else if (repairer.isStray) {
      cursor.report('unexpected-close', `there is a ${cursor.found()} that closes nothing`, 'remove it');
    } else return false;
    cursor.lexer.next();
    return true;
  }

  /** Puts the finished value into its object or list. */
  #accept(frame: Frame): void {
    const { start, end, clash } = frame.draft;
    if (clash !== undefined) {
      const message = 'a list or an object cannot be joined with a value of another type';
      const hint = 'separate the values with a comma or a line break';
      this.#session.problems.add('cannot-concatenate', clash, message, hint);
    }
    const value = frame.draft.take();
    this.#leave(frame);
    this.#writer.write(frame, value, start, end);
  }

  /** Ends the current field or element. */
  #leave(frame: Frame): void {
    if (frame.appends) this.#frames.listDepth--;
    frame.draft.clear();
    frame.step = Step.start;
  }

  #include(frame: Frame, node: ObjectNode): void {
    const { problems, marks } = this.#session;
    const origin = this.#cursor.origin();
    const statement = readInclude(this.#cursor);
    if (statement === undefined) {
      this.#recover(frame);
      return;
    }
    const prefix = this.#source.prefix.concat(this.#frames.path());
    const included = this.#session.include(statement, this.#source, prefix, origin);
    if (included !== undefined && this.#frames.listDepth > 0 && hasUnresolved(included, marks)) {
      const message = 'a file with substitutions cannot be included inside a list';
      problems.add('include-in-list', origin, message, 'include it under a key of its own and refer to that');
    } else if (included !== undefined) {
      for (const [key, value] of rawEntries(included)) putField(node, key, value, included.keys.get(key)!, marks);
    }
    this.#afterInclude(frame);
  }

  #afterInclude(frame: Frame): void {
    const cursor = this.#cursor;
    const { kind } = cursor.lexer;
    cursor.skipNewlines();
    if (cursor.lexer.kind === Token.comma) cursor.lexer.next();
    else if (kind !== Token.newline && kind !== Token.end && kind !== Token.closeCurly) {
      const message = `a line break or a comma is expected after the include, not ${cursor.found()}`;
      this.#fail(frame, 'unexpected-token', message);
    }
  }

  #tooDeep(): void {
    const { depth } = this.#session.limits;
    this.#cursor.report('too-deep', `values are nested more than ${depth} deep`, 'flatten the config');
    this.#stop();
  }

  /** Gives up the rest of the text. */
  #stop(): void {
    this.#cursor.abandon();
    this.#frames.clear();
  }

  /** Reports the current token and goes on behind the broken field or element. */
  #fail(frame: Frame, code: ProblemCode, message: string, hint?: string): void {
    this.#cursor.report(code, message, hint);
    this.#recover(frame);
  }

  /** Skips to the end of the field or element: a line break or comma outside of brackets, or a bracket that closes. */
  #recover(frame: Frame): void {
    const { lexer } = this.#cursor;
    const repairer = this.#repairer;
    this.#leave(frame);
    frame.appends = false;
    frame.afterComma = false;
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
        else if (this.#frames.isOpen(kind === Token.closeCurly ? 'object' : 'list') || repairer?.isSwapped) return;
      } else if (depth === 0 && (kind === Token.comma || (kind === Token.newline && !this.#json))) {
        lexer.next();
        return;
      }
    }
  }
}
