import {
  type Document,
  type DocumentEncoder,
  type DocumentTable,
  type IndexerSettings,
  type ModuleReference,
  type Value,
  writeString,
  writeValue,
} from '@headrace/engine';
import { JsonEncoder } from '../formats/json/json-encoder.ts';
import { DeletionMarks, type DeletionSettings } from './deletion-marks.ts';

/** Which fields say what. Plain data. */
export interface KeyedEncoderOptions extends DeletionSettings {
  readonly whitelist: readonly string[];
  readonly blacklist: readonly string[];
  readonly idOverrideField?: string;
  readonly indexOverrideField?: string;
}

/** What the first line of an encoded document says of it. */
export interface DocumentKey {
  readonly id: string;
  /** The topic, or the like, that the document names. */
  readonly index?: string;
  /** Whether it is a request to delete; it has no second line then. */
  readonly delete?: true;
}

/** Writes a document as a line of JSON, after the line of its `DocumentKey`: for destinations that take any JSON. */
export class KeyedEncoder implements DocumentEncoder {
  readonly encodeTable: ((table: DocumentTable) => string[]) | undefined;
  readonly #options: KeyedEncoderOptions;
  readonly #json: JsonEncoder;
  readonly #marks: DeletionMarks;
  readonly #whitelist: ReadonlySet<string> | undefined;
  readonly #blacklist: ReadonlySet<string>;

  constructor(options: KeyedEncoderOptions) {
    const { whitelist, blacklist, idOverrideField, indexOverrideField, deletionMarkerField } = options;
    this.#options = options;
    this.#json = new JsonEncoder({ whitelist, blacklist });
    this.#marks = new DeletionMarks(options);
    this.#whitelist = whitelist.length === 0 ? undefined : new Set(whitelist);
    this.#blacklist = new Set(['___dropped', '___skipped', ...blacklist]);
    const special = [idOverrideField, indexOverrideField, deletionMarkerField].some((field) => field !== undefined);
    this.encodeTable = special ? undefined : (table) => this.#encodePlain(table);
  }

  static reference(options: KeyedEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'KeyedEncoder', options };
  }

  encode(document: Document): string {
    const id = this.#override('idOverrideField', 'id', document);
    const index = this.#override('indexOverrideField', 'destination', document);
    const known = `{"id":${writeString(id ?? document.id)}${index === undefined ? '' : `,"index":${writeString(index)}`}`;
    if (this.#marks.areOn(document)) return `${known},"delete":true}\n`;
    return `${known}}\n${id === undefined ? this.#json.encode(document) : this.#renamed(document, id)}`;
  }

  #encodePlain(table: DocumentTable): string[] {
    const texts = this.#json.encodeTable(table);
    for (let row = 0; row < texts.length; row++) {
      texts[row] = `{"id":${writeString(table.ids[row] as string)}}\n${texts[row]}`;
    }
    return texts;
  }

  #override(setting: 'idOverrideField' | 'indexOverrideField', what: string, document: Document): string | undefined {
    const field = this.#options[setting];
    const value = field === undefined ? undefined : document.text(field);
    if (value === '') throw new Error(`The field ${field}, which gives the ${what}, is empty`);
    return value;
  }

  /** The JSON of a document under another id. */
  #renamed(document: Document, id: string): string {
    let text = '';
    document.fieldNames.forEach((name, i) => {
      if (!(this.#whitelist?.has(name) ?? true) || this.#blacklist.has(name)) return;
      const value = name === 'id' ? writeString(id) : writeValue(document.fieldValues[i] as Value);
      text += `${text === '' ? '{' : ','}${writeString(name)}:${value}`;
    });
    return text === '' ? '{}\n' : `${text}}\n`;
  }
}

/** The options that the block `indexer` asks for, but for deletions. */
export function keyedEncoderOptions(settings: IndexerSettings): KeyedEncoderOptions {
  const { whitelist = [], blacklist = [], idOverrideField, indexOverrideField } = settings;
  return {
    whitelist,
    blacklist,
    ...(idOverrideField === undefined ? {} : { idOverrideField }),
    ...(indexOverrideField === undefined ? {} : { indexOverrideField }),
  };
}
