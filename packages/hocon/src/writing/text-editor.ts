import { parse } from '../loading/parse.ts';
import { checkOptions, type ParseOptions } from '../loading/parse-options.ts';
import { parseSyntax } from '../syntax/parse-syntax.ts';
import type { ListSyntax, ObjectSyntax, SyntaxTree } from '../syntax/syntax-tree.ts';
import { objectOf } from '../syntax/syntax-tree.ts';
import { ArgumentError, checkText } from '../tree/arguments.ts';
import type { ConfigNode, PlainValue } from '../tree/node.ts';
import type { Problem } from '../tree/problem.ts';
import { Cells, type Region } from './cells.ts';
import { EditError } from './edit-error.ts';
import type { EditPath, Place } from './locate.ts';
import { fieldsOf, keysFrom, listAt, locate, objectsAt, Refusal, shown } from './locate.ts';
import { render } from './render.ts';
import type { TextChange } from './text-change.ts';
import { applyChanges, lineBreakOf, withLineBreaks } from './text-change.ts';
import { styleOf, type TextStyle, ValueWriter } from './text-style.ts';

/** The maximum length of a new value on one line, and of a new value beside values of several lines. */
const LINE_WIDTH = 80;
const NARROW_WIDTH = 0;

/** One edit of a text: it finds the place, writes the change and checks the result. */
export class TextEditor {
  readonly #text: string;
  readonly #path: EditPath;
  readonly #options: ParseOptions;
  readonly #tree: SyntaxTree;
  readonly #style: TextStyle;
  readonly #root: ConfigNode;
  readonly #problems: readonly Problem[];

