import { HeadraceError } from '../errors/headrace-error.ts';
import { writeDocument } from './json-writer.ts';
import { checkWritable, RESERVED_FIELDS } from './names.ts';
import { Shape } from './shape.ts';
import { copyValue, Double, equalValues, type JsonObject, textOf, type Value } from './value.ts';

const ID_ALONE = Shape.of(['id']);

/** How `update` and `rename` treat a field that exists already. */
export type UpdateMode = 'overwrite' | 'append' | 'skip';

/**
 * A document: an ordered set of fields, one of them its `id`.
 * It is stored as a shape, which documents with the same fields share, and an array of values in its order. A field is
 * single-valued (anything but an array) or multi-valued (an array, of any length). Field names are literal: `a.b` is a
 * name, not a path. For paths see `nested-path.ts`.
 */
export class Document {
  /** The names of the fields and their positions. */
  shape: Shape;
  /** Values of the fields, in the order of the shape. */
  readonly fieldValues: Value[];

  /**
   * A document with these fields. It takes over the values. One of the names must be `id`, with a text. Decoders
   * guarantee that; all other callers use `create` or `fromObject`.
   */
  constructor(shape: Shape, values: Value[]) {
    this.shape = shape.share();
    this.fieldValues = values;
  }

  /** A document with only an id. */
  static create(id: string): Document {
    return new Document(ID_ALONE, [id]);
  }

  /**
   * A document from a JSON object. It takes over the object's values. Throws `HR_DOCUMENT_NO_ID` if `id` is missing or
   * not a non-empty text.
   */
  static fromObject(object: JsonObject): Document {
    const id = object.get('id');
    if (id === undefined || id === null) throw new HeadraceError('HR_DOCUMENT_NO_ID', 'id is missing');
    if (typeof id !== 'string' || id === '') {
      throw new HeadraceError('HR_DOCUMENT_NO_ID', 'id is present but null or empty or not a string');
    }
    return new Document(Shape.common([...object.keys()]), [...object.values()]);
  }

  /** Names of the fields, in order. Not a copy. */
  get fieldNames(): readonly string[] {
    return this.shape.names;
  }

  get id(): string {
    return (this.shape.names[0] === 'id' ? this.fieldValues[0] : this.get('id')) as string;
  }

  /** The id of the run that published this document; undefined before. */
  get runId(): string | undefined {
    const runId = this.get('run_id');
    return typeof runId === 'string' ? runId : undefined;
  }

  /** Sets the run's id. It replaces the id of an earlier run. */
  setRunId(runId: string): void {
    this.put('run_id', runId);
  }

  /**
   * Whether it is marked as dropped: later stages and the indexer do not process it. Any value of the field counts, as
   * long as the field is present.
   */
  get dropped(): boolean {
    return this.shape.flagged && this.shape.position('___dropped') >= 0;
  }

  /**
   * Whether it is marked as skipped: later stages do not process it, the indexer does. Any value of the field counts,
   * as long as the field is present.
   */
  get skipped(): boolean {
    return this.shape.flagged && this.shape.position('___skipped') >= 0;
  }

  /** Whether it is dropped or skipped, so that later stages do not process it. */
  get bypassed(): boolean {
    return this.shape.flagged && (this.dropped || this.skipped);
  }

  drop(): void {
    this.put('___dropped', true);
  }

  skip(): void {
    this.put('___skipped', true);
  }

  /** Whether the field is present. Null and empty lists count as present. */
  has(name: string): boolean {
    return this.shape.position(name) >= 0;
  }

  /**
   * The field's raw value, arrays as arrays; undefined if the field is missing. Not a copy: do not change it in place.
   */
  get(name: string): Value | undefined {
    const at = this.shape.position(name);
    return at < 0 ? undefined : this.fieldValues[at];
  }

  /** All values of the field: one for a single-valued field, none for a missing one. Not a copy. */
  values(name: string): readonly Value[] {
    const value = this.get(name);
    if (value === undefined) return [];
    return Array.isArray(value) ? value : [value];
  }

  /** The first value of the field; undefined if it is missing or an empty list. */
  first(name: string): Value | undefined {
    const value = this.get(name);
    return Array.isArray(value) ? value[0] : value;
  }

  /** The text view of the first value; undefined if the field is missing, an empty list, or null. */
  text(name: string): string | undefined {
    const value = this.first(name);
    if (typeof value === 'string') return value;
    return value === undefined ? undefined : (textOf(value) ?? undefined);
  }

