import { HeadraceError } from '../errors/headrace-error.ts';
import { writeDocument } from './json-writer.ts';
import { checkWritable, RESERVED_FIELDS } from './names.ts';
import { checkId } from './read-object.ts';
import { Shape } from './shape.ts';
import { copyValue, Double, distinctValues, type JsonObject, textOf, type Value } from './value.ts';

const ID_ALONE = Shape.of(['id']);

/** The behaviour of `update` and `rename` if the field already exists. */
export type UpdateMode = 'overwrite' | 'append' | 'skip';

/**
 * A document: an ordered set of fields. One of the fields is `id`.
 * It consists of a shape and an array of values. Documents with the same fields share a shape. A field is single-valued
 * (any value except an array) or multi-valued (an array of any length). Field names are literal: `a.b` is a name, not a
 * path. For paths, see `nested-path.ts`.
 */
export class Document {
  /** The names of the fields and their positions. */
  shape: Shape;
  /** The values of the fields, in the order of the shape. */
  readonly fieldValues: Value[];

  /**
   * Creates a document with these fields. The document owns the values afterwards. One of the names must be `id`, and
   * its value must be a string. Decoders guarantee this. All other callers use `create` or `fromObject`.
   */
  constructor(shape: Shape, values: Value[]) {
    this.shape = shape.share();
    this.fieldValues = values;
  }

  /** Returns a document with only an id. */
  static create(id: string): Document {
    return new Document(ID_ALONE, [id]);
  }

  /**
   * Returns a document for a JSON object. The document owns the values of the object afterwards. Throws
   * `HR_DOCUMENT_NO_ID` if `id` is missing, empty or not a string.
   */
  static fromObject(object: JsonObject): Document {
    checkId(object);
    return new Document(Shape.common([...object.keys()]), [...object.values()]);
  }

  /** The names of the fields, in order. Not a copy. */
  get fieldNames(): readonly string[] {
    return this.shape.names;
  }

  get id(): string {
    return (this.shape.names[0] === 'id' ? this.fieldValues[0] : this.get('id')) as string;
  }

  /** The id of the run that published this document. Undefined before it is published. */
  get runId(): string | undefined {
    const runId = this.get('run_id');
    return typeof runId === 'string' ? runId : undefined;
  }

  /** Sets the id of the run. It replaces the id of an earlier run. */
  setRunId(runId: string): void {
    this.put('run_id', runId);
  }

  /**
   * True if the document is marked as dropped: later stages and the indexer skip it. The field only needs to be
   * present, with any value.
   */
  get dropped(): boolean {
    return this.shape.flagged && this.shape.position('___dropped') >= 0;
  }

  /**
   * True if the document is marked as skipped: later stages skip it, but the indexer does not. The field only needs to
   * be present, with any value.
   */
  get skipped(): boolean {
    return this.shape.flagged && this.shape.position('___skipped') >= 0;
  }

  /** True if the document is dropped or skipped, so that later stages do not process it. */
  get bypassed(): boolean {
    return this.shape.flagged && (this.dropped || this.skipped);
  }

  drop(): void {
    this.put('___dropped', true);
  }

  skip(): void {
    this.put('___skipped', true);
  }

  /** Returns true if the field is present. Null and empty lists count as present. */
  has(name: string): boolean {
    return this.shape.position(name) >= 0;
  }

  /**
   * Returns the value of the field, with arrays as arrays. Returns undefined if the field is missing. The value is not
   * a copy: do not change it in place.
   */
  get(name: string): Value | undefined {
    const at = this.shape.position(name);
    return at < 0 ? undefined : this.fieldValues[at];
  }

  /** Returns all values of the field: one for a single-valued field, none for a missing field. Not a copy. */
  values(name: string): readonly Value[] {
    const value = this.get(name);
    if (value === undefined) return [];
    return Array.isArray(value) ? value : [value];
  }

  /** Returns the first value of the field. Returns undefined if the field is missing or an empty list. */
  first(name: string): Value | undefined {
    const value = this.get(name);
    return Array.isArray(value) ? value[0] : value;
  }

  /** Returns the first value as a string. Returns undefined if the field is missing, an empty list, or null. */
  text(name: string): string | undefined {
    const value = this.first(name);
    if (typeof value === 'string') return value;
    return value === undefined ? undefined : (textOf(value) ?? undefined);
  }

  /** Returns all values as strings, with null for null. Returns an empty list if the field is missing. */
  texts(name: string): (string | null)[] {
    const value = this.get(name);
    if (value === undefined) return [];
    return Array.isArray(value) ? value.map(textOf) : [textOf(value)];
  }

  /** Returns the number of values: 0 for a missing field, 1 for a single value, otherwise the length of the list. */
  length(name: string): number {
    const value = this.get(name);
    if (value === undefined) return 0;
    return Array.isArray(value) ? value.length : 1;
  }

  /**
   * Sets the field to this value. Replaces any existing value. The document owns the value afterwards: pass a copy of a
   * shared value.
   */
  set(name: string, value: Value): void {
    checkWritable(name);
    if (typeof value === 'object') checkValue(name, value);
    this.put(name, value);
  }

  /** Appends a value. A missing field becomes a list with one value. A single value becomes a list with two values. */
  add(name: string, value: Value): void {
    checkWritable(name);
    if (typeof value === 'object') checkValue(name, value);
    const at = this.shape.position(name);
    if (at < 0) push(this, name, [value]);
    else appendAt(this, at, value);
  }

