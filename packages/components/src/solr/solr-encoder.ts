import {
  type Column,
  type Document,
  type DocumentEncoder,
  type DocumentTable,
  type ModuleReference,
  type Value,
  writeString,
  writeValue,
} from '@headrace/engine';
import { DeletionMarks, type DeletionSettings } from '../delivery/deletion-marks.ts';
import { JsonEncoder } from '../file-formats/json/json-encoder.ts';

/** The settings that select the fields and the collection of documents. Plain data. */
export interface SolrEncoderOptions extends DeletionSettings {
  /** The core or collection of documents that do not name another one. */
  readonly collection?: string;
  readonly whitelist: readonly string[];
  readonly blacklist: readonly string[];
  readonly idOverrideField?: string;
  readonly indexOverrideField?: string;
  /** Whether nested documents get the `run_id` of their document: otherwise `sync` would delete them. */
  readonly marksNested?: boolean;
}

/** The first line of an encoded document: its collection and id, without the id for a delete by query. */
export interface SolrTarget {
  readonly collection: string;
  readonly id?: string;
}

/**
 * Encodes a document as a command of Solr's JSON update format (`"add":{…}`, `"delete":{…}`). The line before it is the
 * `SolrTarget`, which is not sent.
 */
export class SolrEncoder implements DocumentEncoder {
  readonly encodeTable: ((table: DocumentTable) => string[]) | undefined;
  readonly #options: SolrEncoderOptions;
  readonly #marks: DeletionMarks;
  readonly #whitelist: ReadonlySet<string> | undefined;
  readonly #blacklist: ReadonlySet<string>;
  readonly #json: JsonEncoder;

  constructor(options: SolrEncoderOptions) {
    this.#options = options;
    this.#marks = new DeletionMarks(options);
    const { whitelist, blacklist, indexOverrideField } = options;
    this.#whitelist = whitelist.length === 0 ? undefined : new Set(whitelist);
    this.#blacklist = new Set([
      '___children',
      '___dropped',
      '___skipped',
      ...blacklist,
      ...(indexOverrideField === undefined ? [] : [indexOverrideField]),
    ]);
    this.#json = new JsonEncoder({ whitelist, blacklist: [...this.#blacklist] });
    const { idOverrideField, deletionMarkerField } = options;
    const special = [idOverrideField, indexOverrideField, deletionMarkerField].some((field) => field !== undefined);
    this.encodeTable = special ? undefined : (table) => this.#encodePlain(table);
  }

  static reference(options: SolrEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'SolrEncoder', options };
  }

  encode(document: Document): string {
    const id = this.#idOf(document);
    const collection = writeString(this.#collectionOf(document));
    const target = `{"collection":${collection},"id":${writeString(id)}}\n`;
    if (!this.#marks.areOn(document)) return `${target}"add":{"doc":${this.#document(document, id)}}\n`;
    const by = this.#marks.fieldOf(document);
    if (by === undefined) return `${target}"delete":{"id":${writeString(id)}}\n`;
    const query = `{!term f=${quoted(by.field)} v=${quoted(by.value)}}`;
    return `{"collection":${collection}}\n"delete":{"query":${writeString(query)}}\n`;
  }

  /** Throws if a document must be encoded alone: it has children or an object. */
  #encodePlain(table: DocumentTable): string[] {
    this.#marks.requireNone(table);
    const { collection = '' } = this.#options;
    if (collection === '' || table.has('___children')) throw new Error('These documents must be encoded one at a time');
    const isRefused = (name: string) => this.#isSent(name) && hasObjects(table.column(name) as Column);
    if (table.names.some(isRefused)) throw new Error('A field with an object is refused');
    const before = `{"collection":${writeString(collection)},"id":`;
    const texts = this.#json.encodeTable(table, '}\n');
    for (let row = 0; row < texts.length; row++) {
      texts[row] = `${before}${writeString(table.ids[row] as string)}}\n"add":{"doc":${texts[row]}`;
    }
    return texts;
  }

  #idOf(document: Document): string {
    const { idOverrideField } = this.#options;
    const override = idOverrideField === undefined ? undefined : document.text(idOverrideField);
    if (override === '') throw new Error(`The field ${idOverrideField} (indexer.idOverrideField) is empty`);
    return override ?? document.id;
  }

  #collectionOf(document: Document): string {
    const { collection, indexOverrideField } = this.#options;
    const override = indexOverrideField === undefined ? undefined : document.text(indexOverrideField);
    const chosen = override ?? collection ?? '';
    if (chosen !== '') return chosen;
    throw new Error(
      indexOverrideField === undefined
        ? 'No collection is named'
        : `The field ${indexOverrideField} with the collection is missing or empty, and solr.defaultCollection is not set`,
    );
  }

  #document(document: Document, id: string): string {
    let text = '';
    const add = (name: string, json: string) => {
      text += `${text === '' ? '{' : ','}${writeString(name)}:${json}`;
    };
    document.fieldNames.forEach((name, i) => {
      if (this.#isSent(name))
        add(name, name === 'id' ? writeString(id) : this.#value(name, document.fieldValues[i] as Value, id));
    });
    const children = document.values('___children').filter((child) => child instanceof Map);
    if (children.length > 0) {
      const runId = this.#options.marksNested === true ? document.get('run_id') : undefined;
      const marked = (child: ReadonlyMap<string, Value>) =>
        runId === undefined || child.has('run_id') ? child : new Map([...child, ['run_id', runId] as const]);
      add('_childDocuments_', `[${children.map((child) => this.#child(marked(child), id)).join(',')}]`);
    }
    return text === '' ? '{}' : `${text}}`;
  }

  #child(child: ReadonlyMap<string, Value>, id: string): string {
    let text = '';
    for (const [name, value] of child) {
      if (!this.#isSent(name)) continue;
      text += `${text === '' ? '{' : ','}${writeString(name)}:${this.#value(name, value, id)}`;
    }
    return text === '' ? '{}' : `${text}}`;
  }

  /** Rejects objects, which Solr would read as a partial update or as a child document. */
  #value(name: string, value: Value, id: string): string {
    if (hasObject(value)) {
      throw new Error(`Object field '${name}' on document id=${id} is not supported by the SolrIndexer.`);
    }
    return writeValue(value);
  }

  #isSent(name: string): boolean {
    return (this.#whitelist?.has(name) ?? true) && !this.#blacklist.has(name);
  }
}

function hasObjects(column: Column): boolean {
  for (let row = 0; row < column.length; row++) {
    const value = column[row];
    if (typeof value === 'object' && hasObject(value)) return true;
  }
  return false;
}

function hasObject(value: Value): boolean {
  return value instanceof Map || (Array.isArray(value) && value.some((item) => item instanceof Map));
}

/** Quotes a value for Solr's local parameters. */
export function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
