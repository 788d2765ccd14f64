import {
  type Document,
  type DocumentEncoder,
  type DocumentTable,
  Double,
  type JsonObject,
  type Logger,
  type ModuleReference,
  type Notices,
  silentNotices,
  type Value,
  writeString,
  writeValue,
} from '@headrace/engine';
import { DeletionMarks, type DeletionSettings } from '../delivery/deletion-marks.ts';
import { JsonEncoder } from '../file-formats/json/json-encoder.ts';
import { compileIndexName } from './index-name.ts';

/** The settings that select the fields and the index of documents. Plain data. */
export interface BulkEncoderOptions extends DeletionSettings {
  /** A name, or a template of names; see `compileIndexName`. */
  readonly index: string;
  /** Whether documents are partial updates of existing documents. */
  readonly update: boolean;
  readonly whitelist: readonly string[];
  readonly blacklist: readonly string[];
  readonly idOverrideField?: string;
  readonly indexOverrideField?: string;
  readonly routingField?: string;
  /** The field with the version, and how the search engine compares versions. */
  readonly version?: { readonly field: string; readonly type: 'external' | 'external_gte' };
  /** The field for nested children; undefined: children are not sent. */
  readonly childDocumentsField?: string;
  readonly join?: JoinSettings;
}

/** The settings that join documents to others in the same index. */
export interface JoinSettings {
  readonly field: string;
  /** The name of this side of the relation. */
  readonly name: string;
  /** The field with the id of the parent; only for children. */
  readonly parentIdField?: string;
}

/** The maximum length of an id in a search engine, in bytes. */
const MAX_ID_BYTES = 512;

/** The start of a line for a delete by query, which is a separate request and not part of a bulk request. */
export const DELETE_BY_QUERY = '{"delete_by_query"';

/**
 * Encodes a document for a bulk request: the line of its action and, except for deletes, the line of its source. Null
 * members are omitted at every level. The first line contains the metadata of the document; the parts that identify it
 * (`_id`, `_index`, `routing`) come last.
 */
export class BulkEncoder implements DocumentEncoder {
  readonly encodeTable: ((table: DocumentTable) => string[]) | undefined;
  readonly #options: BulkEncoderOptions;
  readonly #log: Logger | undefined;
  readonly #notices: Notices;
  readonly #json: JsonEncoder;
  readonly #marks: DeletionMarks;
  readonly #whitelist: ReadonlySet<string> | undefined;
  readonly #blacklist: ReadonlySet<string>;
  /** Whether the line of an action depends only on the id. */
  readonly #isPlain: boolean;
  /** The text before and after the id of a document without special settings. */
  readonly #before: string;
  readonly #after: string;
  readonly #index: string | ((document: Document) => string);
  #warned = false;
  #warnedOfVersion = false;

  constructor(options: BulkEncoderOptions, log?: Logger, notices: Notices = silentNotices) {
    this.#options = options;
    this.#log = log;
    this.#notices = notices;
    const { index, update, whitelist, blacklist } = options;
    const unsent = ['___children', '___dropped', '___skipped', ...blacklist];
    this.#whitelist = whitelist.length === 0 ? undefined : new Set(whitelist);
    this.#blacklist = new Set(unsent);
    this.#json = new JsonEncoder({ whitelist, blacklist: unsent });
    this.#marks = new DeletionMarks(options);
    this.#before = update ? '{"update":{"_id":' : '{"index":{"_id":';
    this.#index = compileIndexName(index);
    this.#after = `,"_index":${writeString(index)}}}\n${update ? '{"doc":' : ''}`;
    this.#isPlain = typeof this.#index === 'string' && isPlain(options);
    const byDocument = options.join !== undefined || options.deletionMarkerField !== undefined;
    this.encodeTable = byDocument ? undefined : (table) => this.#encodeTable(table);
  }

