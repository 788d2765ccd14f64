import { DeletionMarks } from 'headrace/delivery';
import {
  type Document,
  type DocumentEncoder,
  type ModuleReference,
  textOf,
  type Value,
  writeString,
  writeValue,
} from 'headrace/engine';
import { documentId } from './document-id.ts';
import type { CommonOptions } from './object-encoder.ts';
import { vectorJson } from './vectors.ts';

export interface PineconeOptions extends CommonOptions {
  /** The fields with the vectors, one for each namespace. */
  readonly vectorFields: readonly string[];
  readonly metadataFields: readonly string[];
  /** Whether numbers, booleans and lists of texts keep their type. Otherwise all metadata are texts. */
  readonly nativeMetadata: boolean;
}

/** Encodes documents for Pinecone: a line with the id, then a line with the vector for each namespace. */
export class PineconeEncoder implements DocumentEncoder {
  readonly #options: PineconeOptions;
  readonly #marks: DeletionMarks;

  constructor(options: PineconeOptions) {
    this.#options = options;
    this.#marks = new DeletionMarks(options);
  }

  static reference(options: PineconeOptions): ModuleReference {
    return { url: import.meta.url, name: 'PineconeEncoder', options };
  }

  encode(document: Document): string {
    const { idOverrideField, vectorFields } = this.#options;
    const id = documentId(document, idOverrideField);
    if (this.#marks.areOn(document)) return `{"id":${writeString(id)},"delete":true}\n`;
    const metadata = this.#metadata(document);
    const vectors = vectorFields.map(
      (field) => `{"id":${writeString(id)},"values":${vectorJson(document, field)}${metadata}}\n`,
    );
    return `{"id":${writeString(id)}}\n${vectors.join('')}`;
  }

  #metadata(document: Document): string {
    const members: string[] = [];
    for (const field of this.#options.metadataFields) {
      const value = document.get(field);
      if (value === undefined || value === null) continue;
      members.push(
        `${writeString(field)}:${this.#options.nativeMetadata ? native(field, value) : writeString(text(value))}`,
      );
    }
    return members.length === 0 ? '' : `,"metadata":{${members.join(',')}}`;
  }
}

/** Pinecone accepts texts, numbers, booleans and lists of texts. */
function native(field: string, value: Value): string {
  if (value instanceof Map)
    throw new Error(`The metadata field ${field} has an object, which Pinecone does not accept`);
  if (!Array.isArray(value)) return value instanceof Uint8Array ? writeString(text(value)) : writeValue(value);
  return writeValue(value.filter((item) => item !== null).map(text));
}

/** Returns a value as Lucille writes it: lists as `[1, 2, 3]`, objects as JSON. */
function text(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(text).join(', ')}]`;
  return value instanceof Map ? writeValue(value) : (textOf(value) ?? 'null');
}
