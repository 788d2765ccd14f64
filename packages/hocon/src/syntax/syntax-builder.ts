import { PathBuilder } from '../lexing/path.ts';
import type { FieldSyntax, ListSyntax, ObjectSyntax, ScalarSyntax, Span, ValueSyntax } from './syntax-tree.ts';

/** The maximum nesting of a tree, as the default limit of parsing. Deeper values are not part of the tree. */
const MOST_DEPTH = 1000;

/** An object or list whose end is not read yet. */
interface Frame {
  node: ObjectSyntax | ListSyntax;
  field: FieldSyntax | undefined;
  /** The simple values that the key consists of. */
  key: ScalarSyntax[];
  /** The value of the field, or the current element. */
  value: ValueSyntax | undefined;
  /** True if the value starts on another line than its key. */
  isBelow: boolean;
  /** True after a line break that follows the key or the separator. */
  hasBreak: boolean;
}

/** Builds a syntax tree from the tokens of a text. No order of tokens is a mistake here. */
export class SyntaxBuilder {
  root: ObjectSyntax | undefined;
  /** True after brackets that do not match. */
  isUnbalanced = false;
  readonly #text: string;
  readonly #frames: Frame[] = [];
  /** The number of open brackets that are too deep. */
  #tooDeep = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The number of open objects with braces and lists. */
  get depth(): number {
    const outermost = this.#frames[0]?.node;
    const bare = outermost?.kind === 'object' && !outermost.braces ? 1 : 0;
    return this.#frames.length - bare + this.#tooDeep;
  }

