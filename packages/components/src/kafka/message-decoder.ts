import {
  Document,
  HeadraceError,
  type JsonObject,
  type ModuleReference,
  messageOf,
  type RecordDecoder,
  type RecordSink,
  readJson,
  textOf,
} from '@headrace/engine';

/** How messages become documents. Plain data. */
export interface MessageDecoderOptions {
  readonly topic: string;
  /** The field that holds the id. */
  readonly idField: string;
  readonly docIdPrefix: string;
}

/** Where the messages of a chunk come from, in order, and how long each is in bytes; -1: it has no value. Plain data. */
export interface MessagePositions {
  readonly partitions: readonly number[];
  readonly offsets: readonly bigint[];
  readonly lengths: readonly number[];
}

/** Makes documents of the values of messages, JSON objects one behind the other. */
export class MessageDecoder implements RecordDecoder {
  private readonly options: MessageDecoderOptions;

  constructor(options: MessageDecoderOptions) {
    this.options = options;
  }

  static reference(options: MessageDecoderOptions): ModuleReference {
    return { url: import.meta.url, name: 'MessageDecoder', options };
  }

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    const { partitions, offsets, lengths } = position as MessagePositions;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    for (let i = 0; i < lengths.length; i++) {
      const length = lengths[i] as number;
      const end = at + Math.max(length, 0);
      try {
        if (length < 0) throw new HeadraceError('HR_DOCUMENT_NOT_AN_OBJECT', 'it has no value');
        sink.document(this.document(buffer.toString('utf8', at, end)));
      } catch (error) {
        if (!(error instanceof HeadraceError)) throw error;
        const place = `topic ${this.options.topic}, partition ${partitions[i]}, offset ${offsets[i]}`;
        sink.reject({ place, message: messageOf(error) });
      }
      at = end;
    }
  }

  private document(text: string): Document {
    const { idField, docIdPrefix } = this.options;
    const value = readJson(text);
    if (!(value instanceof Map)) throw new HeadraceError('HR_DOCUMENT_NOT_AN_OBJECT', 'its value is not a JSON object');
    const object: JsonObject = value;
    const key = object.get(idField);
    const id = key === undefined || key === null || Array.isArray(key) ? '' : (textOf(key) ?? '');
    if (id === '') throw new HeadraceError('HR_DOCUMENT_NO_ID', `it has no value in the field ${idField} for the id`);
    object.set('id', docIdPrefix + id);
    return Document.fromObject(object);
  }
}
