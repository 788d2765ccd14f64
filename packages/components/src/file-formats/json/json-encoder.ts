import {
  ByShape,
  type Column,
  type Document,
  type DocumentEncoder,
  type DocumentTable,
  isPlainText,
  type ModuleReference,
  type Shape,
  type Value,
  writeString,
  writeValue,
} from '@headrace/engine';

/** The fields to write. They are plain data. */
export interface JsonEncoderOptions {
  /** The names of the fields to write. If the list is empty, all fields are written. */
  readonly whitelist: readonly string[];
  /** The names of the fields to omit. */
  readonly blacklist: readonly string[];
}

/** The maximum number of names in the cache. Keys that are data could fill the memory. */
const MAX_NAMES = 10_000;

/** Writes a document as a line of JSON, with the fields in order and without the marks of the engine. */
export class JsonEncoder implements DocumentEncoder {
  readonly #whitelist: ReadonlySet<string> | undefined;
  readonly #blacklist: ReadonlySet<string>;
  /** For each name, the text `"name":`, or an empty text if the field is omitted. */
  readonly #keys = new Map<string, string>();
  /** For documents of a shape, the text before each value. It is empty if the value is omitted. */
  readonly #prefixes = new ByShape((shape) => this.#prefixesOf(shape));

  constructor({ whitelist, blacklist }: JsonEncoderOptions) {
    this.#whitelist = whitelist.length === 0 ? undefined : new Set(whitelist);
    this.#blacklist = new Set(['___dropped', '___skipped', ...blacklist]);
  }

  static reference(options: JsonEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'JsonEncoder', options };
  }

  encode({ shape, fieldValues: values }: Document): string {
    const prefixes = this.#prefixes.of(shape);
    let text = '';
    for (let i = 0; i < values.length; i++) {
      const prefix = prefixes[i] as string;
      if (prefix !== '') text += prefix + writeValue(values[i] as Value);
    }
    return text === '' ? '{}\n' : `${text}}\n`;
  }

  /**
   * Its lists are filled by `push`, so that V8 sees only one kind of arrays (see `DocumentTable`).
   * @param end the text after each object
   */
  encodeTable(table: DocumentTable, end = '\n'): string[] {
    const members: Members[] = [];
    let complete = true;
    for (const name of table.names) {
      const key = this.#key(name);
      if (key === '') continue;
      const column = membersOf(key, table, name);
      members.push(column);
      if (!column.complete) complete = false;
    }
    if (members.length === 0) return new Array(table.count).fill(`{}${end}`);
    return complete ? joinMembers(members, table.count, end) : chooseMembers(members, table.count, end);
  }

  #prefixesOf(shape: Shape): string[] {
    let first = true;
    return shape.names.map((name) => {
      const key = this.#key(name);
      if (key === '') return '';
      const prefix = (first ? '{' : ',') + key;
      first = false;
      return prefix;
    });
  }

  /** Returns `"name":` for a name that is written, otherwise the empty text. */
  #key(name: string): string {
    return this.#keys.get(name) ?? this.#keyOf(name);
  }

  #keyOf(name: string): string {
    const written = (this.#whitelist?.has(name) ?? true) && !this.#blacklist.has(name);
    const key = written ? `${writeString(name)}:` : '';
    if (this.#keys.size < MAX_NAMES) this.#keys.set(name, key);
    return key;
  }
}

/** One member of all objects in a table. */
interface Members {
  /** The text before and after each value. The text after it is a quote or empty. */
  readonly before: string;
  readonly after: string;
  /** The values between these texts. A value is undefined if the object lacks the member. */
  readonly values: readonly (string | undefined)[];
  readonly complete: boolean;
}

function membersOf(key: string, table: DocumentTable, name: string): Members {
  const column = table.column(name) as Column;
  if (table.isPlain(name) || isPlainText(column)) {
    const values = column as readonly (string | undefined)[];
    return { before: `${key}"`, after: '"', values, complete: !column.includes(undefined) };
  }
  let complete = true;
  const values: (string | undefined)[] = new Array(column.length);
  for (let row = 0; row < values.length; row++) {
    const value = column[row];
    if (value === undefined) complete = false;
    else values[row] = writeValue(value);
  }
  return { before: key, after: '', values, complete };
}

/** Returns the lines of objects that have all members. */
function joinMembers(members: readonly Members[], count: number, after: string): string[] {
  // The text before the value of a member. It contains everything after the previous value.
  const before: string[] = [];
  const columns: Members['values'][] = [];
  let between = '{';
  for (const member of members) {
    before.push(between + member.before);
    columns.push(member.values);
    between = `${member.after},`;
  }
  const end = `${members.at(-1)?.after}}${after}`;
  const lines: string[] = new Array(count);
  for (let row = 0; row < count; row++) {
    let text = '';
    for (let i = 0; i < columns.length; i++)
      text += (before[i] as string) + ((columns[i] as Members['values'])[row] as string);
    lines[row] = text + end;
  }
  return lines;
}

/** Returns the lines of objects, some of which lack members. */
function chooseMembers(members: readonly Members[], count: number, end: string): string[] {
  // The text before the value of a member. It ends the previous value, so each value needs only two concatenations.
  const whenFirst: string[] = [];
  const afterText: string[] = [];
  const afterOther: string[] = [];
  const columns: Members['values'][] = [];
  const isText: boolean[] = [];
  for (const { before, after, values } of members) {
    whenFirst.push(`{${before}`);
    afterText.push(`",${before}`);
    afterOther.push(`,${before}`);
    columns.push(values);
    isText.push(after !== '');
  }
  const lines: string[] = new Array(count);
  for (let row = 0; row < count; row++) {
    let text = '';
    let starts = whenFirst;
    for (let i = 0; i < columns.length; i++) {
      const value = (columns[i] as Members['values'])[row];
      if (value === undefined) continue;
      text += (starts[i] as string) + value;
      starts = isText[i] ? afterText : afterOther;
    }
    lines[row] = starts === whenFirst ? `{}${end}` : text + (starts === afterText ? `"}${end}` : `}${end}`);
  }
  return lines;
}