  static reference(options: BulkEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'BulkEncoder', options };
  }

  encode(document: Document): string {
    const options = this.#options;
    const marks = this.#marks;
    const id = this.#idOf(document);
    if (marks.areOn(document)) {
      const target = this.#target(document, id);
      const by = marks.fieldOf(document);
      if (by === undefined) return `{"delete":{${this.#version(document)}${target}}}\n`;
      return `${DELETE_BY_QUERY}:{"field":${writeString(by.field)},"value":${writeString(by.value)},${target}}}\n`;
    }
    const action = this.#action(document, id);
    if (!this.#isSimple(document)) return `${action}${this.#source(document, id)}${options.update ? '}' : ''}\n`;
    const source = this.#json.encode(document);
    return action + (options.update ? `${source.slice(0, -1)}}\n` : source);
  }

  /** Returns whether the source of a document contains exactly its fields. */
  #isSimple(document: Document): boolean {
    const { idOverrideField, join } = this.#options;
    if (idOverrideField !== undefined || join !== undefined || document.has('___children')) return false;
    const { fieldValues } = document;
    for (let i = 0; i < fieldValues.length; i++) if (hasNulls(fieldValues[i] as Value)) return false;
    return true;
  }

  /** Returns everything before the source of a document. */
  #action(document: Document, id: string): string {
    const { update } = this.#options;
    const target = this.#target(document, id);
    return `{"${update ? 'update' : 'index'}":{${this.#version(document)}${target}}}\n${update ? '{"doc":' : ''}`;
  }

  #encodeTable(table: DocumentTable): string[] {
    this.#marks.requireNone(table);
    const given = table.ids;
    const ids: string[] = new Array(table.count);
    const actions: string[] = new Array(table.count);
    for (let row = 0; row < table.count; row++) {
      if (this.#isPlain) {
        const id = checkedId(given[row] as string);
        ids[row] = id;
        actions[row] = this.#before + writeString(id) + this.#after;
      } else {
        const document = table.document(row);
        const id = this.#idOf(document);
        ids[row] = id;
        actions[row] = this.#action(document, id);
      }
    }
    const sources = this.#sources(table, ids);
    for (let row = 0; row < sources.length; row++) sources[row] = (actions[row] as string) + (sources[row] as string);
    return sources;
  }

  /** Returns the lines of the sources of all documents, with these ids. */
  #sources(table: DocumentTable, ids: readonly string[]): string[] {
    const end = this.#options.update ? '}\n' : '\n';
    if (table.has('___children')) return ids.map((id, row) => this.#source(table.document(row), id) + end);
    const undo = table.mark();
    try {
      if (this.#options.idOverrideField !== undefined) table.put('id', ids, false);
      for (const name of table.names) removeNulls(table, name);
      return this.#json.encodeTable(table, end);
    } finally {
      undo();
    }
  }

  #idOf(document: Document): string {
    const { idOverrideField } = this.#options;
    const override = idOverrideField === undefined ? undefined : document.text(idOverrideField);
    if (override === '') throw new Error(`The field ${idOverrideField} (indexer.idOverrideField) is empty`);
    return checkedId(override ?? document.id);
  }

  /** Returns the identity of a document as JSON members. */
  #target(document: Document, id: string): string {
    const { indexOverrideField, routingField, join } = this.#options;
    const override = indexOverrideField === undefined ? undefined : document.text(indexOverrideField);
    if (override === '') throw new Error(`The field ${indexOverrideField} (indexer.indexOverrideField) is empty`);
    const routedBy = routingField ?? join?.parentIdField;
    const routing = routedBy === undefined ? undefined : document.text(routedBy);
    const target = `"_id":${writeString(id)},"_index":${writeString(override ?? this.#indexOf(document))}`;
    return routing === undefined ? target : `${target},"routing":${writeString(routing)}`;
  }

  #indexOf(document: Document): string {
    return typeof this.#index === 'string' ? this.#index : this.#index(document);
  }

  #version(document: Document): string {
    const { version } = this.#options;
    const value = version === undefined ? undefined : document.first(version.field);
    if (version === undefined) return '';
    if (value === undefined || value === null) {
      this.#warnOfVersion(document, version.field);
      return '';
    }
    const whole = wholeVersion(value);
    if (whole === undefined) {
      const text = typeof value === 'string' ? value : writeValue(value);
      throw new Error(
        `The version in the field ${version.field} must be a number from 0 to ${MAX_VERSION}, was ${text}`,
      );
    }
    return `"version":${whole},"version_type":"${version.type}",`;
  }

  #warnOfVersion(document: Document, field: string): void {
    this.#notices.report('version.missing', { document: document.id, field });
    if (this.#warnedOfVersion) return;
    this.#warnedOfVersion = true;
    this.#log?.warn(
      `Document ${document.id} has no version in the field ${field}: it replaces the document in the index, even if that is newer. Further documents are not reported`,
    );
  }

  /**
   * Returns the source as JSON.
   * @param id the id to write; undefined: the id of the document
   */
  #source(document: Document, id: string | undefined): string {
    const { childDocumentsField, join } = this.#options;
    const children = this.#childrenOf(document);
    const nested = childDocumentsField !== undefined && children.length > 0 ? childDocumentsField : undefined;
    if (join !== undefined && document.has(join.field)) {
      throw new Error(`Document already has join field: ${join.field}`);
    }
    let text = '';
    const add = (name: string, json: string) => {
      text += `${text === '' ? '{' : ','}${writeString(name)}:${json}`;
    };
    document.fieldNames.forEach((name, i) => {
      const value = document.fieldValues[i] as Value;
      if (value === null || name === nested || !this.#isSent(name)) return;
      add(name, name === 'id' && id !== undefined ? writeString(id) : writeWithoutNulls(value));
    });
    if (nested !== undefined) add(nested, `[${children.map((child) => this.#child(child)).join(',')}]`);
    if (join !== undefined) add(join.field, this.#joinValue(document, join));
    return text === '' ? '{}' : `${text}}`;
  }

  #childrenOf(document: Document): readonly Value[] {
    if (!document.has('___children')) return [];
    const children = document.values('___children');
    if (this.#options.childDocumentsField !== undefined || children.length === 0) return children;
    this.#notices.report('children.notSent', { document: document.id });
    if (!this.#warned) {
      this.#warned = true;
      this.#log?.warn(
        `Document ${document.id} has children, which are not sent: set childDocumentsField to nest them, or turn them into documents with EmitNestedChildren. Further documents are not reported`,
      );
    }
    return children;
  }

  #child(child: Value): string {
    if (!(child instanceof Map)) return writeWithoutNulls(child);
    const sent: JsonObject = new Map();
    for (const [name, value] of child) if (this.#isSent(name)) sent.set(name, value);
    return writeWithoutNulls(sent);
  }

  #joinValue(document: Document, { name, parentIdField }: JoinSettings): string {
    if (parentIdField === undefined) return writeString(name);
    const parent = document.text(parentIdField);
    if (parent === undefined)
      throw new Error(`The field ${parentIdField}, which contains the id of the parent, is missing`);
    return `{"name":${writeString(name)},"parent":${writeString(parent)}}`;
  }

  #isSent(name: string): boolean {
    return (this.#whitelist?.has(name) ?? true) && !this.#blacklist.has(name);
  }
}

