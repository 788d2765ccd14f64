import { nearest, type Problem } from '@headrace/engine';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';

type Code = Problem['code'];

/** A value of the file, and its position. */
export interface Entry {
  /** The path as in messages: `server.applicationConnectors[0].port`. */
  path: string;
  value: Node | null;
  /** The position for problems if there is no value. */
  at: number;
}

/** Reads a YAML file value by value, and collects all problems. */
export class YamlReader {
  readonly problems: Problem[] = [];
  readonly root: Entry;
  readonly #file: string;
  readonly #lines = new LineCounter();

  constructor(text: string, file: string) {
    this.#file = file;
    const document = parseDocument(text, { lineCounter: this.#lines, merge: true, prettyErrors: false });
    for (const { message, pos } of document.errors) this.#add('error', 'HR_CONFIG_SYNTAX', '', pos[0], message);
    this.root = { path: '', value: resolveAlias(document.contents, document), at: 0 };
  }

  /** Returns the entries of a map by key. An unknown key is an error, with the most similar known key as a hint. */
  map(entry: Entry | undefined, known: readonly string[]): Map<string, Entry> {
    const entries = this.#entries(entry);
    for (const [key, { path, at }] of entries) {
      if (known.includes(key)) continue;
      const near = nearest(key, known);
      const hint = near === undefined ? `Possible here: ${known.join(', ')}.` : `Did you mean ${near}?`;
      this.#add('error', 'HR_CONFIG_UNKNOWN_PARAMETER', path, at, `Unknown key ${key}`, hint);
    }
    return entries;
  }

  /**
   * Returns the entries of a map by key. Unknown keys get only a warning, because they may be keys of the reference. An
   * unknown key that is similar to a known key is an error.
   * @param harmless keys of the reference that are similar to known keys but not an error
   */
  mapOfSome(entry: Entry | undefined, known: readonly string[], harmless: readonly string[]): Map<string, Entry> {
    const entries = this.#entries(entry);
    for (const [key, { path, at }] of entries) {
      if (known.includes(key)) continue;
      const near = harmless.includes(key) ? undefined : nearest(key, known);
      if (near === undefined) this.ignored({ path, value: null, at });
      else {
        const hint = `Did you mean ${near}?`;
        this.#add('error', 'HR_CONFIG_UNKNOWN_PARAMETER', path, at, `Unknown key ${key}`, hint);
      }
    }
    return entries;
  }

  /** Returns the entries of a map whose keys are free. */
  anyMap(entry: Entry | undefined): Map<string, Entry> {
    return this.#entries(entry);
  }

  /** Returns whether a value is a map, for keys that accept a map or a text. */
  isMap({ value }: Entry): boolean {
    return isMap(value);
  }

  /** Returns an entry of a map that was already read, without reporting its problems again. */
  member(entry: Entry, key: string): Entry | undefined {
    return isMap(entry.value) ? this.#entries(entry).get(key) : undefined;
  }

  /**
   * Returns the text of a scalar as it is written in the file. Returns undefined, without a problem, for other values.
   */
  plainText({ value }: Entry): string | undefined {
    return isScalar(value) && value.value !== null ? (value.source ?? String(value.value)) : undefined;
  }

  list(entry: Entry | undefined): Entry[] {
    if (entry === undefined || isNull(entry)) return [];
    if (!isSeq(entry.value)) {
      this.expected(entry, 'a list');
      return [];
    }
    return entry.value.items.map((item, i) => ({
      path: `${entry.path}[${i}]`,
      value: item as Node | null,
      at: (item as Node | null)?.range?.[0] ?? entry.at,
    }));
  }

  text(entry: Entry | undefined): string | undefined {
    const value = this.#scalar(entry, 'a text');
    if (value === undefined) return undefined;
    if (typeof value === 'string' && value !== '') return value;
    // A password or a path may look like a number.
    if (typeof value === 'number' && isScalar(entry?.value) && entry.value.source !== undefined)
      return entry.value.source;
    this.expected(entry as Entry, 'a text');
    return undefined;
  }

  flag(entry: Entry | undefined): boolean | undefined {
    const value = this.#scalar(entry, 'true or false');
    if (value === undefined || typeof value === 'boolean') return value;
    this.expected(entry as Entry, 'true or false');
    return undefined;
  }

  integer(entry: Entry | undefined, min: number, max: number): number | undefined {
    const what = `a whole number from ${min} to ${max}`;
    const value = this.#scalar(entry, what);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    this.expected(entry as Entry, what);
    return undefined;
  }

  choice<T extends string>(entry: Entry | undefined, choices: readonly T[]): T | undefined {
    const what = choices.join(', ').replace(/, ([^,]*)$/, ' or $1');
    const value = this.#scalar(entry, what);
    if (value === undefined) return undefined;
    if (choices.includes(value as T)) return value as T;
    this.expected(entry as Entry, what);
    return undefined;
  }

  expected({ path, value, at }: Entry, what: string): void {
    this.#add('error', 'HR_CONFIG_WRONG_TYPE', path, value?.range?.[0] ?? at, `${path} is not ${what}`);
  }

  error({ path, at }: Entry, message: string, hint?: string, code: Code = 'HR_CONFIG_INVALID_VALUE'): void {
    this.#add('error', code, path, at, message, hint);
  }

  ignored({ path, at }: Entry): void {
    this.#add('warning', 'HR_CONFIG_UNUSED', path, at, `${path} has no meaning in Headrace and is ignored`);
  }

  #entries(entry: Entry | undefined): Map<string, Entry> {
    const entries = new Map<string, Entry>();
    if (entry === undefined || isNull(entry)) return entries;
    if (!isMap(entry.value)) {
      this.expected(entry, 'a map of keys and values');
      return entries;
    }
    for (const { key, value } of (entry.value as YAMLMap<Node, Node | null>).items) {
      const name = String(isScalar(key) ? key.value : key);
      const path = entry.path === '' ? name : `${entry.path}.${name}`;
      entries.set(name, { path, value, at: key.range?.[0] ?? entry.at });
    }
    return entries;
  }

  /** Returns undefined if the value is absent or a problem was reported. */
  #scalar(entry: Entry | undefined, what: string): unknown {
    if (entry === undefined || isNull(entry)) return undefined;
    if (isScalar(entry.value)) return entry.value.value;
    this.expected(entry, what);
    return undefined;
  }

  #add(severity: Problem['severity'], code: Code, path: string, offset: number, message: string, hint?: string): void {
    const { line, col } = this.#lines.linePos(offset);
    const place = { file: this.#file, line: Math.max(1, line), column: Math.max(1, col) };
    this.problems.push({ severity, code, path, ...place, message, ...(hint === undefined ? {} : { hint }) });
  }
}

/** Returns whether a value is null. A key without a value counts as absent. */
function isNull({ value }: Entry): boolean {
  return value === null || (isScalar(value) && value.value === null);
}

function resolveAlias(node: Node | null, document: ReturnType<typeof parseDocument>): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : node;
}