  get #top(): Frame | undefined {
    return this.#frames[this.#frames.length - 1];
  }

  /** Starts a config without braces. */
  startBare(): void {
    this.root = { kind: 'object', from: 0, to: this.#text.length, braces: false, closed: true, fields: [] };
    this.#push(this.root);
  }

  /** Continues the config after its closing brace, because more text follows. */
  reopen(): void {
    this.isUnbalanced = true;
    if (this.root === undefined) this.startBare();
    else this.#push(this.root);
  }

  get isDone(): boolean {
    return this.#frames.length === 0;
  }

  open(kind: 'object' | 'list', at: number): void {
    if (this.#frames.length >= MOST_DEPTH || this.#tooDeep > 0) {
      this.#tooDeep++;
      return;
    }
    const to = this.#text.length;
    const node: ObjectSyntax | ListSyntax =
      kind === 'object'
        ? { kind, from: at, to, closed: false, braces: true, fields: [] }
        : { kind, from: at, to, closed: false, items: [] };
    const frame = this.#top;
    if (frame === undefined) {
      if (node.kind === 'object') this.root = node;
    } else {
      if (kind === 'object') this.#splitField(frame);
      this.#valueOf(frame, at).parts.push(node);
    }
    this.#push(node);
  }

  /** Ends the innermost object or list at a closing bracket, which is `length` characters long. */
  close(kind: 'object' | 'list', at: number, length = 1): void {
    if (this.#tooDeep > 0) {
      this.#tooDeep--;
      return;
    }
    const isOpen = this.#frames.some(({ node }) => node.kind === kind && !isBare(node));
    if (!isOpen) {
      this.isUnbalanced = true;
      return;
    }
    while (this.#top!.node.kind !== kind || isBare(this.#top!.node)) this.closeEarly(at);
    this.#pop(at + length, true);
  }

  /** Ends the innermost object or list without a bracket. */
  closeEarly(at: number): void {
    this.isUnbalanced = true;
    if (this.#tooDeep > 0) this.#tooDeep--;
    else if (!isBare(this.#top!.node)) this.#pop(at, false);
  }

  end(at: number): void {
    this.#tooDeep = 0;
    while (this.#top !== undefined) {
      if (isBare(this.#top.node)) this.#frames.pop();
      else this.closeEarly(at);
    }
  }

  scalar(scalar: ScalarSyntax): void {
    const frame = this.#top;
    if (frame === undefined || this.#tooDeep > 0) return;
    if (frame.node.kind === 'object' && this.#isKey(frame, scalar)) return;
    const value = this.#valueOf(frame, scalar.from);
    value.parts.push(scalar);
    this.#extend(frame, scalar.to);
  }

  separator(at: number, to: number, appends: boolean): void {
    const frame = this.#top;
    if (frame === undefined || this.#tooDeep > 0 || frame.node.kind === 'list') return;
    this.#splitField(frame);
    frame.field ??= this.#startField(frame, at);
    const { field } = frame;
    if (field.separator !== undefined || field.value !== undefined) return;
    field.separator = { from: at, to };
    field.appends = appends;
    field.to = to;
    frame.hasBreak = false;
  }

  newline(): void {
    const frame = this.#top;
    if (frame === undefined || this.#tooDeep > 0) return;
    if (frame.value !== undefined) this.#endValue(frame);
    else frame.hasBreak = true;
  }

  comma(): void {
    if (this.#top !== undefined && this.#tooDeep === 0) this.#endValue(this.#top);
  }

  #push(node: ObjectSyntax | ListSyntax): void {
    this.#frames.push({ node, field: undefined, key: [], value: undefined, isBelow: false, hasBreak: false });
  }

  #pop(to: number, closed: boolean): void {
    const { node } = this.#frames.pop()!;
    node.to = to;
    node.closed = closed;
    const outer = this.#top;
    if (outer === undefined) return;
    this.#extend(outer, to);
    if (!closed) this.#endValue(outer);
  }

  #extend({ value, field }: Frame, to: number): void {
    if (value !== undefined) value.to = to;
    if (field !== undefined) field.to = to;
  }

  #endValue(frame: Frame): void {
    frame.field = undefined;
    frame.value = undefined;
    frame.key = [];
    frame.hasBreak = false;
  }

  #startField({ node }: Frame, at: number): FieldSyntax {
    const key = { from: at, to: at, path: [], quoted: false };
    const field: FieldSyntax = {
      from: at,
      to: at,
      key,
      separator: undefined,
      appends: false,
      include: false,
      value: undefined,
    };
    if (node.kind === 'object') node.fields.push(field);
    return field;
  }

  /** Returns the value of the current field or element. Adds it if it does not exist. */
  #valueOf(frame: Frame, at: number): ValueSyntax {
    if (frame.value !== undefined) return frame.value;
    const value: ValueSyntax = { from: at, to: at, parts: [] };
    frame.value = value;
    frame.isBelow = frame.hasBreak;
    if (frame.node.kind === 'list') frame.node.items.push(value);
    else {
      frame.field ??= this.#startField(frame, at);
      frame.field.value = value;
    }
    return value;
  }

  /** Adds a simple value to the key of the current field. Returns false if it is a part of the value. */
  #isKey(frame: Frame, scalar: ScalarSyntax): boolean {
    const { field, key } = frame;
    if (field !== undefined) {
      if (field.separator !== undefined || field.value !== undefined) return false;
      const isInclude = key.length === 1 && key[0]!.kind === 'unquoted' && key[0]!.text === 'include';
      if (isInclude && !frame.hasBreak) {
        field.include = true;
        field.key.path = [];
        return false;
      }
      if (!frame.hasBreak) {
        this.#addToKey(field, key, scalar);
        return true;
      }
      this.#endValue(frame);
    }
    frame.hasBreak = false;
    frame.field = this.#startField(frame, scalar.from);
    this.#addToKey(frame.field, frame.key, scalar);
    return true;
  }

  #addToKey(field: FieldSyntax, key: ScalarSyntax[], scalar: ScalarSyntax): void {
    key.push(scalar);
    field.to = scalar.to;
    field.key.to = scalar.to;
    field.key.quoted = key.length === 1 && scalar.kind === 'string';
    field.key.path = this.#path(key);
  }

  #path(key: readonly ScalarSyntax[]): string[] {
    const builder = new PathBuilder();
    let before: Span | undefined;
    for (const scalar of key) {
      if (before !== undefined && before.to < scalar.from) builder.add(this.#text.slice(before.to, scalar.from), false);
      builder.add(scalar.text, scalar.kind === 'string');
      before = scalar;
    }
    const path = builder.finish();
    return typeof path === 'string' ? [] : path;
  }

  /**
   * Ends a field without a value before the next field: in `a =` above `b = 1`, the key `b` was read as the value of
   * `a`.
   */
  #splitField(frame: Frame): void {
    const { field, value, node } = frame;
    if (node.kind === 'list' || field === undefined || value === undefined || !frame.isBelow || field.include) return;
    const scalars = value.parts.filter(isScalar);
    if (scalars.length < value.parts.length) return;
    field.value = undefined;
    field.to = field.separator?.to ?? field.key.to;
    this.#endValue(frame);
    frame.field = this.#startField(frame, value.from);
    for (const scalar of scalars) this.#addToKey(frame.field, frame.key, scalar);
  }
}

function isBare(node: ObjectSyntax | ListSyntax): boolean {
  return node.kind === 'object' && !node.braces;
}

function isScalar(part: ValueSyntax['parts'][number]): part is ScalarSyntax {
  return part.kind !== 'object' && part.kind !== 'list';
}
