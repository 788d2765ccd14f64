import { Cursor } from './cursor.ts';
import { InPlaceJoiner } from './draft.ts';
import { appended, emptyObject, putField, setField } from './fields.ts';
import type { Frame } from './frame.ts';
import { FrameStack, innerLevel, Step } from './frame.ts';
import { readInclude } from './include-statement.ts';
import { hasUnresolved } from './merge.ts';
import type { ListNode, ObjectNode } from './node.ts';
import { PathBuilder } from './path.ts';
import type { ProblemCode } from './problem.ts';
import type { Raw } from './raw.ts';
import { rawEntries, rawItems } from './raw.ts';
import type { FieldSpan, Session, Source } from './session.ts';
import { SimpleReader } from './simple-reader.ts';
import { isKeyToken, Token } from './token.ts';

/**
 * Reads a text into a tree, without resolving. Mistakes are reported to the session; reading goes on with the next
 * field or element. Nesting is kept on a stack of its own, so that no text can overflow the call stack.
 */
export class Parser {
  readonly #session: Session;
  readonly #source: Source;
  readonly #json: boolean;
  readonly #cursor: Cursor;
  readonly #frames: FrameStack;
  readonly #simple: SimpleReader;
  /** Lists and values of `+=` around the current place. */
  #listDepth = 0;