  constructor(text: string, path: EditPath, options: ParseOptions) {
    checkText(text, 'the text');
    checkOptions(options);
    checkPath(path);
    if (options.format === 'properties') {
      throw new EditError('only HOCON and JSON can be edited, not properties', undefined);
    }
    this.#text = text;
    this.#path = path;
    const json = text.trim() !== '' && parse(text, { format: 'json' }).problems.length === 0;
    this.#options = { ...options, format: json ? 'json' : 'hocon' };
    const { root, problems } = parse(text, this.#options);
    this.#root = root;
    this.#problems = problems;
    this.#tree = parseSyntax(text);
    this.#style = styleOf(this.#tree, json);
    if (this.#tree.balanced) return;
    const first = problems[0];
    throw this.#refused(`first correct the mistake on line ${first?.line}: ${first?.message}`, first);
  }

  insertItem(index: number, value: PlainValue | ConfigNode): TextChange[] {
    return this.#run(() => {
      const place = locate(this.#tree, this.#path);
      const list = listAt(place, this.#path);
      const items = this.#itemsOf(list);
      if (index > items.length) throw new Refusal(`${shown(this.#path)} has only ${items.length} elements`);
      const isTall = list.items.some(({ from, to }) => this.#text.slice(from, to).includes('\n'));
      const isTree = list.items.some(({ parts }) => parts.some(({ kind }) => kind === 'object'));
      const writer = this.#writer(isTall && isTree);
      const isLong = writer.write(value, '').includes('{') || writer.write(value, '').includes('\n');
      const write = (indent: string) => writer.write(value, indent);
      const changes = this.#listCells(list).insert(index, write, this.#style.unit, isLong);
      return { changes, expected: items.toSpliced(index, 0, rendered(value)) };
    });
  }

  removeItem(index: number): TextChange[] {
    return this.#run(() => {
      const list = listAt(locate(this.#tree, this.#path), this.#path);
      const items = this.#itemsOf(list);
      if (index >= items.length) throw new Refusal(`${shown(this.#path)} has only ${items.length} elements`);
      return { changes: this.#listCells(list).remove(new Set([index])), expected: items.toSpliced(index, 1) };
    });
  }

  moveItem(from: number, to: number): TextChange[] {
    return this.#run(() => {
      const list = listAt(locate(this.#tree, this.#path), this.#path);
      const items = this.#itemsOf(list);
      if (Math.max(from, to) >= items.length) {
        throw new Refusal(`${shown(this.#path)} has only ${items.length} elements`);
      }
      const expected = items.toSpliced(from, 1).toSpliced(to, 0, items[from]!);
      return { changes: this.#listCells(list).move(from, to), expected };
    });
  }

  removeKey(): TextChange[] {
    return this.#run(() => {
      const { objects, keys } = this.#keys();
      const last = fieldsBelow(objects, keys);
      if (last.length === 0) throw new Refusal('it is not written in this text');
      const changes = last.flatMap(({ object, indexes }) => this.#objectCells(object).remove(indexes));
      return { changes: changes.sort((a, b) => a.from - b.from), expected: undefined };
    });
  }

  setAt(value: PlainValue | ConfigNode): TextChange[] {
    return this.#run(() => {
      const expected = rendered(value);
      if (typeof this.#path.at(-1) === 'number') {
        const { value: item } = locate(this.#tree, this.#path) as Extract<Place, { kind: 'item' }>;
        return { changes: [this.#replacement(item.from, item.to, value)], expected };
      }
      const { objects, keys } = this.#keys();
      const field = fieldsOf(objects, keys).findLast(({ appends }) => !appends);
      if (field?.value !== undefined) {
        const change = this.#replacement(field.value.from, field.value.to, value);
        const isObject = change.insert.startsWith('{');
        const separator = field.separator === undefined && !isObject ? `${this.#style.separator.trim()} ` : '';
        return { changes: [{ ...change, insert: separator + change.insert }], expected };
      }
      return { changes: this.#addField(objects, keys, value), expected };
    });
  }

  #addField(objects: readonly ObjectSyntax[], keys: readonly string[], value: PlainValue | ConfigNode): TextChange[] {
    for (let depth = keys.length - 1; depth >= 0; depth--) {
      const found =
        depth === 0
          ? objects
          : fieldsOf(objects, keys.slice(0, depth)).flatMap((field) =>
              field.appends ? [] : (objectOf(field.value) ?? []),
            );
      const object = found.at(-1);
      if (object === undefined) continue;
      const isTall = this.#text.slice(object.from, object.to).includes('\n');
      const writer = this.#writer(false);
      const write = (indent: string) => writer.field(keys.slice(depth), value, indent);
      return this.#objectCells(object).insert(object.fields.length, write, this.#style.unit, isTall || !object.braces);
    }
    throw new Refusal('it is not inside an object of this text');
  }

  #replacement(from: number, to: number, value: PlainValue | ConfigNode): TextChange {
    const start = this.#text.lastIndexOf('\n', from - 1) + 1;
    const indent = /^[^\S\n]*/.exec(this.#text.slice(start, from))![0];
    const insert = this.#writer(this.#text.slice(from, to).includes('\n')).write(value, indent);
    return { from, to, insert: withLineBreaks(insert, lineBreakOf(this.#text)) };
  }

  /** Returns the keys at the end of the path, and the objects that they are in. */
  #keys(): { objects: ObjectSyntax[]; keys: string[] } {
    const start = this.#path.findLastIndex((step) => typeof step === 'number') + 1;
    const keys = keysFrom(this.#path, start);
    if (keys.length === 0) throw new Refusal('the path does not end with a key');
    const place = locate(this.#tree, this.#path.slice(0, start));
    const objects = objectsAt(place);
    if (objects.length === 0) throw new Refusal(`${shown(this.#path.slice(0, start))} is not an object in braces`);
    return { objects, keys };
  }

  #writer(isTall: boolean): ValueWriter {
    return new ValueWriter(this.#style, isTall ? NARROW_WIDTH : LINE_WIDTH);
  }

  #listCells({ from, to, items }: ListSyntax): Cells {
    const region = { from: from + 1, to: to - 1, bare: false };
    return new Cells(this.#text, this.#style.json, region, items, this.#tree.comments);
  }

  #objectCells({ from, to, braces, fields }: ObjectSyntax): Cells {
    const region: Region = braces ? { from: from + 1, to: to - 1, bare: false } : { from: 0, to, bare: true };
    return new Cells(this.#text, this.#style.json, region, fields, this.#tree.comments);
  }

  /** Returns the elements of the value at the path. They must be the elements that are written in the text. */
  #itemsOf({ items }: ListSyntax): string[] {
    const node = valueAt(this.#root, this.#path);
    if (node?.kind === 'list' && node.items.length === items.length) return node.items.map(rendered);
    throw new Refusal(`${shown(this.#path)} has elements that are not written in this list`);
  }

  /** Makes an edit and checks that the value of the new text is the expected one, without new mistakes. */
  #run(edit: () => { changes: TextChange[]; expected: string | string[] | undefined }): TextChange[] {
    try {
      const { changes, expected } = edit();
      this.#check(applyChanges(this.#text, changes), expected);
      return changes;
    } catch (error) {
      if (error instanceof Refusal) throw this.#refused(error.message, undefined);
      throw error;
    }
  }

  #check(edited: string, expected: string | string[] | undefined): void {
    const { root, problems } = parse(edited, this.#options);
    if (problems.length > this.#problems.length) {
      const known = new Set(this.#problems.map(({ code, message }) => `${code} ${message}`));
      const added = problems.find(({ code, message }) => !known.has(`${code} ${message}`)) ?? problems[0]!;
      throw this.#refused(`the new text would have a mistake on line ${added.line}: ${added.message}`, added);
    }
    const node = valueAt(root, this.#path);
    const isRight =
      expected === undefined
        ? node === undefined
        : typeof expected === 'string'
          ? node !== undefined && rendered(node) === expected
          : node?.kind === 'list' && rendered(node) === `[${expected.join(',')}]`;
    if (!isRight) throw this.#refused('another definition, an include or an override replaces it', undefined);
  }

  #refused(reason: string, problem: Problem | undefined): EditError {
    return new EditError(`${shown(this.#path)} cannot be edited: ${reason}`, problem);
  }
}

/** The fields whose path starts with some keys, by the object that they are in. */
function fieldsBelow(objects: readonly ObjectSyntax[], keys: readonly string[]) {
  const found: { object: ObjectSyntax; indexes: Set<number> }[] = [];
  for (const object of objects) {
    const indexes = new Set<number>();
    for (const [i, { key, value }] of object.fields.entries()) {
      const common = Math.min(key.path.length, keys.length);
      if (common === 0 || key.path.slice(0, common).some((one, k) => one !== keys[k])) continue;
      if (key.path.length >= keys.length) indexes.add(i);
      else found.push(...fieldsBelow((value?.parts ?? []).filter(isObject), keys.slice(common)));
    }
    if (indexes.size > 0) found.push({ object, indexes });
  }
  return found;
}

function isObject(part: { kind: string }): part is ObjectSyntax {
  return part.kind === 'object';
}

function valueAt(root: ConfigNode, path: EditPath): ConfigNode | undefined {
  let node: ConfigNode | undefined = root;
  for (const step of path) {
    if (typeof step === 'number') node = node?.kind === 'list' ? node.items[step] : undefined;
    else node = node?.kind === 'object' ? node.entries.get(step) : undefined;
  }
  return node;
}

function rendered(value: PlainValue | ConfigNode): string {
  return render(value, { indent: 0, sorted: true });
}

function checkPath(path: unknown): void {
  const isStep = (step: unknown) => typeof step === 'string' || (Number.isInteger(step) && (step as number) >= 0);
  if (Array.isArray(path) && path.every(isStep)) return;
  throw new ArgumentError('the path must be an array of keys and indexes');
}
