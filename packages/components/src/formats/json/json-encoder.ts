import {
  type Document,
  type DocumentEncoder,
  type ModuleReference,
  type Shape,
  type Value,
  writeString,
  writeValue,
} from '@headrace/engine';

/** Which fields go into the line. Plain data. */
export interface JsonEncoderOptions {
  /** Names of the fields to write; none: all. */
  readonly whitelist: readonly string[];
  /** Names of the fields not to write. */
  readonly blacklist: readonly string[];
}

/** Past so many names (keys that are data) they are no longer remembered. */
const MAX_NAMES = 10_000;

/** Writes a document as a line of JSON, fields in order, the marks of the engine left out. */
export class JsonEncoder implements DocumentEncoder {
  private readonly whitelist: ReadonlySet<string> | undefined;
  private readonly blacklist: ReadonlySet<string>;
  /** `"name":` for each name that is written, the empty text for one that is not. */
  private readonly keys = new Map<string, string>();
  /** What goes before each value of documents of this shape; the empty text where the value is left out. */
  private prefixes: string[] = [];
  private shape: Shape | undefined = undefined;

  constructor({ whitelist, blacklist }: JsonEncoderOptions) {
    this.whitelist = whitelist.length === 0 ? undefined : new Set(whitelist);
    this.blacklist = new Set(['___dropped', '___skipped', ...blacklist]);
  }

  static reference(options: JsonEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'JsonEncoder', options };
  }

  encode({ shape, fieldValues: values }: Document): string {
    if (shape !== this.shape || shape.changing) this.learn(shape);
    const { prefixes } = this;
    let text = '';
    for (let i = 0; i < values.length; i++) {
      const prefix = prefixes[i] as string;
      if (prefix !== '') text += prefix + writeValue(values[i] as Value);
    }
    return text === '' ? '{}\n' : `${text}}\n`;
  }

  private learn(shape: Shape): void {
    this.shape = shape;
    let first = true;
    this.prefixes = shape.names.map((name) => {
      const key = this.keys.get(name) ?? this.keyOf(name);
      if (key === '') return '';
      const prefix = (first ? '{' : ',') + key;
      first = false;
      return prefix;
    });
  }

  private keyOf(name: string): string {
    const written = (this.whitelist?.has(name) ?? true) && !this.blacklist.has(name);
    const key = written ? `${writeString(name)}:` : '';
    if (this.keys.size < MAX_NAMES) this.keys.set(name, key);
    return key;
  }
}
