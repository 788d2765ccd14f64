import {
  type Document,
  type DocumentEncoder,
  type ModuleReference,
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

  constructor({ whitelist, blacklist }: JsonEncoderOptions) {
    this.whitelist = whitelist.length === 0 ? undefined : new Set(whitelist);
    this.blacklist = new Set(['___dropped', '___skipped', ...blacklist]);
  }

  static reference(options: JsonEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'JsonEncoder', options };
  }

  encode({ fieldNames: names, fieldValues: values }: Document): string {
    let text = '';
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      const key = this.keys.get(name) ?? this.keyOf(name);
      if (key !== '') text += (text === '' ? '{' : ',') + key + writeValue(values[i] as Value);
    }
    return text === '' ? '{}\n' : `${text}}\n`;
  }

  private keyOf(name: string): string {
    const written = (this.whitelist?.has(name) ?? true) && !this.blacklist.has(name);
    const key = written ? `${writeString(name)}:` : '';
    if (this.keys.size < MAX_NAMES) this.keys.set(name, key);
    return key;
  }
}
