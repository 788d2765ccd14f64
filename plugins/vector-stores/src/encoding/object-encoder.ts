import { DeletionMarks, type DeletionSettings, deletionSettings } from 'headrace/delivery';
import {
  type Document,
  type DocumentEncoder,
  type IndexerSettings,
  type ModuleReference,
  type Value,
  writeString,
  writeValue,
} from 'headrace/engine';
import { documentId } from './document-id.ts';
import { uuidOf } from './uuid.ts';
import { FieldChoice, vectorJson } from './vectors.ts';

/** The settings that all stores share. Plain data. */
export interface CommonOptions extends DeletionSettings {
  readonly whitelist: readonly string[];
  readonly blacklist: readonly string[];
  readonly idOverrideField?: string;
}

/** Returns the settings from the block `indexer`. */
export function commonOptions(settings: IndexerSettings): CommonOptions {
  const { whitelist, blacklist, idOverrideField } = settings;
  const override = idOverrideField === undefined ? {} : { idOverrideField };
  return { whitelist, blacklist, ...override, ...deletionSettings(settings) };
}

export interface ObjectOptions extends CommonOptions {
  /** The member for the fields: `properties` or `payload`. */
  readonly fields: string;
  /** The first members of each object, as JSON without braces, such as `"class":"Document",`. */
  readonly start: string;
  /** The name of the field with the original id. */
  readonly idName: string;
  /** The vector, or the named vectors with their fields. Undefined if the store computes vectors. */
  readonly vector: string | Readonly<Record<string, string>> | undefined;
  /** Whether each document must have its vectors. */
  readonly vectorRequired: boolean;
}

/**
 * Encodes documents for Weaviate and Qdrant: a line with the id, then an object with a UUID, the fields and the vectors.
 * A delete has only the first line.
 */
export class ObjectEncoder implements DocumentEncoder {
  readonly #options: ObjectOptions;
  readonly #marks: DeletionMarks;
  readonly #choice: FieldChoice;

  constructor(options: ObjectOptions) {
    this.#options = options;
    this.#marks = new DeletionMarks(options);
    const { vector = [] } = options;
    const vectors = typeof vector === 'string' ? [vector] : Object.values(vector);
    this.#choice = new FieldChoice(options.whitelist, options.blacklist, ['id', ...vectors]);
  }

  static reference(options: ObjectOptions): ModuleReference {
    return { url: import.meta.url, name: 'ObjectEncoder', options };
  }

  encode(document: Document): string {
    const { idOverrideField, fields, start, idName } = this.#options;
    const id = documentId(document, idOverrideField);
    if (this.#marks.areOn(document)) return `{"id":${writeString(id)},"delete":true}\n`;
    let members = '';
    document.fieldNames.forEach((name, i) => {
      if (!this.#choice.has(name) || name === idName) return;
      members += `${writeString(name)}:${writeValue(document.fieldValues[i] as Value)},`;
    });
    const content = `{${members}${writeString(idName)}:${writeString(id)}}`;
    const object = `{${start}"id":"${uuidOf(id)}","${fields}":${content}${this.#vectors(document)}}`;
    return `{"id":${writeString(id)}}\n${object}\n`;
  }

  #vectors(document: Document): string {
    const { vector, vectorRequired } = this.#options;
    if (vector === undefined) return '';
    if (typeof vector === 'string') {
      if (!vectorRequired && !document.has(vector)) return '';
      return `,"vector":${vectorJson(document, vector)}`;
    }
    const named = Object.entries(vector).filter(([, field]) => vectorRequired || document.has(field));
    const members = named.map(([name, field]) => `${writeString(name)}:${vectorJson(document, field)}`);
    return members.length === 0 ? '' : `,"vector":{${members.join(',')}}`;
  }
}