  /** The text views of all values, null for null; empty if the field is missing. */
  texts(name: string): (string | null)[] {
    const value = this.get(name);
    if (value === undefined) return [];
    return Array.isArray(value) ? value.map(textOf) : [textOf(value)];
  }

  /** How many values the field has: 0 if missing, 1 for a single value, otherwise the length of the list. */
  length(name: string): number {
    const value = this.get(name);
    if (value === undefined) return 0;
    return Array.isArray(value) ? value.length : 1;
  }

  /**
   * Sets the field to this value and replaces any value. The document takes over the value: pass a copy of a shared
   * one.
   */
  set(name: string, value: Value): void {
    checkWritable(name);
    if (typeof value === 'object') checkValue(name, value);
    this.put(name, value);
  }

  /** Appends a value: a missing field becomes a list of one, a single value the first of two. */
  add(name: string, value: Value): void {
    checkWritable(name);
    if (typeof value === 'object') checkValue(name, value);
    const at = this.shape.position(name);
    if (at < 0) push(this, name, [value]);
    else appendAt(this, at, value);
  }

  /** Sets a missing field; appends to a present one (null counts as present). */
  setOrAdd(name: string, value: Value): void {
    checkWritable(name);
    if (typeof value === 'object') checkValue(name, value);
    const at = this.shape.position(name);
    if (at < 0) push(this, name, value);
    else appendAt(this, at, value);
  }

  /**
   * Writes values by the mode. Without values it does nothing. `overwrite`: the first value replaces the field as a
   * scalar, the others are appended. `append`: all are appended (a missing field starts as a scalar). `skip`: as append
   * if the field is missing, otherwise nothing.
   */
  update(name: string, mode: UpdateMode, values: readonly Value[]): void {
    checkWritable(name);
    if (values.length === 0) return;
    for (const value of values) if (typeof value === 'object') checkValue(name, value);
    const at = this.shape.position(name);
    if (at >= 0 && mode === 'skip') return;
    if (at >= 0 && mode === 'append') {
      // The argument may be the same list that grows here.
      for (let i = 0, { length } = values; i < length; i++) appendAt(this, at, values[i] as Value);
      return;
    }
    const [first, ...rest] = values as [Value, ...Value[]];
    const value = rest.length === 0 ? first : Array.isArray(first) ? [...first, ...rest] : [first, ...rest];
    if (at < 0) push(this, name, value);
    else this.fieldValues[at] = value;
  }

  /** Removes the field. A missing field is no error. */
  remove(name: string): void {
    checkWritable(name);
    this.delete(name);
  }

  /**
   * Renames a field, with its value unchanged. If the new name exists: `overwrite` replaces its value in place,
   * `append` makes it a list and appends (the items of a list are appended one by one), `skip` keeps it and the old
   * value is lost. A missing field is no error. Renaming a field to itself moves it to the end.
   */
  rename(from: string, to: string, mode: UpdateMode): void {
    const source = this.shape.position(from);
    if (source < 0) return;
    checkWritable(from);
    checkWritable(to);
    const value = this.fieldValues[source] as Value;
    deleteAt(this, source);
    const target = this.shape.position(to);
    if (target < 0) push(this, to, value);
    else if (mode === 'overwrite') this.fieldValues[target] = value;
    else if (mode === 'append') {
      for (const item of Array.isArray(value) ? value : [value]) appendAt(this, target, item);
      if (!Array.isArray(this.fieldValues[target])) this.fieldValues[target] = [this.fieldValues[target] as Value];
    }
  }

  /**
   * Removes values of a list that occur earlier in it. Without a target it does so in place, only if there are
   * duplicates, and the field moves to the end. With a target, the distinct values are appended to it. Single values
   * are unchanged. Throws `HR_DOCUMENT_TYPE` if the target has a single value.
   */
  removeDuplicates(name: string, target: string | undefined): void {
    const value = this.get(name);
    if (!Array.isArray(value)) return;
    const unique = distinct(value);
    if (target === undefined || target === name) {
      if (unique.length === value.length) return;
      checkWritable(name);
      this.delete(name);
      push(this, name, unique);
      return;
    }
    checkWritable(target);
    const existing = this.get(target);
    if (existing === undefined) push(this, target, unique.map(copyValue));
    else if (Array.isArray(existing)) for (const item of unique) existing.push(copyValue(item));
    else {
      throw new HeadraceError(
        'HR_DOCUMENT_TYPE',
        `Field "${target}" holds a single value, so no values can be added to its list`,
      );
    }
  }

