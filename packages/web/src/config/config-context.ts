import type { EditPath, FieldSyntax, ListSyntax, ObjectSyntax, ScalarSyntax, Span, ValueSyntax } from '@headrace/hocon';
import type { ParsedConfig } from './parsed-config.ts';

/** The component around a position. */
export interface ContextComponent {
  readonly kind: 'connector' | 'stage' | 'indexer';
  /** The class as written, or the `type` of an indexer. */
  readonly className: string | undefined;
  readonly path: EditPath;
}

/** The syntax at a position of a config: what can be written there. */
export interface ConfigContext {
  /**
   * `key`: a key can be written here. `value`: a value, or an element of a list. `none`: neither, for example in a
   * comment or after a complete value.
   */
  readonly position: 'key' | 'value' | 'none';
  /** For a key: the path of the object that it is in. For a value: the path of the value. */
  readonly path: EditPath;
  /** The key at the position, if one is written. */
  readonly key: string | undefined;
  readonly component: ContextComponent | undefined;
  /** The parameter of the component that contains the position. */
  readonly parameter: string | undefined;
  /** The written part of the key or value before the position. */
  readonly prefix: string;
  /** The part of the text that a completion replaces. */
  readonly replace: Span;
  /** True inside quotes. `replace` includes them. */
  readonly quoted: boolean;
  /** True if a separator follows the key. */
  readonly separated: boolean;
  /** The element of a list that is written here. Undefined for a value of a field. */
  readonly list: ListSyntax | undefined;
  /** The object that contains the key. */
  readonly object: ObjectSyntax | undefined;
}

/** The part of a context that depends on the syntax only. */
type Found = Omit<ConfigContext, 'component' | 'parameter'>;

/** Returns what is written at an offset. It works for unfinished texts. */
export function contextAt(config: ParsedConfig, offset: number): ConfigContext {
  const found = new Finder(config, offset).find();
  const component = componentOf(config, found.path);
  const own = component === undefined ? undefined : found.path[component.path.length];
  const parameter =
    typeof own === 'string' ? own : found.position === 'key' && own === undefined ? found.key : undefined;
  return { ...found, component, parameter: component === undefined ? undefined : parameter };
}

/** Returns the component that a path leads into. */
export function componentOf(config: ParsedConfig, path: EditPath): ContextComponent | undefined {
  const [section, index, key, stage] = path;
  if (section === 'pipelines' && isIndex(index) && key === 'stages' && isIndex(stage)) {
    const at = path.slice(0, 4);
    return { kind: 'stage', className: config.textAt([...at, 'class']), path: at };
  }
  if (section === 'connectors' && isIndex(index)) {
    const at = path.slice(0, 2);
    return { kind: 'connector', className: config.textAt([...at, 'class']), path: at };
  }
  if (section !== 'indexer') return undefined;
  const className = config.textAt(['indexer', 'class']) ?? config.textAt(['indexer', 'type']);
  return { kind: 'indexer', className, path: ['indexer'] };
}

function isIndex(step: string | number | undefined): boolean {
  return typeof step === 'number' || (step !== undefined && /^\d+$/.test(step));
}

class Finder {
  readonly #text: string;
  readonly #config: ParsedConfig;
  readonly #at: number;

  constructor(config: ParsedConfig, at: number) {
    this.#config = config;
    this.#text = config.text;
    this.#at = at;
  }

  find(): Found {
    const { root, comments } = this.#config.tree;
    const isInComment = comments.some(({ from, to }) => {
      return from < this.#at && (this.#at <= to || !this.#text.slice(to, this.#at).includes('\n')) && this.#isLast(to);
    });
    if (isInComment || root === undefined) return this.#none([]);
    if (root.braces && !this.#isInside(root)) return this.#none([]);
    return this.#inObject(root, []);
  }

  /** Returns true if only white space is between an offset and the position. */
  #isLast(to: number): boolean {
    return this.#at <= to || this.#text.slice(to, this.#at).trim() === '';
  }

