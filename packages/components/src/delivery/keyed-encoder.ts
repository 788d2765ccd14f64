import {
  contractError,
  type Document,
  type DocumentEncoder,
  type DocumentTable,
  type IndexerSettings,
  kindOf,
  type ModuleReference,
  type Value,
  writeString,
  writeValue,
} from '@headrace/engine';
import { JsonEncoder } from '../file-formats/json/json-encoder.ts';
import { DeletionMarks, type DeletionSettings } from './deletion-marks.ts';

/** The settings that select the fields of documents. Plain data. */
export interface KeyedEncoderOptions extends DeletionSettings {
  readonly whitelist: readonly string[];
  readonly blacklist: readonly string[];
  readonly idOverrideField?: string;
  readonly indexOverrideField?: string;
  /** False if the destination has no deletes: documents that are deletes are then written. Defaults to true. */
  readonly deletes?: boolean;
}

/** The first line of an encoded document. */
export interface DocumentKey {
  readonly id: string;
  /** The destination that the document names, such as a topic. */
  readonly index?: string;
  /** Whether the document is a delete; then it has no second line. */
  readonly delete?: true;
}

/** Encodes a document as a line of JSON after the line of its `DocumentKey`: for destinations that accept any JSON. */
export class KeyedEncoder implements DocumentEncoder {
  readonly encodeTable: ((table: DocumentTable) => string[]) | undefined;
  readonly #options: KeyedEncoderOptions;
  readonly #json: JsonEncoder;
  readonly #marks: DeletionMarks;
  readonly #whitelist: ReadonlySet<string> | undefined;
  readonly #blacklist: ReadonlySet<string>;

  /** Throws `HR_COMPONENT_CONTRACT` for options of another kind: fields would be missing, or ids wrong. */
  constructor(options: KeyedEncoderOptions) {
    checkOptions(options);
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
    if (this.#options.deletes !== false && this.#marks.areOn(document)) return `${known},"delete":true}\n`;
    return `${known}}\n${id === undefined ? this.#json.encode(document) : this.#renamed(document, id)}`;
  }

  #encodePlain(table: DocumentTable): string[] {
    this.#marks.requireNone(table);
    const texts = this.#json.encodeTable(table);
    for (let row = 0; row < texts.length; row++) {
      texts[row] = `{"id":${writeString(table.ids[row] as string)}}\n${texts[row]}`;
    }
    return texts;
  }

  #override(setting: 'idOverrideField' | 'indexOverrideField', what: string, document: Document): string | undefined {
    const field = this.#options[setting];
    const value = field === undefined ? undefined : document.text(field);
    if (value === '') throw new Error(`The field ${field} for the ${what} (indexer.${setting}) is empty`);
    return value;
  }

  /** Returns the JSON of a document with another id. */
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

function checkOptions({ whitelist, blacklist, idOverrideField, indexOverrideField }: KeyedEncoderOptions): void {
  for (const [name, fields] of Object.entries({ whitelist, blacklist })) {
    if (Array.isArray(fields) && fields.every((field) => typeof field === 'string')) continue;
    throw contractError(`${name} of KeyedEncoder is ${kindOf(fields)}, not a list of texts`, USE_OPTIONS);
  }
  for (const [name, field] of Object.entries({ idOverrideField, indexOverrideField })) {
    if (field === undefined || typeof field === 'string') continue;
    throw contractError(`${name} of KeyedEncoder is ${kindOf(field)}, not a text`, USE_OPTIONS);
  }
}

const USE_OPTIONS = 'Pass what keyedEncoderOptions(settings) and deletionSettings(settings) return.';

/** Returns the options from the block `indexer`, except those for deletes. */
export function keyedEncoderOptions(settings: IndexerSettings): KeyedEncoderOptions {
  const { whitelist, blacklist, idOverrideField, indexOverrideField } = settings;
  return {
    whitelist,
    blacklist,
    ...(idOverrideField === undefined ? {} : { idOverrideField }),
    ...(indexOverrideField === undefined ? {} : { indexOverrideField }),
  };
}
