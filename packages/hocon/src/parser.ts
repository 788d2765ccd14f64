import { append, Draft } from './draft.ts';
import { readInclude } from './include-statement.ts';
import { Lexer, Token } from './lexer.ts';
import { hasUnresolved, layOver } from './merge.ts';
import type { ListNode, ObjectNode, Origin, StringNode } from './node.ts';
import { PathBuilder } from './path.ts';
import type { ProblemCode } from './problem.ts';
import type { Raw } from './raw.ts';
import { rawEntries, rawItems } from './raw.ts';
import type { Session } from './session.ts';

/** Where in its element the reading of an object or list is. */
const Step = { start: 0, value: 1, after: 2 } as const;

/** An object or list that is being read. */
interface Frame {
  node: ObjectNode | ListNode;
  step: 0 | 1 | 2;
  draft: Draft;
  braces: boolean;
  openLine: number;
  afterComma: boolean;
  /** Of the field that is being read: its path, where it stands, and whether `+=` or an omitted separator leads to it. */
  path: string[];
  keyOrigin: Origin;
  keyStart: number;
  appends: boolean;
  bare: boolean;
}

/** Where one field of the text stands, for editing: offsets into the text. */
export interface FieldSpan {
  path: string[];
  inList: boolean;
  keyStart: number;
  valueStart: number;
  valueEnd: number;
  node: Raw;
}

/** What differs from one text to the next. */
export interface Source {
  text: string;
  file: string | undefined;
  json: boolean;
  /** The path at which the text was included. */
  prefix: string[];
  /** Told of every field, for editing. */
  onField?: ((span: FieldSpan) => void) | undefined;
}

/**
 * Reads a text into a tree, without resolving. Mistakes are reported to the session; reading goes on with the next
 * field or element. Nesting is kept on a stack of its own, so that no text can overflow the call stack.
 */
export class Parser {
  readonly session: Session;
  readonly lexer: Lexer;
  readonly source: Source;
  readonly #json: boolean;
  /** Whether a word was quoted shows only beside a list or object on its line, or through a substitution. */
  readonly #marksWords: boolean;
  readonly #frames: Frame[] = [];
  /** Lists and values of `+=` around the current place. */
  #listDepth = 0;

  constructor(source: Source, session: Session) {
    this.source = source;
    this.session = session;
    this.#json = source.json;
    this.#marksWords = session.marksWords;
    this.lexer = new Lexer(source.text, source.file, source.json);
  }

  parse(): ObjectNode {
    const lexer = this.lexer;
    this.advancePastNewlines();
    if (lexer.kind === Token.openSquare) return this.#listRoot();
    const root = this.#object(this.origin());
    if (lexer.kind === Token.openCurly) {
      this.#push(root, true);
      lexer.next();
    } else if (this.#json) {
      const found =
        lexer.kind === Token.end ? 'the text is empty' : `a JSON text must start with {, not ${this.found()}`;
      this.report('not-json', found, 'write the config as one object in braces');
      return root;
    } else this.#push(root, false);
    this.#run(1);
    this.#trailing();
    return root;
  }