  #inObject(object: ObjectSyntax, path: EditPath): Found {
    const field = object.fields.findLast(({ from }) => from <= this.#at);
    if (field === undefined) return this.#newKey(object, path);
    const { key, separator, value } = field;
    const own = [...path, ...key.path];
    if (this.#at <= key.to && key.from < key.to) return this.#inKey(object, field, path);
    if (value !== undefined && value.from <= this.#at) {
      if (field.include && this.#at <= value.to) return this.#none(path);
      const inside = this.#inValue(value, own, undefined);
      if (inside !== undefined) return inside;
      return this.#isAfterBreak(value.to) ? this.#newKey(object, path) : this.#none(own);
    }
    if (separator !== undefined && separator.to <= this.#at) {
      const hasBreak = this.#text.slice(separator.to, this.#at).includes('\n');
      if (hasBreak && value === undefined) return this.#newKey(object, path);
      return this.#newValue(own, undefined);
    }
    return this.#isAfterBreak(key.to) ? this.#newKey(object, path) : this.#none(own);
  }

  #inKey(object: ObjectSyntax, { key, separator, value }: FieldSyntax, path: EditPath): Found {
    const separated = separator !== undefined || value !== undefined;
    const written = this.#text.slice(key.from, this.#at);
    const where = { position: 'key', quoted: key.quoted, separated, list: undefined, object } as const;
    if (key.quoted) {
      const name = key.path[0] ?? '';
      return { ...where, path, key: name, prefix: written.slice(1), replace: { from: key.from, to: key.to } };
    }
    if (this.#text[key.from] === '"' && written.indexOf('"', 1) < 0) {
      // The key is a string that is not closed.
      const to = this.#at + /^\w*/.exec(this.#text.slice(this.#at))![0].length;
      const name = this.#text.slice(key.from + 1, to);
      return { ...where, path, key: name, prefix: written.slice(1), replace: { from: key.from, to }, quoted: true };
    }
    // In a path such as `csv.pa`, only the element at the position is completed.
    const dot = written.lastIndexOf('.');
    const before = dot < 0 ? [] : written.slice(0, dot).split('.');
    const rest = /^[^.\s"]*/.exec(this.#text.slice(this.#at, key.to))![0];
    const from = key.from + dot + 1;
    const isComplete = before.length < key.path.length;
    return {
      ...where,
      path: [...path, ...(isComplete ? key.path.slice(0, before.length) : before)],
      key: key.path[before.length] ?? this.#text.slice(from, this.#at + rest.length),
      prefix: this.#text.slice(from, this.#at),
      replace: { from, to: this.#at + rest.length },
      separated: separated && this.#at + rest.length === key.to,
    };
  }

  /** Returns undefined after the end of the value. */
  #inValue(value: ValueSyntax, path: EditPath, list: ListSyntax | undefined): Found | undefined {
    const part = value.parts.findLast(({ from }) => from <= this.#at);
    if (part === undefined) return undefined;
    if (part.kind === 'object') return this.#isInside(part) ? this.#inObject(part, path) : undefined;
    if (part.kind === 'list') return this.#isInside(part) ? this.#inList(part, path) : undefined;
    const isCut = part.kind === 'mistake' && this.#at <= part.to + 1;
    if (this.#at > part.to && !isCut) return undefined;
    return this.#inScalar(part, path, list);
  }

  #inScalar(part: ScalarSyntax, path: EditPath, list: ListSyntax | undefined): Found {
    const where = { position: 'value', path, key: undefined, separated: false, list, object: undefined } as const;
    const { from } = part;
    if (part.kind === 'substitution') return this.#none(path);
    const isQuoted = this.#text[from] === '"';
    if (!isQuoted) {
      if (part.kind === 'mistake') return this.#none(path);
      const replace = { from, to: part.to };
      return { ...where, prefix: this.#text.slice(from, this.#at), replace, quoted: false };
    }
    if (this.#text.startsWith('"""', from)) return this.#none(path);
    // An unclosed string can contain the rest of the line.
    const to = part.kind === 'mistake' ? this.#at + /^\w*/.exec(this.#text.slice(this.#at))![0].length : part.to;
    if (this.#at === from || (part.kind !== 'mistake' && this.#at === to)) return this.#none(path);
    return { ...where, prefix: this.#text.slice(from + 1, this.#at), replace: { from, to }, quoted: true };
  }

  #inList(list: ListSyntax, path: EditPath): Found {
    const index = list.items.findLastIndex(({ from }) => from <= this.#at);
    const item = list.items[index];
    if (item === undefined) return this.#newValue([...path, 0], list);
    const inside = this.#inValue(item, [...path, index], list);
    if (inside !== undefined) return inside;
    return this.#isAfterBreak(item.to) ? this.#newValue([...path, index + 1], list) : this.#none([...path, index]);
  }

  #newKey(object: ObjectSyntax, path: EditPath): Found {
    const where = { position: 'key', key: undefined, quoted: false, separated: false, list: undefined } as const;
    return { ...where, path, object, prefix: '', replace: { from: this.#at, to: this.#at } };
  }

  #newValue(path: EditPath, list: ListSyntax | undefined): Found {
    const where = { position: 'value', key: undefined, quoted: false, separated: false, object: undefined } as const;
    return { ...where, path, list, prefix: '', replace: { from: this.#at, to: this.#at } };
  }

  #none(path: EditPath): Found {
    const replace = { from: this.#at, to: this.#at };
    const where = { position: 'none', key: undefined, prefix: '', quoted: false, separated: false } as const;
    return { ...where, path, replace, list: undefined, object: undefined };
  }

  /** Returns true if a comma or a line break is between an offset and the position. */
  #isAfterBreak(from: number): boolean {
    return /[,\n]/.test(this.#text.slice(from, this.#at));
  }

  #isInside({ from, to, closed }: ObjectSyntax | ListSyntax): boolean {
    return from < this.#at && (this.#at < to || (this.#at === to && !closed));
  }
}
