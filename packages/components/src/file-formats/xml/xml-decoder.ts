import { randomUUID } from 'node:crypto';
import {
  Document,
  type ModuleReference,
  messageOf,
  type RecordDecoder,
  type RecordSink,
  type Shape,
} from '@headrace/engine';
import { idOfRecord, unpackRecords, type XmlRecord } from '@headrace/formats/records/xml';
import { asBuffer } from '../as-buffer.ts';
import type { XmlSettings } from './xml-settings.ts';

/** The options that are equal for all files of a connector. They are plain data. */
export interface XmlDecoderOptions {
  readonly settings: XmlSettings;
  readonly docIdPrefix: string;
}

/** The position of a chunk, which its decoder needs. It is plain data. */
export interface XmlPosition {
  /** The path of the file as the user wrote it. */
  readonly path: string;
  /** The positions of the records in the chunk, from `packRecords`. */
  readonly records: Uint32Array;
}

/** Decodes elements of XML files into documents. The texts of their id elements are the ids. */
export class XmlDecoder implements RecordDecoder {
  readonly #settings: XmlSettings;
  readonly #prefix: string;
  readonly #outputField: string;
  #shape: Shape | undefined;

  constructor({ settings, docIdPrefix }: XmlDecoderOptions) {
    this.#settings = settings;
    this.#prefix = docIdPrefix;
    this.#outputField = settings.outputField;
  }

  static reference(options: XmlDecoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'XmlDecoder', options };
  }

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    const { path, records } = position as XmlPosition;
    const source = asBuffer(bytes);
    for (const record of unpackRecords(records)) {
      let document: Document;
      try {
        const xml = source.toString('utf8', record.start, record.end);
        const id = this.idOf(source, xml, record);
        if (id === '' && this.#settings.skipEmptyId === true) continue;
        document = this.#document(this.#prefix + (id === '' ? randomUUID() : id), xml);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        sink.reject({ place: `${path}:${record.line}`, message: messageOf(error) });
        continue;
      }
      // This call is outside `try`: an error of the pipeline is not an error of the record.
      sink.document(document);
    }
  }

  /** Returns the id of a record without the prefix, or the empty text if it has none. */
  protected idOf(source: Buffer, xml: string, record: XmlRecord): string {
    return idOfRecord(source, xml, record);
  }

  #document(id: string, xml: string): Document {
    if (this.#shape !== undefined) return new Document(this.#shape, [id, xml]);
    const document = Document.create(id);
    document.set(this.#outputField, xml);
    this.#shape = document.shape;
    return document;
  }
}