  #listRoot(): ObjectNode {
    const origin = this.origin();
    const list: ListNode = { kind: 'list', items: [], origin };
    this.session.problems.add(
      'root-not-object',
      origin,
      'the text is a list, but a config must be an object',
      'put the list under a key',
    );
    this.#push(list, true);
    this.lexer.next();
    this.#run(1);
    this.#trailing();
    return this.#object(origin);
  }

  #trailing(): void {
    this.#skipNewlines();
    while (this.lexer.kind !== Token.end) {
      this.report(
        'unexpected-token',
        `the config has ended, but ${this.found()} follows`,
        'remove what stands after the last }',
      );
      this.lexer.jumpToEnd();
      this.lexer.next();
    }
  }

  /** Reads until the stack is back below `floor` frames. */
  #run(floor: number): void {
    while (this.#frames.length >= floor) {
      const frame = this.#frames.at(-1)!;
      if (frame.step === Step.value) this.#value(frame);
      else if (frame.step === Step.after) this.#separator(frame);
      else if (frame.node.kind === 'object') this.#field(frame, frame.node);
      else this.#element(frame);
    }
  }

  #object(origin: Origin): ObjectNode {
    return { kind: 'object', entries: new Map(), keys: new Map(), origin };
  }

  #push(node: ObjectNode | ListNode, braces: boolean): void {
    if (node.kind === 'list') this.#listDepth++;
    this.#frames.push({
      node,
      step: Step.start,
      draft: new Draft(this.session.marks),
      braces,
      openLine: this.lexer.line,
      afterComma: false,
      path: [],
      keyOrigin: node.origin,
      keyStart: 0,
      appends: false,
      bare: false,
    });
  }

  /** Closes the innermost object or list and gives it to the value around it. */
  #pop(): void {
    const frame = this.#frames.pop()!;
    if (frame.node.kind === 'list') this.#listDepth--;
    const outer = this.#frames.at(-1);
    if (outer === undefined) return;
    this.#addPiece(outer, frame.node);
    outer.draft.lastIsSimple = false;
    if (outer.bare) outer.step = Step.after;
  }

  #field(frame: Frame, node: ObjectNode): void {
    const lexer = this.lexer;
    this.#skipNewlines();
    const kind = lexer.kind;
    if (kind === Token.closeCurly) this.#closeCurly(frame);
    else if (kind === Token.end) this.#end(frame);
    else if (kind === Token.unquoted && lexer.text === 'include' && !this.#json) this.#include(frame, node);
    else if (this.#key(frame)) this.#fieldSeparator(frame);
  }

  #closeCurly(frame: Frame): void {
    if (!frame.braces) {
      this.report('unexpected-close', 'there is a } without a {', 'remove it, or open the object with {');
      this.lexer.next();
      return;
    }
    if (this.#json && frame.afterComma) this.report('not-json', 'JSON allows no comma before }', 'remove the comma');
    frame.draft.end = this.lexer.end;
    this.#closing();
  }

  #closing(): void {
    const end = this.lexer.end;
    this.#pop();
    const outer = this.#frames.at(-1);
    if (outer !== undefined) outer.draft.end = end;
    this.lexer.next();
  }

  /** The text has ended. Everything still open is closed, with one problem. */
  #end(frame: Frame): void {
    if (frame.braces && !this.lexer.cutOff) {
      const [what, close] = frame.node.kind === 'list' ? ['list', ']'] : ['object', '}'];
      this.report(
        'unclosed-bracket',
        `the text ends inside the ${what} opened on line ${frame.openLine}`,
        `close it with ${close}`,
      );
      this.lexer.cutOff = true;
    }
    this.#pop();
  }

  /** Reads a key into `frame.path`. */
  #key(frame: Frame): boolean {
    const lexer = this.lexer;
    if (this.#json ? lexer.kind !== Token.string : lexer.kind < Token.string || lexer.kind === Token.substitution) {
      if (lexer.kind === Token.closeSquare && this.#closesOuterList()) {
        this.report(
          'unclosed-bracket',
          `the object opened on line ${frame.openLine} is not closed before ]`,
          'close it with }',
        );
        this.#pop();
        return false;
      }
      if (lexer.kind === Token.closeSquare) {
        this.report('unexpected-close', 'there is a ] without a [', 'remove it');
        lexer.next();
        return false;
      }
      this.#fail(
        'missing-key',
        `a key is expected here, not ${this.found()}`,
        this.#json ? 'JSON keys stand in double quotes' : undefined,
      );
      return false;
    }
    frame.keyOrigin = this.origin();
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
    const lexer = this.lexer;
    const builder = new PathBuilder();
    if (firstKind === Token.string) builder.addQuoted(firstText);
    else builder.addUnquoted(firstText);
    while (isKeyToken(lexer.kind)) {
      if (lexer.spaceStart < lexer.start) builder.addUnquoted(lexer.space());
      if (lexer.kind === Token.string) builder.addQuoted(lexer.text);
      else builder.addUnquoted(lexer.text);
      lexer.next();
    }
    if (lexer.kind === Token.substitution && lexer.spaceStart < lexer.start) builder.addUnquoted(lexer.space());
    const path = builder.finish();
    if (typeof path === 'string') {
      this.session.problems.add(
        'bad-key',
        frame.keyOrigin,
        `this key is not a path: ${path}`,
        'put double quotes around the key',
      );
      this.#recover(frame);
      return false;
    }
    if (path.length + this.#frames.length > this.session.limits.depth) {
      this.#tooDeep();
      return false;
    }
    frame.path = path;
    return true;
  }

  #fieldSeparator(frame: Frame): void {
    const lexer = this.lexer;
    this.#skipNewlines();
    frame.appends = false;
    frame.bare = false;
    frame.draft.clear();
    if (lexer.kind === Token.openCurly && !this.#json) {
      frame.bare = true;
    } else if (lexer.kind === Token.colon || (lexer.kind === Token.equals && !this.#json)) {
      lexer.next();
    } else if (lexer.kind === Token.plusEquals && !this.#json) {
      lexer.next();
      frame.appends = true;
      if (this.#listDepth > 0) {
        this.session.problems.add(
          'append-in-list',
          frame.keyOrigin,
          '+= does not work inside a list',
          'write the whole list with =',
        );
      }
      this.#listDepth++;
    } else {
      this.#fail(
        'missing-separator',
        `the key "${frame.path.join('.')}" is followed by ${this.found()}`,
        'a key is followed by =, : or {',
      );
      return;
    }
    this.#skipNewlines();
    frame.step = Step.value;
  }

  #element(frame: Frame): void {
    const lexer = this.lexer;
    this.#skipNewlines();
    if (lexer.kind === Token.closeSquare) {
      if (this.#json && frame.afterComma) this.report('not-json', 'JSON allows no comma before ]', 'remove the comma');
      this.#closing();
    } else if (lexer.kind === Token.end) this.#end(frame);
    else if (lexer.kind === Token.closeCurly) this.#misfit(frame);
    else {
      frame.draft.clear();
      frame.step = Step.value;
    }
  }

  /** Reads the pieces of a value up to the end of the line, or up to an object or list, which is read first. */
  #value(frame: Frame): void {
    const { lexer, session } = this;
    const draft = frame.draft;
    for (;;) {
      const kind = lexer.kind;
      if (kind >= Token.string) {
        if (this.#json && (!draft.empty || kind === Token.unquoted || kind === Token.substitution)) break;
        if (draft.lastIsSimple && lexer.spaceStart < lexer.start) this.#addPiece(frame, this.#space());
        if (draft.start < 0) draft.start = lexer.start;
        this.#addPiece(frame, this.#simple(kind));
        draft.lastIsSimple = true;
        draft.end = lexer.end;
        lexer.next();
      } else if (kind === Token.openCurly || kind === Token.openSquare) {
        if (this.#json && !draft.empty) break;
        if (draft.start < 0) draft.start = lexer.start;
        if (this.#frames.length >= session.limits.depth) {
          this.#tooDeep();
          return;
        }
        const origin = this.origin();
        this.#push(kind === Token.openCurly ? this.#object(origin) : { kind: 'list', items: [], origin }, true);
        lexer.next();
        return;
      } else break;
    }
    if (draft.empty) {
      this.#leaveValue(frame);
      this.#fail('missing-value', `a value is expected here, not ${this.found()}`);
    } else frame.step = Step.after;
  }

  #simple(kind: number): Raw {
    const { lexer } = this;
    const origin = this.origin();
    switch (kind) {
      case Token.string:
        return { kind: 'string', value: lexer.text, origin };
      case Token.number:
        return { kind: 'number', value: lexer.number.value, text: lexer.text, float: lexer.number.float, origin };
      case Token.true:
      case Token.false:
        return { kind: 'boolean', value: kind === Token.true, origin };
      case Token.null:
        return { kind: 'null', origin };
      case Token.substitution:
        return this.#reference(origin);
      default:
        return this.#word(lexer.text, origin, !this.#frames.at(-1)!.draft.empty);
    }
  }

  #word(value: string, origin: Origin, mayBeDropped: boolean): StringNode {
    const node: StringNode = { kind: 'string', value, origin };
    if (this.#marksWords || mayBeDropped) this.session.marks.unquoted.add(node);
    return node;
  }

  #space(): StringNode {
    return this.#word(this.lexer.space(), this.origin(), true);
  }

  #reference(origin: Origin): Raw {
    const { path, optional } = this.lexer;
    const { prefix } = this.source;
    if (typeof path === 'string') {
      this.session.problems.add(
        'bad-path',
        origin,
        `this substitution has no path: ${path}`,
        'put double quotes around the part of the path',
      );
      return { kind: 'broken', origin };
    }
    return { kind: 'reference', path: prefix.concat(path), optional, prefix: prefix.length, origin };
  }

  #addPiece(frame: Frame, piece: Raw): void {
    if (frame.draft.add(piece)) return;
    const message = 'a list or an object cannot be joined with a value of another type';
    this.session.problems.add(
      'cannot-concatenate',
      frame.draft.origin,
      message,
      'separate the values with a comma or a line break',
    );
    frame.draft.replace({ kind: 'broken', origin: piece.origin });
  }

  /** After a value: what follows must end it. Only then the value counts. */
  #separator(frame: Frame): void {
    const { lexer } = this;
    let separated = lexer.kind === Token.newline;
    if (separated) this.#skipNewlines();
    if (this.#json) separated = false;
    frame.afterComma = lexer.kind === Token.comma;
    if (frame.afterComma) {
      this.#accept(frame);
      lexer.next();
      return;
    }
    const isObject = frame.node.kind === 'object';
    const closes = lexer.kind === (isObject ? Token.closeCurly : Token.closeSquare) || lexer.kind === Token.end;
    const misfit = lexer.kind === (isObject ? Token.closeSquare : Token.closeCurly);
    if (separated || closes || misfit) {
      this.#accept(frame);
      if (misfit) this.#misfit(frame);
      return;
    }
    this.#leaveValue(frame);
    const hint = 'separate fields and elements with a comma or a line break';
    this.#fail(
      this.#json ? 'not-json' : 'unexpected-token',
      `a comma, a line break or the end is expected here, not ${this.found()}`,
      hint,
    );
  }

  /** A closing bracket of the other kind: either this one was not closed, or there is one too many. */
  #misfit(frame: Frame): void {
    const isObject = frame.node.kind === 'object';
    if (isObject ? this.#closesOuterList() : this.#closesOuterObject()) {
      const [what, here, close] = isObject ? ['object', ']', '}'] : ['list', '}', ']'];
      this.report(
        'unclosed-bracket',
        `the ${what} opened on line ${frame.openLine} is not closed before ${here}`,
        `close it with ${close}`,
      );
      this.#pop();
    } else {
      this.report('unexpected-close', `there is a ${this.found()} too many`, 'remove it');
      this.lexer.next();
    }
  }

  #closesOuterList(): boolean {
    return this.#frames.some((frame) => frame.node.kind === 'list');
  }

  #closesOuterObject(): boolean {
    return this.#frames.some((frame) => frame.node.kind === 'object' && frame.braces);
  }

  #leaveValue(frame: Frame): void {
    if (frame.appends) this.#listDepth--;
    frame.appends = false;
    frame.draft.clear();
    frame.step = Step.start;
  }

  /** Puts the finished value into its object or list. */
  #accept(frame: Frame): void {
    const { marks } = this.session;
    const { draft, node, appends } = frame;
    const { start, end } = draft;
    let value = draft.take();
    if (appends) this.#listDepth--;
    frame.appends = false;
    frame.step = Step.start;
    if (node.kind === 'list') {
      if (value.kind === 'broken') return;
      rawItems(node).push(value);
      if (marks.isUnresolved(value)) marks.unresolved.add(node);
      return;
    }
    this.source.onField?.({
      path: [...this.currentPath(), ...frame.path],
      inList: this.#listDepth > 0,
      keyStart: frame.keyStart,
      valueStart: start,
      valueEnd: end,
      node: value,
    });
    if (appends && value.kind !== 'broken') {
      const path = this.source.prefix.concat(this.currentPath(), frame.path);
      value = append(path, this.source.prefix.length, value, value.origin, marks);
    }
    this.#assign(frame, node, value);
  }

  /** Sets the field `frame.path` of an object, over what is there. */
  #assign(frame: Frame, node: ObjectNode, value: Raw): void {
    const { marks, problems } = this.session;
    const { path, keyOrigin } = frame;
    const unresolved = marks.isUnresolved(value);
    let into = node;
    const last = path.length - 1;
    for (let i = 0; i < last; i++) {
      if (unresolved) marks.unresolved.add(into);
      const entries = rawEntries(into);
      const existing = entries.get(path[i]!);
      if (existing?.kind === 'object') {
        into = existing;
        continue;
      }
      const inner = this.#object(keyOrigin);
      if (existing === undefined) {
        entries.set(path[i]!, inner);
        into.keys.set(path[i]!, keyOrigin);
        into = inner;
        continue;
      }
      let nested = value;
      for (let j = last; j > i; j--) {
        const object = this.#object(keyOrigin);
        rawEntries(object).set(path[j]!, nested);
        object.keys.set(path[j]!, keyOrigin);
        if (unresolved) marks.unresolved.add(object);
        nested = object;
      }
      this.#put(into, path[i]!, nested, existing, keyOrigin);
      return;
    }
    const key = path[last]!;
    const existing = into.entries.get(key);
    if (existing !== undefined && this.#json) {
      problems.add(
        'duplicate-key',
        keyOrigin,
        `the key "${key}" is there twice`,
        'JSON keys must differ within an object',
      );
      return;
    }
    if (unresolved) marks.unresolved.add(into);
    this.#put(into, key, value, existing, keyOrigin);
  }

  #put(into: ObjectNode, key: string, value: Raw, existing: Raw | undefined, keyOrigin: Origin): void {
    const { marks } = this.session;
    const merged = existing === undefined ? value : layOver(value, existing, marks);
    if (merged.kind === 'merge') marks.unresolved.add(into);
    rawEntries(into).set(key, merged);
    if (merged !== existing || merged.kind === 'merge') into.keys.set(key, keyOrigin);
  }

  /** The path of the innermost object, within this text. Lists do not count. */
  currentPath(): string[] {
    const path: string[] = [];
    for (const frame of this.#frames.slice(0, -1)) if (frame.node.kind === 'object') path.push(...frame.path);
    return path;
  }

  #include(frame: Frame, node: ObjectNode): void {
    const origin = this.origin();
    const statement = readInclude(this);
    if (statement === undefined) {
      this.#recover(frame);
      return;
    }
    const { session, source } = this;
    const included = session.include(statement, source, source.prefix.concat(this.currentPath()), origin);
    if (included !== undefined) {
      if (this.#listDepth > 0 && hasUnresolved(included, session.marks)) {
        session.problems.add(
          'include-in-list',
          origin,
          'a file with substitutions cannot be included inside a list',
          'include it under a key of its own and refer to that',
        );
      } else {
        for (const [key, value] of rawEntries(included)) {
          this.#put(node, key, value, rawEntries(node).get(key), included.keys.get(key)!);
          if (session.marks.isUnresolved(value)) session.marks.unresolved.add(node);
        }
      }
    }
    this.#afterInclude(frame);
  }

  #afterInclude(frame: Frame): void {
    const { lexer } = this;
    const { kind } = lexer;
    if (kind === Token.newline) this.#skipNewlines();
    if (lexer.kind === Token.comma) lexer.next();
    else if (kind !== Token.newline && kind !== Token.end && kind !== Token.closeCurly) {
      this.#fail('unexpected-token', `a line break or a comma is expected after the include, not ${this.found()}`);
    }
    frame.step = Step.start;
  }

  #tooDeep(): void {
    const { depth } = this.session.limits;
    this.report('too-deep', `values are nested more than ${depth} deep`, 'flatten the config');
    this.lexer.jumpToEnd();
    this.lexer.next();
    this.lexer.cutOff = true;
    this.#frames.length = 0;
  }

  advancePastNewlines(): void {
    this.lexer.next();
    this.#skipNewlines();
  }

  #skipNewlines(): void {
    while (this.lexer.kind === Token.newline) this.lexer.next();
  }

  origin(): Origin {
    const { lexer } = this;
    return { file: lexer.file, line: lexer.line, column: lexer.start - lexer.lineStart + 1 };
  }

  /** The current token in words. */
  found(): string {
    const { lexer } = this;
    if (lexer.kind === Token.end) return 'the end of the text';
    if (lexer.kind === Token.newline) return 'a line break';
    const text = lexer.source.slice(lexer.start, lexer.end);
    return text.length > 40 ? `${text.slice(0, 40)}…` : text;
  }

  report(code: ProblemCode, message: string, hint?: string): void {
    const { problem } = this.lexer;
    if (this.lexer.kind === Token.problem && problem !== undefined) {
      this.session.problems.add(problem.code, this.origin(), problem.message, problem.hint);
    } else this.session.problems.add(code, this.origin(), message, hint);
  }

  /** Reports the current token and goes on behind the broken field or element. */
  #fail(code: ProblemCode, message: string, hint?: string): void {
    this.report(code, message, hint);
    this.#recover(this.#frames.at(-1)!);
  }

  /** Skips to the end of the field or element: a line break or comma outside of brackets, or a bracket that closes. */
  #recover(frame: Frame): void {
    const { lexer } = this;
    frame.step = Step.start;
    frame.afterComma = false;
    frame.draft.clear();
    for (let depth = 0; lexer.kind !== Token.end; lexer.next()) {
      const { kind } = lexer;
      if (kind === Token.openCurly || kind === Token.openSquare) depth++;
      else if (kind === Token.closeCurly || kind === Token.closeSquare) {
        if (depth > 0) depth--;
        else if (kind === Token.closeCurly ? this.#closesOuterObject() : this.#closesOuterList()) return;
      } else if (depth === 0 && (kind === Token.comma || (kind === Token.newline && !this.#json))) {
        lexer.next();
        return;
      }
    }
  }
}

function isKeyToken(kind: number): boolean {
  return kind >= Token.string && kind !== Token.substitution;
}