  constructor(source: Source, session: Session) {
    this.#source = source;
    this.#session = session;
    this.#json = source.format === 'json';
    this.#cursor = new Cursor(source.text, source.file, this.#json, session.problems);
    this.#simple = new SimpleReader(this.#cursor, session, source.prefix);
    this.#frames = new FrameStack(new InPlaceJoiner(session.marks), source.prefix.length);
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
    } else this.#frames.push(root, false, 1);
    this.#run();
    cursor.skipNewlines();
    if (cursor.lexer.kind !== Token.end) {
      const message = `the config has ended, but ${cursor.found()} follows`;
      cursor.report('unexpected-token', message, 'remove what stands after the last closing bracket');
    }
    return root;
  }

  #run(): void {
    for (let frame = this.#frames.top; frame !== undefined; frame = this.#frames.top) {
      if (frame.step === Step.value) this.#value(frame);
      else if (frame.step === Step.after) this.#separator(frame);
      else if (frame.node.kind === 'object') this.#field(frame, frame.node);
      else this.#element(frame);
    }
  }

  /** Begins an object or list at its opening bracket. */
  #open(node: ObjectNode | ListNode, braces: boolean): void {
    const { lexer } = this.#cursor;
    if (node.kind === 'list') this.#listDepth++;
    this.#frames.push(node, braces, lexer.line);
    lexer.next();
  }

  /** Ends the innermost object or list and gives it to the value around it. */
  #close(frame: Frame): void {
    const { node } = frame;
    this.#frames.pop();
    if (node.kind === 'list') this.#listDepth--;
    const outer = this.#frames.top;
    if (outer === undefined) return;
    this.#add(outer, node);
    outer.draft.lastIsSimple = false;
    outer.draft.end = this.#cursor.lexer.end;
    if (outer.bare) outer.step = Step.after;
  }

  #field(frame: Frame, node: ObjectNode): void {
    const { lexer } = this.#cursor;
    this.#cursor.skipNewlines();
    const { kind } = lexer;
    if (kind === Token.closeCurly) this.#closeCurly(frame);
    else if (kind === Token.end) this.#end(frame);
    else if (kind === Token.closeSquare) this.#misfit(frame);
    else if (kind === Token.unquoted && lexer.text === 'include' && !this.#json) this.#include(frame, node);
    else if (this.#key(frame)) this.#keySeparator(frame);
  }

  #closeCurly(frame: Frame): void {
    const cursor = this.#cursor;
    if (frame.braces) {
      if (this.#json && frame.afterComma)
        cursor.report('not-json', 'JSON allows no comma before }', 'remove the comma');
      this.#close(frame);
    } else cursor.report('unexpected-close', 'there is a } without a {', 'remove it, or open the object with {');
    cursor.lexer.next();
  }

  /** The text has ended. What is still open is closed, with one problem. */
  #end(frame: Frame): void {
    const { lexer } = this.#cursor;
    if (frame.braces && !frame.unclosed && !lexer.cutOff) {
      const [what, close] = frame.node.kind === 'list' ? ['list', ']'] : ['object', '}'];
      const message = `the text ends inside the ${what} opened on line ${frame.openLine}`;
      this.#cursor.report('unclosed-bracket', message, `close it with ${close}`);
      lexer.cutOff = true;
    }
    this.#close(frame);
  }

  /** Reads a key into `frame.path`. */
  #key(frame: Frame): boolean {
    const cursor = this.#cursor;
    const { lexer } = cursor;
    if (this.#json ? lexer.kind !== Token.string : !isKeyToken(lexer.kind)) {
      const hint = this.#json ? 'JSON keys stand in double quotes' : undefined;
      this.#fail(frame, 'missing-key', `a key is expected here, not ${cursor.found()}`, hint);
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
    return this.#longKey(frame, kind, text);
  }

  #longKey(frame: Frame, firstKind: number, firstText: string): boolean {
    const { lexer } = this.#cursor;
    const builder = new PathBuilder();
    builder.add(firstText, firstKind === Token.string);
    while (isKeyToken(lexer.kind)) {
      if (lexer.spaceStart < lexer.start) builder.add(lexer.space(), false);
      builder.add(lexer.text, lexer.kind === Token.string);
      lexer.next();
    }
    // The space counts, as a substitution is a simple value; the mistake is then the substitution.
    if (lexer.kind === Token.substitution && lexer.spaceStart < lexer.start) builder.add(lexer.space(), false);
    const path = builder.finish();
    if (typeof path === 'string') {
      const message = `this key is not a path: ${path}`;
      this.#session.problems.add('bad-key', frame.keyOrigin, message, 'put double quotes around the key');
      this.#recover(frame);
      return false;
    }
    if (frame.level + path.length - 1 > this.#session.limits.depth) {
      this.#tooDeep();
      return false;
    }
    frame.path = path;
    return true;
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
      if (this.#listDepth > 0) {
        const hint = 'write the whole list with =';
        this.#session.problems.add('append-in-list', frame.keyOrigin, '+= does not work inside a list', hint);
      }
      this.#listDepth++;
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
    else if (kind === Token.closeCurly) this.#misfit(frame);
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
    if (spaced) this.#add(frame, this.#simple.space());
    this.#add(frame, this.#simple.read(kind, !draft.empty));
  }

  #add(frame: Frame, piece: Raw): void {
    if (frame.draft.add(piece)) return;
    const message = 'a list or an object cannot be joined with a value of another type';
    const hint = 'separate the values with a comma or a line break';
    this.#session.problems.add('cannot-concatenate', frame.draft.origin, message, hint);
    frame.draft.replace({ kind: 'broken', origin: piece.origin });
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
    else {
      const isSeparator = kind === Token.equals || kind === Token.colon;
      if (frame.node.kind === 'list' && isSeparator) frame.unclosed = true;
      let hint = 'separate fields and elements with a comma or a line break';
      if (this.#json) hint = 'separate fields and elements with a comma';
      else if (isSeparator) hint = `put double quotes around the value if the ${cursor.found()} belongs to it`;
      if (frame.unclosed) hint = 'close the list with ] before the next field';
      const code = this.#json ? 'not-json' : 'unexpected-token';
      this.#fail(frame, code, `a comma, a line break or the end is expected here, not ${cursor.found()}`, hint);
    }
  }

  /** A closing bracket of the other kind: either this object or list was not closed, or there is one too many. */
  #misfit(frame: Frame): void {
    const cursor = this.#cursor;
    const isObject = frame.node.kind === 'object';
    if (this.#frames.isOpen(isObject ? 'list' : 'object')) {
      const [what, here, close] = isObject ? ['object', ']', '}'] : ['list', '}', ']'];
      const message = `the ${what} opened on line ${frame.openLine} is not closed before ${here}`;
      if (!frame.unclosed) cursor.report('unclosed-bracket', message, `close it with ${close}`);
      this.#close(frame);
      return;
    }
    // Taken for a slip of the finger where it can close this one, else for one too many.
    const closes = frame.braces && this.#frames.depth > 1;
    const hint = closes ? `write ${isObject ? '}' : ']'} here` : 'remove it';
    cursor.report('unexpected-close', `there is a ${cursor.found()} that closes nothing`, hint);
    if (closes) this.#close(frame);
    cursor.lexer.next();
  }

  /** Puts the finished value into its object or list. */
  #accept(frame: Frame): void {
    const { marks, problems } = this.#session;
    const { draft, node, appends, path } = frame;
    const { start, end } = draft;
    let value = draft.take();
    this.#leave(frame);
    if (node.kind === 'list') {
      if (value.kind === 'broken') return;
      rawItems(node).push(value);
      if (marks.isUnresolved(value)) marks.unresolved.add(node);
      return;
    }
    this.#tell(frame, start, end, value, appends);
    if (appends && value.kind !== 'broken') {
      const { prefix } = this.#source;
      value = appended(prefix.concat(this.#frames.path(), path), prefix.length, value, marks);
    }
    if (this.#json && node.entries.has(path[0]!)) {
      const hint = 'JSON keys must differ within an object';
      problems.add('duplicate-key', frame.keyOrigin, `the key "${path[0]}" is there twice`, hint);
    } else setField(node, path, value, frame.keyOrigin, marks);
  }

  #tell(frame: Frame, valueStart: number, valueEnd: number, node: Raw, appends: boolean): void {
    const { onField } = this.#source;
    if (onField === undefined) return;
    const path = [...this.#frames.path(), ...frame.path];
    const inList = this.#listDepth > 0;
    const span: FieldSpan = { path, inList, appends, keyStart: frame.keyStart, valueStart, valueEnd, node };
    onField(span);
  }

  /** Ends the current field or element. */
  #leave(frame: Frame): void {
    if (frame.appends) this.#listDepth--;
    frame.appends = false;
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
    if (included !== undefined && this.#listDepth > 0 && hasUnresolved(included, marks)) {
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
    this.#leave(frame);
    frame.afterComma = false;
    for (let depth = 0; lexer.kind !== Token.end; lexer.next()) {
      const { kind } = lexer;
      if (kind === Token.openCurly || kind === Token.openSquare) depth++;
      else if (kind === Token.closeCurly || kind === Token.closeSquare) {
        if (depth > 0) depth--;
        else if (this.#frames.isOpen(kind === Token.closeCurly ? 'object' : 'list')) return;
      } else if (depth === 0 && (kind === Token.comma || (kind === Token.newline && !this.#json))) {
        lexer.next();
        return;
      }
    }
  }
}
