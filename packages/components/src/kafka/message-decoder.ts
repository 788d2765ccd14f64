import {
  Document,
  HeadraceError,
  JsonObjectReader,
  JsonSyntaxError,
  type ModuleReference,
  messageOf,
  type RecordDecoder,
  type RecordSink,
  readJson,
  readJsonSequence,
  Shape,
  textOf,
  type Value,
} from '@headrace/engine';

/** How messages are decoded into documents. Plain data, so that it can be sent to another thread. */
export interface MessageDecoderOptions {
  readonly topic: string;
  /** The field that holds the id. */
  readonly idField: string;
  readonly docIdPrefix: string;
}

/**
 * The position of each message of a chunk, in order, and its length in bytes. The length -1 means that the message has
 * no value.
 */
export interface MessagePositions {
  readonly partitions: Int32Array;
  readonly offsets: BigInt64Array;
  readonly lengths: Int32Array;
}

/** Decodes the values of messages, a sequence of JSON objects, into documents. */
export class MessageDecoder implements RecordDecoder {
  readonly #options: MessageDecoderOptions;
  readonly #reader = new JsonObjectReader();
  /** The field names of the previous message. */
  #names: Shape | undefined = undefined;
  #shape = Shape.of([]);
  #keyAt = -1;
  #idAt = -1;

  constructor(options: MessageDecoderOptions) {
    this.#options = options;
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
      const start = at;
      at = end;
      let document: Document;
      try {
        if (length < 0) throw new HeadraceError('HR_DOCUMENT_NOT_AN_OBJECT', 'it has no value');
        document = this.#document(buffer.toString('utf8', start, end));
      } catch (error) {
        if (!(error instanceof HeadraceError)) throw error;
        const place = `topic ${this.#options.topic}, partition ${partitions[i]}, offset ${offsets[i]}`;
        sink.reject({ place, message: messageOf(error) });
        continue;
      }
      // This call is outside `try`: an error of the pipeline is not an error of the message.
      sink.document(document);
    }
  }

  #document(text: string): Document {
    const values = this.#readObject(text);
    const key = values[this.#keyAt];
    const id = key === undefined || key === null || Array.isArray(key) ? '' : (textOf(key) ?? '');
    if (id === '') {
      const message = `it has no value in the field ${this.#options.idField} for the id`;
      throw new HeadraceError('HR_DOCUMENT_NO_ID', message);
    }
    values[this.#idAt] = this.#options.docIdPrefix + id;
    return new Document(this.#shape, values);
  }

  /** Returns the values of the object in the order of `shape`. The last value may be missing: it is the id. */
  #readObject(text: string): Value[] {
    this.#reader.load(text);
    if (this.#reader.read(0, text.length)) {
      requireEnd(text, this.#reader.end);
      if (this.#names !== this.#reader.shape) this.#learn(this.#reader.shape);
      return this.#reader.values;
    }
    // `readJson` reports an empty text.
    const { value, end } = readJsonSequence(text).next().value ?? { value: readJson(text), end: text.length };
    if (!(value instanceof Map)) throw new HeadraceError('HR_DOCUMENT_NOT_AN_OBJECT', 'its value is not a JSON object');
    requireEnd(text, end);
    this.#learn(Shape.common([...value.keys()]));
    return [...value.values()];
  }

  #learn(shape: Shape): void {
    this.#names = shape;
    this.#keyAt = shape.position(this.#options.idField);
    this.#shape = shape.position('id') >= 0 ? shape : shape.share().with('id');
    this.#idAt = this.#shape.position('id');
  }
}

/**
 * Throws `HR_DOCUMENT_SYNTAX` if text follows the object of a message: another object there must not be lost. A message
 * is one document, because its offset identifies the document.
 */
function requireEnd(text: string, end: number): void {
  if (end === text.length || text.slice(end).trim() === '') return;
  throw new JsonSyntaxError(`text follows the object, at character ${end + 1}: a message must be one JSON object`, end);
}
