import {
  type Document,
  type DocumentEncoder,
  type ModuleReference,
  type Value,
  writeString,
  writeValue,
} from '@headrace/engine';
import { DeletionMarks, type DeletionSettings } from '../delivery/deletion-marks.ts';

/** The settings that select the fields of documents. Plain data. */
export interface PostgresEncoderOptions extends DeletionSettings {
  /** The column for the id. */
  readonly idColumn: string;
  readonly whitelist: readonly string[];
  readonly blacklist: readonly string[];
  readonly idOverrideField?: string;
}

/** The first character of an encoded document: the operation for the JSON after it. */
export const WRITE = '+';
/** Marks a delete; the JSON is the id. */
export const DELETE = '-';
/** Marks a delete by a column; the JSON is a list of a column and a value. */
export const DELETE_BY = '?';

/** Encodes a document as a line: the operation, and JSON. */
export class PostgresEncoder implements DocumentEncoder {
  readonly #options: PostgresEncoderOptions;
  readonly #marks: DeletionMarks;
  readonly #whitelist: ReadonlySet<string> | undefined;
  readonly #blacklist: ReadonlySet<string>;

  constructor(options: PostgresEncoderOptions) {
    this.#options = options;
    this.#marks = new DeletionMarks(options);
    const { whitelist, blacklist, idColumn } = options;
    this.#whitelist = whitelist.length === 0 ? undefined : new Set(whitelist);
    this.#blacklist = new Set(['___dropped', '___skipped', 'id', idColumn, ...blacklist]);
  }

  static reference(options: PostgresEncoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'PostgresEncoder', options };
  }

  encode(document: Document): string {
    const { idColumn } = this.#options;
    const id = this.#idOf(document);
    if (this.#marks.areOn(document)) {
      const by = this.#marks.fieldOf(document);
      if (by === undefined) return `${DELETE}${writeString(id)}\n`;
      return `${DELETE_BY}[${writeString(by.field)},${writeString(by.value)}]\n`;
    }
    let text = `${WRITE}{${writeString(idColumn)}:${writeString(id)}`;
    document.fieldNames.forEach((name, i) => {
      if ((this.#whitelist?.has(name) ?? true) && !this.#blacklist.has(name)) {
        text += `,${writeString(name)}:${writeValue(document.fieldValues[i] as Value)}`;
      }
    });
    return `${text}}\n`;
  }

  #idOf(document: Document): string {
    const { idOverrideField } = this.#options;
    const override = idOverrideField === undefined ? undefined : document.text(idOverrideField);
    if (override === '') throw new Error(`The field ${idOverrideField} (indexer.idOverrideField) is empty`);
    return override ?? document.id;
  }
}
