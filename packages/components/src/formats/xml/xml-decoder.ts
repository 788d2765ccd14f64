import { randomUUID } from 'node:crypto';
import {
  Document,
  type ModuleReference,
  messageOf,
  type RecordDecoder,
  type RecordSink,
  type Shape,
} from '@headrace/engine';
import { textOfPieces, unpackRecords, type XmlRecord } from '@headrace/records/xml';
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
    this.#outputField = settings.outputField ?? 'xml';
  }

  static reference(options: XmlDecoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'XmlDecoder', options };
  }

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    const { path, records } = position as XmlPosition;
    for (const record of unpackRecords(records)) {
      const source = Buffer.from(bytes.buffer, bytes.byteOffset + record.start, record.end - record.start);
      let document: Document;
      try {
        const xml = source.toString();
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
  protected idOf(source: Buffer, _xml: string, { id }: XmlRecord): string {
    return textOfPieces(source, id);
  }

  #document(id: string, xml: string): Document {
    if (this.#shape !== undefined) return new Document(this.#shape, [id, xml]);
    const document = Document.create(id);
    document.set(this.#outputField, xml);
    this.#shape = document.shape;
    return document;
  }
}
