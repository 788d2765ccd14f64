import { contractError, kindOf } from '../errors/contract-error.ts';
import { HeadraceError } from '../errors/headrace-error.ts';
import { writeFields } from './json-writer.ts';
import { checkWritable, RESERVED_FIELDS } from './names.ts';
import { checkId } from './read-object.ts';
import type { Rows } from './rows.ts';
import { masksOf, Shape } from './shape.ts';
import { checkValue, copyValue, distinctValues, type JsonObject, textOf, type Value, withoutMissing } from './value.ts';

const ID_ALONE = Shape.of(['id']);
const NO_VALUES: Value[] = [];

/** The behaviour of `update` and `rename` if the field already exists. */
export type UpdateMode = 'overwrite' | 'append' | 'skip';

/** The value of `___skipped` in a request to delete. */
const DELETE = 'delete';

/**
 * A document: an ordered set of fields. One of the fields is `id`.
 * It consists of a shape and an array of values. Documents with the same fields share a shape. A field is single-valued
 * (any value except an array) or multi-valued (an array of any length). Field names are literal: `a.b` is a name, not a
 * path. For paths, see `nested-path.ts`.
 * A document may be a row of a table instead: then it reads and writes the columns of the table. It gets its own array
 * when code asks for all values.
 */
export class Document {
  /** For a row of a table, it may contain fields that the row lacks. */
  #shape: Shape;
  #values: Value[];
  /** The table of the row. Undefined if the document has its own values. */
  #rows: Rows | undefined;
  readonly #row: number;