const MAX_VERSION = 2n ** 63n - 1n;

/**
 * Converts a value to a version without its fraction, as the reference does; undefined if it is not a valid version.
 */
function wholeVersion(value: Value): bigint | undefined {
  const number = typeof value === 'string' ? value.trim() : value instanceof Double ? value.value : value;
  let whole: bigint | undefined;
  if (typeof number === 'bigint') whole = number;
  else if (typeof number === 'string' && /^\d{1,19}$/.test(number)) whole = BigInt(number);
  else if (typeof number === 'number' || (typeof number === 'string' && DECIMAL.test(number))) {
    const truncated = Math.trunc(Number(number));
    if (Number.isFinite(truncated)) whole = BigInt(truncated);
  }
  return whole === undefined || whole < 0n || whole > MAX_VERSION ? undefined : whole;
}

const DECIMAL = /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/;

/** Returns whether the line of an action depends only on the id, if the index has a fixed name. */
function isPlain({ idOverrideField, indexOverrideField, routingField, version }: BulkEncoderOptions): boolean {
  return [idOverrideField, indexOverrideField, routingField, version].every((option) => option === undefined);
}

/** Removes nulls from a column: fields that are null, and null members of objects. Nulls in lists stay. */
function removeNulls(table: DocumentTable, name: string): void {
  const column = table.column(name) ?? [];
  if (!column.some((value) => value !== undefined && hasNulls(value))) return;
  const kept = column.map((value) => (value === undefined || value === null ? undefined : withoutNulls(value)));
  table.put(name, kept, kept.includes(undefined));
}

function checkedId(id: string): string {
  // A UTF-16 unit has at most three bytes in UTF-8.
  if (id.length * 3 > MAX_ID_BYTES && Buffer.byteLength(id) > MAX_ID_BYTES) {
    throw new Error(`The id is longer than the ${MAX_ID_BYTES} bytes that a search engine accepts`);
  }
  return id;
}

/** Returns whether a value is null or contains an object with a null member. */
function hasNulls(value: Value): boolean {
  if (typeof value !== 'object') return false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.some((item) => item !== null && hasNulls(item));
  if (!(value instanceof Map)) return false;
  for (const member of value.values()) if (hasNulls(member)) return true;
  return false;
}

/** Returns a value whose objects have no null members. Nulls in lists stay. */
function withoutNulls(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!(value instanceof Map)) return value;
  const kept: JsonObject = new Map();
  for (const [name, member] of value) if (member !== null) kept.set(name, withoutNulls(member));
  return kept;
}

/** Returns the JSON of a value without the null members of its objects. */
function writeWithoutNulls(value: Value): string {
  return writeValue(hasNulls(value) ? withoutNulls(value) : value);
}