  /** Sets a missing field, or appends to an existing field. Null counts as existing. */
  setOrAdd(name: string, value: Value): void {
    checkWritable(name);
    if (typeof value === 'object') checkValue(name, value);
    const at = this.shape.position(name);
    if (at < 0) push(this, name, value);
    else appendAt(this, at, value);
  }

  /**
   * Writes values to the field. Does nothing if there are no values. `overwrite`: the first value replaces the field as
   * a single value, the other values are appended. `append`: all values are appended, and a missing field starts as a
   * single value. `skip`: same as `append` if the field is missing, otherwise does nothing.
   */
  update(name: string, mode: UpdateMode, values: readonly Value[]): void {
    checkWritable(name);
    if (values.length === 0) return;
    for (const value of values) if (typeof value === 'object') checkValue(name, value);
    const at = this.shape.position(name);
    if (at >= 0 && mode === 'skip') return;
    if (at >= 0 && mode === 'append') {
      // The argument may be the list that grows in this loop, so its length is read first.
      for (let i = 0, { length } = values; i < length; i++) appendAt(this, at, values[i] as Value);
      return;
    }
    const [first, ...rest] = values as [Value, ...Value[]];
    const value = rest.length === 0 ? first : Array.isArray(first) ? [...first, ...rest] : [first, ...rest];
    if (at < 0) push(this, name, value);
    else this.fieldValues[at] = value;
  }

  /** Removes the field. Does nothing if the field is missing. */
  remove(name: string): void {
    checkWritable(name);
    this.delete(name);
  }

  /**
   * Renames a field without changing its value. If the new name exists: `overwrite` replaces its value in place;
   * `append` appends the value, or the items of a list, to its values; `skip` keeps its value and discards the renamed
   * field. Does nothing if the field is missing. If both names are equal, the field moves to the end.
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
   * Removes repeated values of a list. Without a target, changes the list only if it has duplicates, and moves the
   * field to the end. With a target, appends the distinct values to the target. Single values are unchanged. Throws
   * `HR_DOCUMENT_TYPE` if the target has a single value.
   */
  removeDuplicates(name: string, target: string | undefined): void {
    const value = this.get(name);
    if (!Array.isArray(value)) return;
    const unique = distinctValues(value);
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
   * Appends every field of another document except reserved fields. The items of lists are appended separately.
   * `collapse` merges documents in this way.
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

  /** Attaches a child. It is stored in this document until a stage emits it. */
  addChild(child: Document): void {
    const object = child.toObject();
    const children = this.get('___children');
    if (Array.isArray(children)) children.push(object);
    else this.put('___children', [object]);
  }

  /**
   * Returns the attached children as documents. They are deep copies. Entries without a valid id are passed to
   * `invalid`.
   */
  children(invalid?: (child: Value) => void): Document[] {
    const children: Document[] = [];
    for (const child of this.values('___children')) {
      const id = child instanceof Map ? child.get('id') : undefined;
      if (typeof id === 'string' && id !== '') children.push(Document.fromObject(copyValue(child) as JsonObject));
      else invalid?.(child);
    }
    return children;
  }

  /** Removes all attached children. */
  removeChildren(): void {
    this.delete('___children');
  }

  /** Returns a deep copy. */
  clone(): Document {
    return new Document(this.shape, this.fieldValues.map(copyValue));
  }

  /** Returns the document as a JSON object. It is a deep copy. */
  toObject(): JsonObject {
    const object: JsonObject = new Map();
    for (let i = 0; i < this.fieldNames.length; i++) {
      object.set(this.fieldNames[i] as string, copyValue(this.fieldValues[i] as Value));
    }
    return object;
  }

  /** Returns the document as compact JSON, with the fields in order, including reserved fields. */
  toJson(): string {
    return writeDocument(this);
  }

  /** Sets a field without a check for reserved names. For the engine and for nested paths. */
  put(name: string, value: Value): void {
    const at = this.shape.position(name);
    if (at >= 0) this.fieldValues[at] = value;
    else push(this, name, value);
  }

  /** Removes a field without a check for reserved names. For the engine. */
  delete(name: string): void {
    const at = this.shape.position(name);
    if (at >= 0) deleteAt(this, at);
  }
}

/**
 * These are functions, not private methods: for private methods, V8 adds a brand to each document, which makes the
 * creation of a document slower.
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
 * Checks a value from untyped code, so that the error occurs when the field is set and not when the document is
 * written.
 */
function checkValue(name: string, value: object | null): void {
  if (value === null || Array.isArray(value) || value instanceof Map || value instanceof Double) return;
  if (value instanceof Uint8Array) return;
  const kind = value.constructor?.name ?? 'object';
  throw new HeadraceError('HR_DOCUMENT_TYPE', `Field "${name}" cannot hold this value (${kind})`, {
    hint: 'In a document, objects are Maps. Call toValue() to convert plain data to a field value.',
  });
}

/** Removes an element. Same as `splice(at, 1)`, but does not create a list of removed elements. */
function removeAt<T>(list: T[], at: number): void {
  const last = list.length - 1;
  for (let i = at; i < last; i++) list[i] = list[i + 1] as T;
  list.pop();
}