  /**
   * Appends every field of another document, except reserved fields, to this document. The items of lists are appended
   * one by one. `collapse` merges in this way.
   */
  setOrAddAll(other: Document): void {
    for (let i = 0; i < other.fieldNames.length; i++) {
      const name = other.fieldNames[i] as string;
      if (RESERVED_FIELDS.has(name)) continue;
      const value = other.fieldValues[i] as Value;
      const at = this.shape.position(name);
      if (at < 0) push(this, name, copyValue(value));
      else if (Array.isArray(value)) {
        if (!Array.isArray(this.fieldValues[at])) this.fieldValues[at] = [this.fieldValues[at] as Value];
        for (const item of value) appendAt(this, at, copyValue(item));
      } else appendAt(this, at, copyValue(value));
    }
  }

  /** Attaches a child. It stays inside this document until a stage emits it. */
  addChild(child: Document): void {
    const object = child.toObject();
    const children = this.get('___children');
    if (Array.isArray(children)) children.push(object);
    else this.put('___children', [object]);
  }

  /** The attached children as documents, deep copies. Entries without a valid id are passed to `invalid`. */
  children(invalid?: (child: Value) => void): Document[] {
    const children: Document[] = [];
    for (const child of this.values('___children')) {
      const id = child instanceof Map ? child.get('id') : undefined;
      if (typeof id === 'string' && id !== '') children.push(Document.fromObject(copyValue(child) as JsonObject));
      else invalid?.(child);
    }
    return children;
  }

  /** Detaches all children. */
  removeChildren(): void {
    this.delete('___children');
  }

  /** A deep copy. */
  clone(): Document {
    return new Document(this.shape, this.fieldValues.map(copyValue));
  }

  /** The document as a JSON object, a deep copy. */
  toObject(): JsonObject {
    const object: JsonObject = new Map();
    for (let i = 0; i < this.fieldNames.length; i++) {
      object.set(this.fieldNames[i] as string, copyValue(this.fieldValues[i] as Value));
    }
    return object;
  }

  /** Compact JSON of the whole document, reserved fields included, fields in order. */
  toJson(): string {
    return writeDocument(this);
  }

  /** Writes a field without a check for reserved names: for the engine and for nested paths. */
  put(name: string, value: Value): void {
    const at = this.shape.position(name);
    if (at >= 0) this.fieldValues[at] = value;
    else push(this, name, value);
  }

  /** Removes a field without a check for reserved names: for the engine. */
  delete(name: string): void {
    const at = this.shape.position(name);
    if (at >= 0) deleteAt(this, at);
  }
}

/**
 * Functions instead of private methods, because V8 would add a brand to each document for private methods, which makes
 * the creation of a document slower.
 */

/** Adds a field at the end. */
function push(document: Document, name: string, value: Value): void {
  document.shape = document.shape.with(name);
  document.fieldValues.push(value);
}

function deleteAt(document: Document, at: number): void {
  document.shape = document.shape.without(at);
  removeAt(document.fieldValues, at);
}

function appendAt({ fieldValues }: Document, at: number, value: Value): void {
  const present = fieldValues[at] as Value;
  if (Array.isArray(present)) present.push(value);
  else fieldValues[at] = [present, value];
}

/**
 * Checks a value from untyped code. The error is thrown where the field is set, not later where the document is
 * written.
 */
function checkValue(name: string, value: object | null): void {
  if (value === null || Array.isArray(value) || value instanceof Map || value instanceof Double) return;
  if (value instanceof Uint8Array) return;
  const kind = value.constructor?.name ?? 'object';
  throw new HeadraceError('HR_DOCUMENT_TYPE', `Field "${name}" cannot hold this value (${kind})`, {
    hint: 'Objects are Maps in a document: toValue() makes a value of plain data.',
  });
}

/** The same as `splice(at, 1)`, without the list of removed elements. */
function removeAt<T>(list: T[], at: number): void {
  const last = list.length - 1;
  for (let i = at; i < last; i++) list[i] = list[i + 1] as T;
  list.pop();
}

function distinct(values: readonly Value[]): Value[] {
  const scalars = new Set<Value>();
  const doubles = new Set<string>();
  const nested: Value[] = [];
  return values.filter((value) => {
    // Sets tell scalars apart as JSON does; objects and arrays need a comparison by content.
    if (typeof value !== 'object' || value === null) return isNew(scalars, value);
    if (value instanceof Double) return isNew(doubles, value.toString());
    if (nested.some((other) => equalValues(other, value))) return false;
    nested.push(value);
    return true;
  });
}

function isNew<T>(seen: Set<T>, value: T): boolean {
  const { size } = seen;
  return seen.add(value).size > size;
}
