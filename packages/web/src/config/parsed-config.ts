import type {
  ConfigNode,
  EditPath,
  FieldSyntax,
  ObjectNode,
  ObjectSyntax,
  Origin,
  ParseOptions,
  Problem,
  Span,
  SyntaxPart,
  SyntaxTree,
  TextStyle,
  ValueSyntax,
} from '@headrace/hocon';
import { listOf, parse, parseSyntax, styleOf } from '@headrace/hocon';

/** A config text that is parsed once, for all functions of the editor. A text with mistakes has a result too. */
export class ParsedConfig {
  readonly text: string;
  /** The positions of everything that is written. */
  readonly tree: SyntaxTree;
  /** The values, with substitutions resolved. */
  readonly root: ObjectNode;
  readonly problems: readonly Problem[];
  readonly options: ParseOptions;
  #style: TextStyle | undefined;
  #lineStarts: number[] | undefined;
  #values: Map<number, ValueSyntax> | undefined;

  /** @param options the options of `parse` that the text needs, such as the environment */
  constructor(text: string, options: ParseOptions = {}) {
    const { root, problems } = parse(text, options);
    this.text = text;
    this.options = options;
    this.root = root;
    this.problems = problems;
    this.tree = parseSyntax(text);
  }

  /** True if the text looks like JSON. New text then has quotes and commas. */
  get isJson(): boolean {
    const { root } = this.tree;
    if (root === undefined || !root.braces) return false;
    const others = root.fields.filter(({ key }) => !key.quoted);
    return root.fields.length > 0 && others.length < root.fields.length && others.length <= 1;
  }

  /** The style that the text is written in. */
  get style(): TextStyle {
    this.#style ??= styleOf(this.tree, this.isJson);
    return this.#style;
  }

  /** Returns the offset of a line and a column, which start at 1. Returns undefined outside the text. */
  offsetAt(line: number, column: number): number | undefined {
    const start = this.#lines()[line - 1];
    if (start === undefined || column < 1) return undefined;
    const offset = start + column - 1;
    return offset <= this.text.length ? offset : undefined;
  }

  /** Returns the offset of a value. Returns undefined for a value of an included file or of the environment. */
  offsetOf({ file, line, column }: Origin): number | undefined {
    return file === this.options.file ? this.offsetAt(line, column) : undefined;
  }

  /** Returns the part of the text where a value is written. */
  spanOf(node: ConfigNode): Span | undefined {
    const offset = this.offsetOf(node.origin);
    const written = offset === undefined ? undefined : this.valueFrom(offset);
    return written === undefined ? undefined : { from: written.from, to: written.to };
  }

  /** Returns the value that starts at an offset, as written. */
  valueFrom(offset: number): ValueSyntax | undefined {
    return this.#valuesByStart().get(offset);
  }

  /** Returns the value at a path. */
  nodeAt(path: EditPath): ConfigNode | undefined {
    let node: ConfigNode | undefined = this.root;
    for (const step of path) {
      if (typeof step === 'number') node = node?.kind === 'list' ? node.items[step] : undefined;
      else node = node?.kind === 'object' ? node.entries.get(step) : undefined;
    }
    return node;
  }

  /** Returns the fields that define the value of a path, in the order of the text. */
  fieldsAt(path: EditPath): FieldSyntax[] {
    let objects = this.tree.root === undefined ? [] : [this.tree.root];
    let fields: FieldSyntax[] = [];
    for (let i = 0; i < path.length; ) {
      const step = path[i]!;
      if (typeof step === 'number') {
        const item = listOf(fields.at(-1)?.value)?.items[step];
        objects = objectsIn(item);
        fields = [];
        i++;
        // A list of lists has no fields.
        if (item === undefined || typeof path[i] === 'number') return [];
        continue;
      }
      const end = path.findIndex((next, k) => k > i && typeof next === 'number');
      const keys = path.slice(i, end < 0 ? path.length : end) as string[];
      fields = fieldsOf(objects, keys);
      i += keys.length;
    }
    return fields;
  }

  /** Returns the objects in braces that define the value of a path. */
  objectsAt(path: EditPath): ObjectSyntax[] {
    if (path.length === 0) return this.tree.root === undefined ? [] : [this.tree.root];
    const last = path.at(-1);
    if (typeof last !== 'number') return this.fieldsAt(path).flatMap(({ value }) => objectsIn(value));
    return objectsIn(listOf(this.fieldsAt(path.slice(0, -1)).at(-1)?.value)?.items[last]);
  }

  /** Returns the text of a simple value in an object: as written if possible, otherwise as resolved. */
  textAt(path: EditPath): string | undefined {
    const written = this.fieldsAt(path).at(-1)?.value;
    const text = written === undefined ? undefined : simpleText(written, this.text);
    return text ?? scalarText(this.nodeAt(path));
  }

  #lines(): number[] {
    if (this.#lineStarts === undefined) {
      this.#lineStarts = [0];
      for (let at = this.text.indexOf('\n'); at >= 0; at = this.text.indexOf('\n', at + 1)) {
        this.#lineStarts.push(at + 1);
      }
    }
    return this.#lineStarts;
  }

  #valuesByStart(): Map<number, ValueSyntax> {
    if (this.#values !== undefined) return this.#values;
    const values = new Map<number, ValueSyntax>();
    const work: SyntaxPart[] = this.tree.root === undefined ? [] : [this.tree.root];
    const add = (value: ValueSyntax) => {
      values.set(value.from, value);
      work.push(...value.parts);
    };
    for (let part = work.pop(); part !== undefined; part = work.pop()) {
      if (part.kind === 'list') part.items.forEach(add);
      else if (part.kind === 'object') for (const { value } of part.fields) if (value !== undefined) add(value);
    }
    this.#values = values;
    return values;
  }
}

/** Returns the objects in braces that a value consists of. */
export function objectsIn(value: ValueSyntax | undefined): ObjectSyntax[] {
  return (value?.parts ?? []).filter((part) => part.kind === 'object');
}

/** Returns the text of a value without substitutions, objects and lists. */
export function simpleText({ parts, from, to }: ValueSyntax, text: string): string | undefined {
  if (parts.length === 1) {
    const [part] = parts;
    if (part === undefined || part.kind === 'object' || part.kind === 'list') return undefined;
    return part.kind === 'substitution' || part.kind === 'mistake' ? undefined : part.text;
  }
  const isPlain = parts.every(({ kind }) => kind === 'unquoted' || kind === 'number' || kind === 'boolean');
  return isPlain ? text.slice(from, to) : undefined;
}

/** Returns the text of a string, number or boolean. */
export function scalarText(node: ConfigNode | undefined): string | undefined {
  switch (node?.kind) {
    case 'string':
      return node.value;
    case 'number':
      return node.text;
    case 'boolean':
      return String(node.value);
    default:
      return undefined;
  }
}

function fieldsOf(objects: readonly ObjectSyntax[], keys: readonly string[]): FieldSyntax[] {
  return objects
    .flatMap(({ fields }) => fields)
    .flatMap((field) => {
      const { path } = field.key;
      if (path.length === 0 || path.length > keys.length || path.some((key, i) => key !== keys[i])) return [];
      return path.length === keys.length ? [field] : fieldsOf(objectsIn(field.value), keys.slice(path.length));
    });
}