  /**
   * Creates a document with these fields. The document owns the values afterwards. One of the names must be `id`, and
   * its value must be a string. Decoders guarantee this. All other callers use `create` or `fromObject`.
   */
  constructor(shape: Shape, values: Value[] = NO_VALUES, rows: Rows | undefined = undefined, row = 0) {
    this.#shape = shape.share();
    this.#values = values;
    this.#rows = rows;
    this.#row = row;
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

  /** The names of the fields and their positions. */
  get shape(): Shape {
    if (this.#rows?.sparse === true) Document.#detach(this);
    return this.#shape;
  }

  /** Replaces the names of the fields. The caller must give the new shape the right `fieldValues`. */
  set shape(shape: Shape) {
    Document.#detach(this);
    this.#shape = shape;
  }

  /** The values of the fields, in the order of the shape. Not a copy. */
  get fieldValues(): Value[] {
    Document.#detach(this);
    return this.#values;
  }

  /** The names of the fields, in order. Not a copy. */
  get fieldNames(): readonly string[] {
    return this.shape.names;
  }

  get id(): string {
    if (this.#rows !== undefined || this.#shape.names[0] !== 'id') return this.get('id') as string;
    return this.#values[0] as string;
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
    return this.#shape.flagged && this.has('___dropped');
  }

  /**
   * True if the document is marked as skipped: later stages skip it, but the indexer does not. The field only needs to
   * be present, with any value.
   */
  get skipped(): boolean {
    return this.#shape.flagged && this.has('___skipped');
  }

  /** True if the document is dropped or skipped, so that later stages do not process it. */
  get bypassed(): boolean {
    return this.#shape.flagged && (this.dropped || this.skipped);
  }

  drop(): void {
    this.put('___dropped', true);
  }

  skip(): void {
    this.put('___skipped', true);
  }

  /**
   * True if the document is a request to delete the document with its id. Indexers that cannot delete write it like
   * other documents.
   */
  get isDelete(): boolean {
    return this.#shape.flagged && this.get('___skipped') === DELETE;
  }

  /** Makes the document a request to delete the document with its id. It skips the stages. */
  requestDelete(): void {
    this.put('___skipped', DELETE);
  }

  /** Returns true if the field is present. Null and empty lists count as present. */
  has(name: string): boolean {
    return Document.#find(this, name) >= 0;
  }

  /**
   * Returns the value of the field, with arrays as arrays. Returns undefined if the field is missing. The value is not
   * a copy: do not change it in place.
   */
  get(name: string): Value | undefined {
    if (this.#rows !== undefined) return this.#rows.get(name, this.#row);
    const at = this.#shape.position(name);
    return at < 0 ? undefined : this.#values[at];
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
    const at = Document.#find(this, name);
    if (at < 0) Document.#push(this, name, [value]);
    else Document.#append(this, at, value);
  }

  /** Sets a missing field, or appends to an existing field. Null counts as existing. */
  setOrAdd(name: string, value: Value): void {
    checkWritable(name);
    if (typeof value === 'object') checkValue(name, value);
    const at = Document.#find(this, name);
    if (at < 0) this.put(name, value);
    else Document.#append(this, at, value);
  }

  /**
   * Writes values to the field. Does nothing if there are no values. `overwrite`: the first value replaces the field as
   * a single value, the other values are appended. `append`: all values are appended, and a missing field starts as a
   * single value. `skip`: same as `append` if the field is missing, otherwise does nothing.
   */
  update(name: string, mode: UpdateMode, values: readonly Value[]): void {
    checkWritable(name);
    checkMode(mode);
    if (!Array.isArray(values)) throw contractError(`update() received ${kindOf(values)}, not a list of values`);
    if (values.length === 0) return;
    for (const value of values) if (typeof value === 'object') checkValue(name, value);
    if (mode !== 'overwrite') {
      const at = Document.#find(this, name);
      if (at >= 0 && mode === 'skip') return;
      if (at >= 0) {
        // The argument may be the list that grows in this loop, so its length is read first.
        for (let i = 0, { length } = values; i < length; i++) Document.#append(this, at, values[i] as Value);
        return;
      }
    }
    const first = values[0] as Value;
    if (values.length === 1) this.put(name, first);
    else this.put(name, Array.isArray(first) ? [...first, ...values.slice(1)] : [...values]);
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
    checkMode(mode);
    const source = Document.#find(this, from);
    if (source < 0) return;
    checkWritable(from);
    checkWritable(to);
    const value = Document.#read(this, source);
    Document.#remove(this, source);
    const target = mode === 'overwrite' ? -1 : Document.#find(this, to);
    if (target < 0) this.put(to, value);
    else if (mode === 'append') {
      for (const item of Array.isArray(value) ? value : [value]) Document.#append(this, target, item);
      const all = Document.#read(this, target);
      if (!Array.isArray(all)) Document.#write(this, target, [all]);
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
      this.put(name, unique);
      return;
    }
    checkWritable(target);
    const existing = this.get(target);
    if (existing === undefined) this.put(target, unique.map(copyValue));
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
    const { fieldNames, fieldValues } = other;
    for (let i = 0; i < fieldNames.length; i++) {
      const name = fieldNames[i] as string;
      if (RESERVED_FIELDS.has(name)) continue;
      const value = copyValue(fieldValues[i] as Value);
      const present = this.get(name);
      if (present === undefined) this.put(name, value);
      else {
        const list = Array.isArray(present) ? present : [present];
        for (const item of Array.isArray(value) ? value : [value]) list.push(item);
        if (list !== present) this.put(name, list);
      }
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
    const { fieldValues } = this;
    return new Document(this.#shape, fieldValues.map(copyValue));
  }

  /** Returns the document as a JSON object. It is a deep copy. */
  toObject(): JsonObject {
    const object: JsonObject = new Map();
    const { fieldValues, fieldNames } = this;
    for (let i = 0; i < fieldNames.length; i++) {
      object.set(fieldNames[i] as string, copyValue(fieldValues[i] as Value));
    }
    return object;
  }

  /** Returns the document as compact JSON, with the fields in order, including reserved fields. */
  toJson(): string {
    const rows = this.#rows;
    return writeFields(this.#shape.names, rows?.values(this.#shape, this.#row) ?? this.#values, rows !== undefined);
  }

  /** Sets a field without a check for reserved names. For the engine and for nested paths. */
  put(name: string, value: Value): void {
    // A row of a table cannot have a field without a value, which untyped code may set.
    if (value === undefined) Document.#detach(this);
    if (this.#rows !== undefined) {
      this.#shape = this.#rows.put(this.#shape, name, this.#row, value);
      return;
    }
    const at = this.#shape.position(name);
    if (at < 0) Document.#push(this, name, value);
    else this.#values[at] = value;
  }

  /** Removes a field without a check for reserved names. For the engine. */
  delete(name: string): void {
    const at = Document.#find(this, name);
    if (at >= 0) Document.#remove(this, at);
  }

  /**
   * Returns the shape of a document that is a row of these rows. Returns undefined if the document has its own values.
   * For the engine.
   */
  shapeIn(rows: Rows): Shape | undefined {
    return this.#rows === rows ? this.#shape : undefined;
  }

  // These are static: for private methods, V8 adds a brand to each document, which makes its creation slower.

  /** Returns the position of a field, or the number of its column. Returns -1 if the field is missing. */
  static #find(document: Document, name: string): number {
    const rows = document.#rows;
    return rows === undefined ? document.#shape.position(name) : rows.find(name, document.#row);
  }

  static #read(document: Document, at: number): Value {
    return document.#rows === undefined ? (document.#values[at] as Value) : document.#rows.read(at, document.#row);
  }

  static #write(document: Document, at: number, value: Value): void {
    if (document.#rows === undefined) document.#values[at] = value;
    else document.#rows.write(at, document.#row, value);
  }

  /** Adds a field at the end. */
  static #push(document: Document, name: string, value: Value): void {
    const rows = document.#rows;
    const shape = document.#shape;
    document.#shape = rows === undefined ? shape.with(name) : rows.put(shape, name, document.#row, value);
    if (rows === undefined) document.#values.push(value);
  }

  static #remove(document: Document, at: number): void {
    const rows = document.#rows;
    const shape = document.#shape;
    document.#shape = rows === undefined ? shape.without(at) : rows.remove(shape, at, document.#row);
    if (rows === undefined) removeAt(document.#values, at);
  }

  static #append(document: Document, at: number, value: Value): void {
    const present = Document.#read(document, at);
    if (Array.isArray(present)) present.push(value);
    else Document.#write(document, at, [present, value]);
  }

  /** Gives the document its own values. */
  static #detach(document: Document): void {
    const values = document.#rows?.values(document.#shape, document.#row);
    if (values === undefined) return;
    if (!values.includes(undefined)) document.#values = values as Value[];
    else {
      document.#shape = document.#shape.part(masksOf(values));
      document.#values = withoutMissing(values);
    }
    document.#rows = undefined;
  }
}

/** Removes an element. Same as `splice(at, 1)`, but does not create a list of removed elements. */
function removeAt<T>(list: T[], at: number): void {
  const last = list.length - 1;
  for (let i = at; i < last; i++) list[i] = list[i + 1] as T;
  list.pop();
}

/** Throws `HR_COMPONENT_CONTRACT` for another mode, which would overwrite the field or discard the value. */
function checkMode(mode: UpdateMode): void {
  if (mode === 'overwrite' || mode === 'append' || mode === 'skip') return;
  throw contractError(`The mode ${JSON.stringify(mode)} is not overwrite, append or skip`);
}
